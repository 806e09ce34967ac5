"""Pages of the console as HTML: templates of the package, filled with escaped texts."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import resources
from string import Template

from dowse import __version__
from dowse.contracts.answer_question import answer_question
from dowse.contracts.arguments import Param
from dowse.contracts.dispatch import Services
from dowse.contracts.get_content import get_content
from dowse.contracts.rerank import rerank
from dowse.contracts.web_search import search_params
from dowse.surfaces.clients import FURTHER, MAIN, KnownClient, LaunchCommand, Remote
from dowse.surfaces.http.console.door import STATIC
from dowse.surfaces.http.console.forms import render_field
from dowse.surfaces.http.replies import CONSOLE_PAGES

TRY, DASHBOARD, SETUP = CONSOLE_PAGES
_PACKAGE = "dowse.surfaces.http.console"
_NAVIGATION = ((TRY, "Try it"), (DASHBOARD, "Dashboard"), (SETUP, "Set up"))
_TITLES = {TRY: "Try it", DASHBOARD: "Dashboard", SETUP: "Set up"}
_NAMES = {TRY: "try", DASHBOARD: "dashboard", SETUP: "setup"}


@dataclass(frozen=True, slots=True)
class Visitor:
    """The visitor of a page, with the rights of the token."""

    name: str
    may_search: bool = True
    may_watch: bool = True

    @property
    def home(self) -> str:
        return TRY if self.may_search else DASHBOARD

    def may_see(self, path: str) -> bool:
        return self.may_search if path == TRY else self.may_watch


@dataclass(frozen=True, slots=True)
class _Mode:
    """A way to call the server on the page `Try it`: an operation of REST, its main argument and the others."""

    name: str
    tool: str
    main: str
    title: str
    placeholder: str
    params: Sequence[Param]


class Pages:
    """Renders the pages of one server."""

    def __init__(self, services: Services, *, needs_login: bool) -> None:
        self._services = services
        self._needs_login = needs_login

    def render(self, path: str, visitor: Visitor, origin: str) -> str:
        body = {TRY: self._try, DASHBOARD: _dashboard, SETUP: self._setup}[path](origin)
        return self._layout(_TITLES[path], _NAMES[path], body, _header(path, visitor, has_logout=self._needs_login))

    def render_login(self, problem: str = "") -> str:
        shown = f'<p class="problem" role="alert" id="problem">{escape(problem)}</p>' if problem else ""
        invalid = ' aria-invalid="true" aria-describedby="problem"' if problem else ""
        return self._layout("Log in", "", _template("login.html").substitute(problem=shown, invalid=invalid), "")

    def _layout(self, title: str, script: str, body: str, header: str) -> str:
        scripts = f'<script type="module" src="{_address(f"{script}.js")}"></script>' if script else ""
        return _template("layout.html").substitute(
            title=escape(title),
            icon=_address("icon.svg"),
            style=_address("console.css"),
            scripts=scripts,
            header=header,
            body=body,
            version=escape(__version__),
        )

    def _try(self, origin: str) -> str:
        modes = self._modes()
        return _template("try.html").substitute(
            modes="".join(map(_render_mode, modes)), forms="".join(map(_render_form, modes)), origin=escape(origin)
        )

    def _modes(self) -> tuple[_Mode, ...]:
        services = self._services
        return (
            _Mode("search", "web_search", "query", "Search", "When did the harbour bridge open?",
                  search_params(services.settings)),
            _Mode("read", "get_content", "url", "Read", "https://example.org/page", get_content(services).params),
            _Mode("answer", "answer_question", "question", "Answer", "When did the harbour bridge open?",
                  answer_question(services).params),
            _Mode("rerank", "rerank", "query", "Rerank", "opening year of the bridge",
                  (*rerank(services).params, Param("documents", "array", "The texts to rank, one in a line.",
                                                   required=True))),
        )  # fmt: skip

    def _setup(self, origin: str) -> str:
        remote = Remote(url=f"{origin}/mcp", token="your-token") if self._needs_login else None
        local = "".join(_render_client(client, client.render(LaunchCommand())) for client in (*MAIN, *FURTHER))
        connected = [each for each in (*MAIN, *FURTHER) if each.connect]
        shown = remote or Remote(url=f"{origin}/mcp")
        over_http = "".join(_render_client(each, each.connect(shown)) for each in connected if each.connect)
        return _template("setup.html").substitute(local=local, remote=over_http, address=escape(f"{origin}/mcp"))


def _dashboard(_origin: str) -> str:
    return _template("dashboard.html").template


def _header(path: str, visitor: Visitor, *, has_logout: bool) -> str:
    links = "".join(
        f'<a href="{address}"{" aria-current=page" if address == path else ""}>{title}</a>'
        for address, title in _NAVIGATION
        if visitor.may_see(address)
    )
    logout = _template("logout.html").substitute(name=escape(visitor.name)) if has_logout else ""
    return _template("header.html").substitute(home=visitor.home, links=links, logout=logout)


def _render_mode(mode: _Mode) -> str:
    checked = " checked" if mode.name == "search" else ""
    return (
        f'<label class="mode"><input type="radio" name="mode" value="{mode.name}"{checked}>'
        f"<span>{escape(mode.title)}</span></label>"
    )


def _render_form(mode: _Mode) -> str:
    """The form of a mode: the main argument in front, all others behind one switch."""
    fields = {param.name: param for param in mode.params if param.name != "urls"}
    longest = fields.pop(mode.main).maximum or 8000
    documents = fields.pop("documents", None)
    return _template("form.html").substitute(
        mode=mode.name,
        tool=mode.tool,
        main=mode.main,
        hidden="" if mode.name == "search" else " hidden",
        kind="url" if mode.main == "url" else "search",
        title=escape(mode.title),
        placeholder=escape(mode.placeholder),
        longest=longest,
        documents=render_field(documents, mode.name, is_long=True) if documents else "",
        fields="".join(render_field(param, mode.name) for param in fields.values()),
    )


def _render_client(client: KnownClient, text: str) -> str:
    return _template("client.html").substitute(
        title=escape(client.title), where=escape(client.where), text=escape(text), language=escape(client.language)
    )


def read_static(name: str) -> bytes | None:
    """A static file by its name; `None` for any other name."""
    return _static_files().get(name)


@cache
def _static_files() -> Mapping[str, bytes]:
    folder = resources.files(_PACKAGE) / "static"
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


@cache
def _address(name: str) -> str:
    """The address of a static file, which changes with the files: browsers keep them for good."""
    return f"{STATIC}{name}?{version()}"


@cache
def version() -> str:
    """A hash of all static files."""
    together = b"".join(data for _, data in sorted(_static_files().items()))
    return hashlib.blake2b(together, digest_size=6).hexdigest()


@cache
def _template(name: str) -> Template:
    return Template((resources.files(_PACKAGE) / "templates" / name).read_text(encoding="utf-8"))
