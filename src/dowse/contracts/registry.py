"""The contracts by name. A new one is a line here, its tools in a file of their own, and its entry in the settings."""

from __future__ import annotations

from dowse.contracts.answer_question import answer_question
from dowse.contracts.dispatch import Contract, ContractSpec, Services
from dowse.contracts.dropins import answers, jan, kindly, swissarmyhammer
from dowse.contracts.get_content import get_content
from dowse.contracts.web_search import web_search

DOWSE = ContractSpec(
    "dowse",
    "Web search that reads the pages it finds. Search with web_search, read a known URL with get_content, "
    "get a short answer with its sources from answer_question.",
    (web_search, get_content, answer_question),
)
CONTRACTS = {
    spec.name: spec for spec in (DOWSE, kindly.CONTRACT, jan.CONTRACT, swissarmyhammer.CONTRACT, answers.CONTRACT)
}


def build(name: str, services: Services) -> Contract:
    return CONTRACTS[name].build(services)
