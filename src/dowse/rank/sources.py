"""Preferred and buried sites: rules of the user, and a few built-in ones that they override."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from dowse.core import urls
from dowse.core.models import Hit
from dowse.rank.fuse import Fused

# In ranks. A preferred site passes a few others; it does not become the answer to everything.
_BOOSTED, _BURIED = 3, -100
_BOOSTED_BY_DEFAULT, _BURIED_BY_DEFAULT = 1, -10
# Authorities on their subject: documentation from its makers, and standards.
_AUTHORITIES = (
    "developer.apple.com developer.android.com developer.mozilla.org docs.aws.amazon.com docs.djangoproject.com "
    "docs.docker.com docs.github.com docs.kernel.org docs.oracle.com docs.python.org docs.rs docs.ruby-lang.org "
    "doc.rust-lang.org go.dev kubernetes.io/docs learn.microsoft.com nodejs.org/api packaging.python.org "
    "peps.python.org php.net/manual postgresql.org/docs react.dev sqlite.org typescriptlang.org/docs "
    "ecma-international.org iana.org ietf.org nist.gov rfc-editor.org tc39.es unicode.org w3.org whatwg.org"
)
# Content farms that copy other sites, from the lists of blockers.
_COPIES = {
    "copies questions and answers of other sites": (
        "code-examples.net coderedirect.com coderoad.ru copyprogramming.com exceptionshub.com itranslater.com "
        "it-swarm.* javaer101.com newbedev.com pretagteam.com py4u.net qastack.* "
        "stackoom.com titanwolf.org uwenku.com voidcc.com"
    ),
    "copies repositories of other sites": (
        "bleepcoder.com giters.com gitanswer.com githubhelp.com githubmemory.com githubplus.com gitmemory.* "
        "issueexplorer.com pythonrepo.com"
    ),
    "copies an encyclopedia": (
        "encyclopedia.thefreedictionary.com everything.explained.today wiki2.org wikibrief.org wikizero.com zxc.wiki"
    ),
}
_PATTERN = re.compile(r"(\*\.)?([a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,20})(\.\*)?(/[^\s,*]{0,200})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Standing:
    """The ranks that a page is moved up (or down, if negative), and the reason."""

    weight: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """A result in its final order; `remark` is the reason why it was sorted down."""

    fused: Fused
    remark: str = ""

    @property
    def hit(self) -> Hit:
        return self.fused.hit

    @property
    def found_by(self) -> tuple[str, ...]:
        return self.fused.found_by

    @property
    def indexes(self) -> tuple[str, ...]:
        return self.fused.indexes


@dataclass(frozen=True, slots=True)
class _Pattern:
    """`example.org` with its subdomains, `*.gov` for subdomains only, `docs.*` for a prefix; each may have a path."""

    host: str
    path: str
    is_below: bool
    is_beginning: bool

    @classmethod
    def read(cls, text: str) -> _Pattern:
        """Parse a pattern; raises `ValueError` with a sentence for the user."""
        found = _PATTERN.fullmatch(text.strip().lower())
        # A single label is more often a typing mistake than all of `.com`.
        if not found or not (found[1] or found[3] or "." in found[2]):
            raise ValueError(f"{text!r} is not a site: write python.org, *.gov, docs.* or github.com/name")
        host = found[2] if found[1] else found[2].removeprefix("www.")
        return cls(host, (found[4] or "").rstrip("/"), bool(found[1]), bool(found[3]))

    @property
    def precision(self) -> tuple[int, int, bool]:
        """A key to order patterns by: longer paths and hosts are more precise."""
        return self.path.count("/"), self.host.count("."), not (self.is_below or self.is_beginning)

    def matches(self, host: str, path: str) -> bool:
        return self._matches_host(host) and (path == self.path or path.startswith(self.path + "/"))

    def _matches_host(self, host: str) -> bool:
        if self.is_below and self.is_beginning:
            return f".{self.host}." in host
        if self.is_beginning:
            return host.startswith(self.host + ".")
        return host.endswith("." + self.host) or (host == self.host and not self.is_below)


@dataclass(frozen=True, slots=True)
class _Rule:
    pattern: _Pattern
    standing: Standing


@dataclass(frozen=True)
class SiteRules:
    """Sites that the user wants to see first, last or never. Raises `ValueError` for an invalid pattern."""

    boost: tuple[str, ...] = ()
    bury: tuple[str, ...] = ()
    block: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for text in (*self.boost, *self.bury, *self.block):
            _Pattern.read(text)

    def standing(self, url: str) -> Standing:
        """The standing by the most precise rule; any rule of the user overrides the built-in ones."""
        address = _address(url)
        return _judge(self._own, address) or _judge_by_defaults(address) or Standing()

    def is_blocked(self, url: str) -> bool:
        """Whether a rule blocks the page, which overrides all other rules."""
        if not self._blocked:
            return False
        host, path = _address(url)
        return any(pattern.matches(host, path) for pattern in self._blocked)

    @cached_property
    def _own(self) -> tuple[_Rule, ...]:
        # Of two rules about the same site the first one counts: burying beats boosting.
        return (
            *_rules(self.bury, _BURIED, "a rule of yours buries {}"),
            *_rules(self.boost, _BOOSTED, "a rule of yours boosts {}"),
        )

    @cached_property
    def _blocked(self) -> tuple[_Pattern, ...]:
        return tuple(map(_Pattern.read, self.block))


def order(fused: Sequence[Fused], rules: SiteRules) -> tuple[Placed, ...]:
    """Drop blocked results, and move boosted sites a few ranks up and buried ones down."""
    allowed = [each for each in fused if not rules.is_blocked(each.hit.url)]
    standings = [rules.standing(each.hit.url) for each in allowed]
    # Of two results at one rank the moved one comes first.
    ranks = sorted(range(len(allowed)), key=lambda rank: (rank - standings[rank].weight, -standings[rank].weight))
    return tuple(Placed(allowed[rank], _remark(standings[rank])) for rank in ranks)


def _remark(standing: Standing) -> str:
    return f"sorted down: {standing.reason}" if standing.weight < 0 else ""


def _rules(patterns: Iterable[str], weight: float, reason: str) -> tuple[_Rule, ...]:
    return tuple(_Rule(_Pattern.read(text), Standing(weight, reason.format(text))) for text in patterns)


def _judge(rules: Iterable[_Rule], address: tuple[str, str]) -> Standing | None:
    matching = [rule for rule in rules if rule.pattern.matches(*address)]
    return max(matching, key=lambda rule: rule.pattern.precision).standing if matching else None


# The same sites recur, and there are many rules.
@lru_cache(maxsize=512)
def _judge_by_defaults(address: tuple[str, str]) -> Standing | None:
    return _judge(_DEFAULTS, address)


def _address(url: str) -> tuple[str, str]:
    """Host and path as patterns have them."""
    parsed = urls.parse(url)
    return (parsed.name.removeprefix("www."), parsed.path.lower().rstrip("/")) if parsed else ("", "")


_DEFAULTS = (
    *_rules(_AUTHORITIES.split(), _BOOSTED_BY_DEFAULT, "documentation or a standard from its makers"),
    *(rule for reason, sites in _COPIES.items() for rule in _rules(sites.split(), _BURIED_BY_DEFAULT, reason)),
)
