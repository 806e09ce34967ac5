"""The pocket web: provider doubles, pages and named misbehaviours on loopback, for tests and benchmarks."""

from tests.doubles.double import Double
from tests.doubles.listings import Listing
from tests.doubles.misbehaviour import MISBEHAVIOURS
from tests.doubles.reading import ReaderDouble
from tests.doubles.seen import SeenRequest
from tests.doubles.site import APP_PATHS, PATHS, Site
from tests.doubles.web import EXA_KEY, PROVIDERS, SERPER_KEY, TAVILY_KEY, PocketWeb, closed_port

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
