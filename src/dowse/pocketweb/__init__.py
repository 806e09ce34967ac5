"""A web in a box on loopback: provider doubles, pages and named misbehaviours for demo, benchmarks and tests."""

from dowse.pocketweb.double import Double
from dowse.pocketweb.listings import Listing
from dowse.pocketweb.misbehaviour import MISBEHAVIOURS
from dowse.pocketweb.reading import ReaderDouble
from dowse.pocketweb.seen import SeenRequest
from dowse.pocketweb.site import APP_PATHS, PATHS, Site
from dowse.pocketweb.web import EXA_KEY, PROVIDERS, SERPER_KEY, TAVILY_KEY, PocketWeb, closed_port

__all__ = [
    "APP_PATHS",
    "EXA_KEY",
    "MISBEHAVIOURS",
    "PATHS",
    "PROVIDERS",
    "SERPER_KEY",
    "TAVILY_KEY",
    "Double",
    "Listing",
    "PocketWeb",
    "ReaderDouble",
    "SeenRequest",
    "Site",
    "closed_port",
]
