"""firecrawl-py, clients of v2 and v1."""

import time

from firecrawl import Firecrawl
from firecrawl.v1 import V1FirecrawlApp


def plain(value):
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


def search(base, token, site):
    return plain(Firecrawl(token, api_url=base).search("harbour bridge", limit=3, sources=["web", "news"]))


def search_and_scrape(base, token, site):
    from firecrawl.v2.types import ScrapeOptions

    options = ScrapeOptions(formats=["markdown", "links"])
    return plain(Firecrawl(token, api_url=base).search("harbour bridge", limit=2, scrape_options=options))


def scrape(base, token, site):
    return plain(
        Firecrawl(token, api_url=base).scrape(f"{site}/docs/retrying", formats=["markdown", "links", "screenshot"])
    )


def blocked(base, token, site):
    return plain(Firecrawl(token, api_url=base).scrape(f"{site}/challenge"))


def missing(base, token, site):
    return plain(Firecrawl(token, api_url=base).scrape(f"{site}/missing"))


def timeout(base, token, site):
    began = time.monotonic()
    try:
        return plain(Firecrawl(token, api_url=base).scrape(f"{site}/hang", timeout=1500))
    finally:
        assert time.monotonic() - began < 5


def map(base, token, site):
    return plain(Firecrawl(token, api_url=base).map(f"{site}/", limit=4, search="kettle"))


def batch(base, token, site):
    client = Firecrawl(token, api_url=base)
    pages = [f"{site}/docs/retrying", f"{site}/challenge", *(f"{site}/articles/python-315?n={n}" for n in range(25))]
    job = client.batch_scrape(pages, poll_interval=1, wait_timeout=60, ignore_invalid_urls=True)
    return {
        "status": job.status,
        "total": job.total,
        "completed": job.completed,
        "pages": [each.markdown for each in job.data],
    }


def batch_errors(base, token, site):
    client = Firecrawl(token, api_url=base)
    started = client.start_batch_scrape([f"{site}/challenge", f"{site}/docs/retrying"])
    while client.get_batch_scrape_status(started.id).status == "scraping":
        time.sleep(0.1)
    return plain(client.get_batch_scrape_errors(started.id))


def cancel(base, token, site):
    client = Firecrawl(token, api_url=base)
    started = client.start_batch_scrape([f"{site}/hang?n={n}" for n in range(20)])
    return {
        "cancelled": client.cancel_batch_scrape(started.id),
        "status": client.get_batch_scrape_status(started.id).status,
    }


def crawl(base, token, site):
    return plain(Firecrawl(token, api_url=base).crawl(f"{site}/", limit=2))


def bad_token(base, token, site):
    return plain(Firecrawl("fc-wrong", api_url=base).search("harbour bridge"))


def v1_search(base, token, site):
    return plain(V1FirecrawlApp(token, api_url=base).search("harbour bridge", limit=2))


def v1_scrape(base, token, site):
    return plain(V1FirecrawlApp(token, api_url=f"{base}/compat/firecrawl").scrape_url(f"{site}/docs/retrying"))


def v1_blocked(base, token, site):
    return plain(V1FirecrawlApp(token, api_url=base).scrape_url(f"{site}/challenge"))


def v1_map(base, token, site):
    return plain(V1FirecrawlApp(token, api_url=base).map_url(f"{site}/"))


def v1_batch(base, token, site):
    job = V1FirecrawlApp(token, api_url=base).batch_scrape_urls(
        [f"{site}/docs/retrying", f"{site}/challenge"], poll_interval=1
    )
    return {"status": job.status, "pages": [each.markdown for each in job.data]}


def v1_bad_token(base, token, site):
    return plain(V1FirecrawlApp("fc-wrong", api_url=base).search("harbour bridge"))
