"""langchain-tavily, and the SearxNG and Brave wrappers of langchain-community."""

import warnings

warnings.simplefilter("ignore")

from langchain_community.utilities import BraveSearchWrapper, SearxSearchWrapper  # noqa: E402
from langchain_tavily import TavilyExtract, TavilySearch  # noqa: E402


def tavily(base, token, site):
    tool = TavilySearch(tavily_api_key=token, api_base_url=f"{base}/compat/tavily", max_results=2)
    found = tool.invoke({"query": "harbour bridge"})
    if "error" in found:
        raise found["error"]
    return found


def tavily_extract(base, token, site):
    tool = TavilyExtract(tavily_api_key=token, api_base_url=f"{base}/compat/tavily")
    return tool.invoke({"urls": [f"{site}/docs/retrying"]})


def tavily_bad_token(base, token, site):
    return tavily(base, "wrong", site)


def searx(base, token, site):
    wrapper = SearxSearchWrapper(searx_host=f"{base}/compat/searxng", headers={"Authorization": f"Bearer {token}"})
    return {"run": wrapper.run("harbour bridge"), "results": wrapper.results("harbour bridge", num_results=2)}


def searx_path_token(base, token, site):
    wrapper = SearxSearchWrapper(searx_host=f"{base}/t/{token}/compat/searxng")
    return wrapper.results("harbour bridge", num_results=2)


def searx_bad_token(base, token, site):
    return SearxSearchWrapper(searx_host=f"{base}/compat/searxng").results("harbour bridge", num_results=2)


def brave(base, token, site):
    wrapper = BraveSearchWrapper(
        api_key=token, base_url=f"{base}/compat/brave/res/v1/web/search", search_kwargs={"count": 3}
    )
    documents = [{"text": each.page_content, **each.metadata} for each in wrapper.download_documents("harbour bridge")]
    return {"run": wrapper.run("harbour bridge"), "documents": documents}


def brave_bad_token(base, token, site):
    return BraveSearchWrapper(api_key="wrong", base_url=f"{base}/compat/brave/res/v1/web/search").run("bridge")
