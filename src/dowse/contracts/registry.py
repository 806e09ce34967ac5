"""The contracts by name. Adding one is a line here and its tools in a file of their own."""

from __future__ import annotations

from collections.abc import Callable

from dowse.contracts import get_content, jan, kindly, search_web, swissarmyhammer, web_search
from dowse.contracts.services import Services
from dowse.contracts.tool import Contract, Tool

_INSTRUCTIONS = {
    "jan": jan.INSTRUCTIONS,
    "swissarmyhammer": "Web search that reads the pages it finds. Search with web_search.",
    "answers": "Answers from the web with citations. Ask with search_web.",
    "dowse": "Web search that reads the pages it finds. Search with web_search, read a known URL with get_content, "
    "get a short answer with its sources from search_web.",
}
_USUAL = "Web search that reads the pages it finds. Search with web_search, read a known URL with get_content."
_TOOLS: dict[str, tuple[Callable[[Services], Tool], ...]] = {
    "dowse": (web_search.web_search, get_content.get_content, search_web.search_web),
    "kindly": (kindly.web_search, kindly.get_content),
    "jan": (jan.google_search, jan.scrape),
    "swissarmyhammer": (swissarmyhammer.web_search,),
    "answers": (search_web.drop_in,),
}


def build(name: str, services: Services) -> Contract:
    return Contract(name, _INSTRUCTIONS.get(name, _USUAL), tuple(make(services) for make in _TOOLS[name]))
