"""exa-py."""

from dataclasses import asdict

from exa_py import Exa


def search(base, token, site):
    found = Exa(token, base_url=f"{base}/compat/exa").search(
        "harbour bridge", num_results=3, start_crawl_date="2020-01-01"
    )
    warnings = [asdict(each) for each in found.warnings or []]
    return {"results": [asdict(each) for each in found.results], "warnings": warnings}


def search_and_contents(base, token, site):
    client = Exa(token, base_url=f"{base}/compat/exa")
    found = client.search_and_contents("harbour bridge", num_results=2, highlights=True, text={"max_characters": 200})
    return [asdict(each) for each in found.results]


def contents(base, token, site):
    client = Exa(token, base_url=f"{base}/compat/exa")
    found = client.get_contents([f"{site}/docs/retrying", f"{site}/challenge"], text=True)
    return {"results": [asdict(each) for each in found.results], "statuses": [asdict(each) for each in found.statuses]}


def highlights(base, token, site):
    client = Exa(token, base_url=f"{base}/compat/exa")
    found = client.get_contents([f"{site}/docs/retrying"], highlights={"query": "how long does it wait"})
    return [asdict(each) for each in found.results]


def answer(base, token, site):
    found = Exa(token, base_url=f"{base}/compat/exa").answer("harbour bridge", text=True)
    return {"answer": found.answer, "citations": [asdict(each) for each in found.citations]}


def similar(base, token, site):
    return str(Exa(token, base_url=f"{base}/compat/exa").find_similar(f"{site}/docs/retrying"))


def bad_token(base, token, site):
    return str(Exa("wrong", base_url=f"{base}/compat/exa").search("harbour bridge"))
