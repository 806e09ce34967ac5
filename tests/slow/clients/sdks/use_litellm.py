"""litellm's search and rerank."""

import os

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm

litellm.suppress_debug_info = True
PATHS = {
    "perplexity": "/compat/perplexity",
    "tavily": "/compat/tavily",
    "exa_ai": "/compat/exa",
    "firecrawl": "/compat/firecrawl/v2",
    "searxng": "/compat/searxng",
    "serper": "/compat/serper",
    "brave": "/compat/brave/res/v1/web/search",
}


def search(base, token, site):
    found = {}
    for provider, path in PATHS.items():
        answer = litellm.search(
            "harbour bridge", search_provider=provider, max_results=3, api_base=base + path, api_key=token
        )
        found[provider] = [each.model_dump() for each in answer.results]
    return found


def rerank(base, token, site):
    found = litellm.rerank(
        "cohere/rerank-v3.5", "harbour bridge", ["bread", "the harbour bridge"], api_base=base, api_key=token
    )
    return found.results


def bad_token(base, token, site):
    return str(litellm.search("bridge", search_provider="tavily", api_base=f"{base}/compat/tavily", api_key="wrong"))
