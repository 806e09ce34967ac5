"""tavily-python."""

from tavily import TavilyClient


def search(base, token, site):
    client = TavilyClient(token, api_base_url=f"{base}/compat/tavily")
    return client.search("harbour bridge", max_results=3, include_raw_content="markdown", include_answer=True)


def search_timeout(base, token, site):
    return TavilyClient(token, api_base_url=f"{base}/compat/tavily").search("harbour bridge", timeout=3)


def qna(base, token, site):
    return TavilyClient(token, api_base_url=f"{base}/compat/tavily").qna_search("harbour bridge")


def extract(base, token, site):
    client = TavilyClient(token, api_base_url=f"{base}/compat/tavily")
    return client.extract([f"{site}/docs/retrying", f"{site}/challenge", f"{site}/hang"], timeout=4)


def question(base, token, site):
    client = TavilyClient(token, api_base_url=f"{base}/compat/tavily")
    return client.extract(f"{site}/docs/retrying", query="how long does it wait between attempts", chunks_per_source=1)


def map(base, token, site):
    return TavilyClient(token, api_base_url=f"{base}/compat/tavily").map(f"{site}/", limit=5)


def crawl(base, token, site):
    return TavilyClient(token, api_base_url=f"{base}/compat/tavily").crawl(f"{site}/")


def no_query(base, token, site):
    return TavilyClient(token, api_base_url=f"{base}/compat/tavily").search("")


def bad_token(base, token, site):
    return TavilyClient("tvly-wrong", api_base_url=f"{base}/compat/tavily").search("harbour bridge")
