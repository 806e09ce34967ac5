"""Python packages by their exact names, which is all that PyPI has for programs: https://docs.pypi.org/api/json/."""

from __future__ import annotations

import re

from dowse.core.errors import BadAnswer, BadRequest, Redirected
from dowse.core.models import Deadline, Hit, Query
from dowse.net.json_api import Api, Json, hit, objects, string
from dowse.sites.answer import Answer
from dowse.sites.words import keywords, words_of

_SITE = "https://pypi.org/project/"
_INSTALLED = re.compile(r"(?i)\b(?:pip3?|pipx|uv|poetry|conda)(?: pip)? (?:install|add) ([^;&|]{1,200})")
_NAME = re.compile(r"[a-z][a-z0-9-]{0,98}[a-z0-9]")
_OPTION = re.compile(r"(?<!\S)-\S{1,80}")
_SEPARATORS = re.compile(r"[-_.]+")
# A few guesses, not a search: each name is a request.
_MOST_NAMES = 3
_NOISE = frozenset(
    "add conda error errors install latest library module package packages pip pip3 pipx poetry pypi python python3 uv "
    "version".split()
)


class Pypi:
    """Implements `OpenApi`."""

    name = "pypi"
    title = "PyPI"
    rate = None

    def __init__(self, api: Api, base_url: str) -> None:
        self._api = api
        self._base = base_url.rstrip("/")

    def address(self, _query: Query) -> str:
        return f"{self._base}/pypi/"

    async def search(self, query: Query, deadline: Deadline) -> Answer:
        found = [await self._package(name, deadline) for name in names_in(query.text)]
        return Answer(tuple(filter(None, found)))

    async def _package(self, name: str, deadline: Deadline) -> Hit | None:
        try:
            body = await self._api.get(f"{self._base}/pypi/{name}/json", deadline, headers={}, params={})
        except BadRequest as error:
            if error.http_status != 404:
                raise
            return None
        except Redirected:
            return None
        info = body.get("info")
        if not isinstance(info, dict):
            raise BadAnswer(self.name, "the answer has no object 'info'")
        return _hit(info, body, name)


def names_in(text: str) -> list[str]:
    """What may be the names of packages, in the spelling that PyPI knows without a redirect (PEP 503)."""
    installed = _INSTALLED.search(text)
    words = words_of(_OPTION.sub(" ", installed[1]) if installed else keywords(text, max_chars=200, without=_NOISE))
    names = (_SEPARATORS.sub("-", word).lower() for word in words if word.lower() not in _NOISE)
    return list(dict.fromkeys(name for name in names if _NAME.fullmatch(name)))[:_MOST_NAMES]


def _hit(info: Json, body: Json, name: str) -> Hit | None:
    files = objects(body.get("urls"))
    released = string(files[0], "upload_time_iso_8601") if files else ""
    title = f"{string(info, 'name') or name} {string(info, 'version')} · PyPI"
    url = string(info, "package_url", "project_url") or f"{_SITE}{name}/"
    return hit(title, url, string(info, "summary"), engine=Pypi.name, published=released)
