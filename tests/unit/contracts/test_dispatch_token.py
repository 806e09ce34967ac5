"""The `token` argument: whoever sends a good one is known by its name, all others are refused alike."""

import pytest

from dowse.contracts.arguments import Param
from dowse.contracts.dispatch import Answer, TokenCaller, Tool
from dowse.core.errors import Unauthorized
from dowse.core.models import Principal
from tests.support.tables import each_row

GOOD = "token-of-ana"
ANA = Principal("ana")


class OneToken:
    """Implements `Authenticator`: knows one token, and remembers what it was asked about."""

    def __init__(self, principal: Principal = ANA) -> None:
        self.principal = principal
        self.asked: list[str] = []

    async def authenticate(self, token: str) -> Principal | None:
        self.asked.append(token)
        return self.principal if token == GOOD else None


@pytest.mark.parametrize("sent", [GOOD, f" {GOOD}\n"])
async def test_a_good_token_says_who_calls(sent: str) -> None:
    assert await TokenCaller({"token": sent}, OneToken(), "answers").authenticate() == ANA


@pytest.mark.parametrize("given", [{}, {"token": None}, {"token": "token-of-bob"}, {"token": [GOOD]}, {"query": GOOD}])
async def test_every_other_token_is_refused_in_the_same_words(given: dict[str, object]) -> None:
    with pytest.raises(Unauthorized) as refused:
        await TokenCaller(given, OneToken(), "answers").authenticate()
    assert str(refused.value) == (
        "A good token is needed: pass the one that the owner of this server gave you as token."
    )


@each_row("sent", ["", " ", "x" * 4097, "two words", "a,b", "tokén", "\ud800", "x\x00"])
async def test_what_cannot_be_a_token_is_not_even_looked_up(sent: str) -> None:
    """The same as behind `Bearer`, so that a token is good over both or over neither; some could not be hashed."""
    authenticator = OneToken()
    with pytest.raises(Unauthorized):
        await TokenCaller({"token": sent}, authenticator, "answers").authenticate()
    assert authenticator.asked == []


async def test_the_longest_token_is_looked_up() -> None:
    authenticator = OneToken()
    with pytest.raises(Unauthorized):
        await TokenCaller({"token": "x" * 4096}, authenticator, "answers").authenticate()
    assert len(authenticator.asked) == 1


@pytest.mark.parametrize(("contracts", "is_let_in"), [(None, True), ({"answers", "jan"}, True), ({"dowse"}, False)])
async def test_a_token_is_good_for_the_contracts_it_was_given_out_for(
    contracts: set[str] | None, is_let_in: bool
) -> None:
    principal = Principal("ana", contracts=None if contracts is None else frozenset(contracts))
    caller = TokenCaller({"token": GOOD}, OneToken(principal), "answers")
    if is_let_in:
        assert await caller.authenticate() == principal
    else:
        with pytest.raises(Unauthorized):
            await caller.authenticate()


def test_a_tool_that_asks_lists_the_token_last_and_does_not_require_it() -> None:
    async def call(_given: object, _progress: object) -> Answer:
        return Answer("")

    tool = Tool("search_web", "", "", (Param("query", "string", "What.", required=True),), call)
    schema = tool.with_token().input_schema()
    assert list(schema["properties"]) == ["query", "token"]  # type: ignore[call-overload]
    assert schema["required"] == ["query"]
    assert "token" not in tool.input_schema()["properties"]  # type: ignore[operator]
