// Runs cases of the JavaScript SDKs and prints what each gave, or which error it threw, as one JSON object.
// Usage: drive.mjs BASE TOKEN SITE CASE...
import { tavily } from "@tavily/core";
import Exa from "exa-js";
import Firecrawl from "@mendable/firecrawl-js";

const [base, token, site, ...names] = process.argv.slice(2);
const search = (key) => tavily({ apiKey: key, apiBaseURL: `${base}/compat/tavily` });
const exa = (key) => new Exa(key, `${base}/compat/exa`);
const firecrawl = (key) => new Firecrawl({ apiKey: key, apiUrl: base });
const query = "harbour bridge";

const cases = {
  tavily_search: () => search(token).search(query, { maxResults: 2, includeRawContent: "markdown" }),
  tavily_extract: () => search(token).extract([`${site}/docs/retrying`, `${site}/challenge`]),
  tavily_map: () => search(token).map(`${site}/`, { limit: 3 }),
  tavily_bad_token: () => search("tvly-wrong").search(query),
  exa_search: () => exa(token).search(query, { numResults: 2, contents: { highlights: true } }),
  exa_contents: () => exa(token).getContents([`${site}/docs/retrying`, `${site}/challenge`], { text: true }),
  exa_answer: () => exa(token).answer(query),
  exa_bad_token: () => exa("wrong").search(query),
  firecrawl_search: () => firecrawl(token).search(query, { limit: 2 }),
  firecrawl_scrape: () => firecrawl(token).scrape(`${site}/docs/retrying`, { formats: ["markdown", "links"] }),
  firecrawl_map: () => firecrawl(token).map(`${site}/`, { limit: 3 }),
  firecrawl_blocked: () => firecrawl(token).scrape(`${site}/challenge`),
  firecrawl_timeout: () => firecrawl(token).scrape(`${site}/hang`, { timeout: 1500 }),
  firecrawl_batch: () => firecrawl(token).batchScrape([`${site}/docs/retrying`, `${site}/challenge`], { pollInterval: 1 }),
  firecrawl_crawl: () => firecrawl(token).startCrawl(`${site}/`),
  firecrawl_bad_token: () => firecrawl("fc-wrong").search(query),
};

const results = {};
for (const name of names) {
  try {
    results[name] = { value: await cases[name]() };
  } catch (error) {
    const status = error.status ?? error.statusCode ?? error.response?.status ?? null;
    results[name] = { error: error.name, status, said: String(error.message) };
  }
}
process.stdout.write(`\n${JSON.stringify(results)}\n`);
