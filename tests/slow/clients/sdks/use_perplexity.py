"""perplexityai."""

from perplexity import Perplexity


def search(base, token, site):
    client = Perplexity(api_key=token, base_url=f"{base}/compat/perplexity", max_retries=0)
    return client.search.create(query=["harbour bridge", "kettle"], max_results=3, max_tokens_per_page=256).model_dump(
        mode="json"
    )


def filters(base, token, site):
    client = Perplexity(api_key=token, base_url=f"{base}/compat/perplexity", max_retries=0)
    found = client.search.create(
        query="harbour bridge",
        search_domain_filter=["-example.org"],
        search_recency_filter="year",
        search_after_date_filter="1/31/2026",
        country="GB",
    )
    return found.model_dump(mode="json")


def bad_query(base, token, site):
    return (
        Perplexity(api_key=token, base_url=f"{base}/compat/perplexity", max_retries=0)
        .search.create(query="")
        .model_dump()
    )


def bad_token(base, token, site):
    client = Perplexity(api_key="wrong", base_url=f"{base}/compat/perplexity", max_retries=0)
    return client.search.create(query="harbour bridge").model_dump()
