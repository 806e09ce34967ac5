"""One walk through providers: who is still to be asked, by when, and what has happened so far."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

from dowse.core.calls import Routed
from dowse.core.errors import AllProvidersFailed, ProviderError
from dowse.core.models import Attempt, Deadline
from dowse.routing.policy import patience_of, share_of


class Named(Protocol):
    """What the router needs to know of a provider."""

    @property
    def name(self) -> str: ...

    @property
    def timeout_s(self) -> float: ...


P = TypeVar("P", bound=Named)
R = TypeVar("R")
Call = Callable[[P, Deadline], Awaitable[R]]
"""How to ask a provider, given the time it has."""

# What it takes to get a turn where nobody waits.
_AT_ONCE_S = 0.1


class Route(Protocol[P]):
    """Who is asked in one walk; for walks that go another way than the list."""

    url: str
    """The page, where the walk is about one."""

    async def start(self) -> Sequence[P]:
        """Who is to be asked, in order."""
        ...

    async def after(self, error: ProviderError, waiting: Sequence[P]) -> Sequence[P]:
        """Who of those that are waiting is still asked after a failure."""
        ...

    def turns(self, waiting: Sequence[P]) -> Sequence[P]:
        """Of those that are waiting, the first one and everybody for whom it has to leave time."""
        ...


@dataclass(slots=True)
class Walk(Generic[P]):
    """Who is still to be asked by when, the first of them now; and what has happened so far."""

    waiting: Sequence[P]
    deadline: Deadline
    route: Route[P] | None = None
    may_retry: bool = True
    may_queue: bool = True
    attempts: list[Attempt] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[ProviderError] = field(default_factory=list)

    @property
    def provider(self) -> P:
        return self.waiting[0]

    @property
    def url(self) -> str:
        return self.route.url if self.route else ""

    @property
    def has_others(self) -> bool:
        """Whether somebody else can be asked after this provider."""
        return len(self.waiting) > 1

    def share_s(self) -> float:
        """How long the provider may take so that the others can still run."""
        return share_of(self.deadline.remaining_s(), self._timeouts_s())

    def patience_s(self) -> float:
        """How long its turn may be waited for, so that it can still answer and the others can still run."""
        patience_s = patience_of(self.deadline.remaining_s(), self._timeouts_s())
        return patience_s if self.may_queue else min(_AT_ONCE_S, patience_s)

    def alone(self) -> Walk[P]:
        """The same walk with an account of its own."""
        return replace(self, attempts=[], warnings=[], errors=[])

    def beside(self) -> Walk[P]:
        """A walk for the next provider, to be asked while the first one is: once, and only if that can be now."""
        return Walk(self.waiting[1:], self.deadline, self.route, may_retry=False, may_queue=False)

    def add(self, *others: Walk[P]) -> None:
        """Take over the accounts of walks that have ended."""
        for other in others:
            self.attempts += other.attempts
            self.errors += other.errors
            for warning in other.warnings:
                self.warn(warning)

    def warn(self, warning: str) -> None:
        if warning and warning not in self.warnings:
            self.warnings.append(warning)

    def answered(self, answer: R, provider: str) -> Routed[R]:
        return Routed(answer, provider, tuple(self.attempts), tuple(self.warnings))

    def failure(self) -> AllProvidersFailed:
        assert self.errors, "a router without providers is never asked"
        return AllProvidersFailed(tuple(self.errors), tuple(self.attempts), tuple(self.warnings))

    def _timeouts_s(self) -> list[float]:
        turns = self.route.turns(self.waiting) if self.route else self.waiting
        return [provider.timeout_s for provider in turns]
