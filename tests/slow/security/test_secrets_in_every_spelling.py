"""Every spelling of every secret, said by an upstream with every status: none of it leaves."""

from __future__ import annotations

import pytest

from tests.canaries import Output, all_that_could_be_said, how_a_key_is_named
from tests.conftest import Server
from tests.doubles import PocketWeb
from tests.security import test_secrets_stay_inside as stdio
from tests.security import test_secrets_stay_inside_the_server as http
from tests.security.test_secrets_stay_inside import web  # noqa: F401
from tests.security.test_secrets_stay_inside_the_server import output, tokens  # noqa: F401

MESSAGES = all_that_could_be_said()


@pytest.mark.parametrize("contract", ["dowse", "kindly"])
async def test_an_upstream_is_not_quoted(
    server: Server,
    web: PocketWeb,  # noqa: F811
    output: Output,  # noqa: F811
    contract: str,
) -> None:
    messages = dict.fromkeys(stdio.STATUSES, MESSAGES + how_a_key_is_named())
    await stdio.upstream_repeats_secrets(server, web, output, contract, messages)


@http.ERAS
async def test_an_upstream_is_not_quoted_over_http(
    server: Server,
    web: PocketWeb,  # noqa: F811
    output: Output,  # noqa: F811
    tokens: dict[str, str],  # noqa: F811
    era: str,
) -> None:
    messages = dict.fromkeys(http.STATUSES, MESSAGES)
    await http.upstream_repeats_secrets_over_http(server, web, output, tokens, era, messages)


@pytest.mark.parametrize("status", [401, 500])
async def test_a_probe_does_not_quote_an_upstream(
    server: Server,
    web: PocketWeb,  # noqa: F811
    output: Output,  # noqa: F811
    tokens: dict[str, str],  # noqa: F811
    status: int,
) -> None:
    await http.probe_repeats_secrets(server, web, output, tokens, status, MESSAGES)
