"""cohere: rerank of v1 and v2."""

import cohere

DOCUMENTS = ["The harbour bridge reopens on Monday.", "Bread needs flour and water.", "A kettle boils water."]


def rerank(base, token, site):
    client = cohere.ClientV2(token, base_url=f"{base}/compat/rerank")
    found = client.rerank(model="rerank-v3.5", query="harbour bridge", documents=DOCUMENTS, top_n=2)
    return found.model_dump(mode="json")


def rerank_v1(base, token, site):
    found = cohere.Client(token, base_url=base).rerank(
        query="harbour bridge", documents=DOCUMENTS, return_documents=True
    )
    return found.model_dump(mode="json")


def no_documents(base, token, site):
    return cohere.ClientV2(token, base_url=base).rerank(model="m", query="bridge", documents=[]).model_dump(mode="json")


def bad_token(base, token, site):
    found = cohere.ClientV2("wrong", base_url=base).rerank(model="m", query="harbour bridge", documents=DOCUMENTS)
    return found.model_dump(mode="json")


def limited(base, token, site):
    client = cohere.ClientV2(token, base_url=base)
    for _ in range(2):
        client.rerank(model="m", query="bridge", documents=DOCUMENTS, request_options={"max_retries": 0})
