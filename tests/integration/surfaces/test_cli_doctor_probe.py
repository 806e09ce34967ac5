"""`dowse doctor --probe`: one question for each provider, its answer or its error, and the fix."""

import json
import re
from collections.abc import Callable

import pytest

from dowse.flows.doctor.probe import QUERY
from dowse.surfaces.cli.main import main
from tests.doctor import Examined, examined
from tests.doubles import MISBEHAVIOURS, PROVIDERS, PocketWeb, closed_port
from tests.support.command_line import Terminal

Point = Callable[..., PocketWeb]
Captured = pytest.CaptureFixture[str]
Examine = Callable[..., Examined]

# For what never answers: long enough for a busy machine to ask.
QUICK = {f"{provider.upper()}_TIMEOUT": "1s" for provider in PROVIDERS}
OUTCOMES = {
    **dict.fromkeys(["400", "404", "410", "451"], "bad_request"),
    **dict.fromkeys(["401", "403"], "key_rejected"),
    **dict.fromkeys(["402", "432", "433", "not_enough_credits"], "quota_spent"),
    **dict.fromkeys(["408", "500", "502", "503", "504", "echo_key"], "unavailable"),
    **dict.fromkeys(["hang", "stall", "trickle"], "timeout"),
    **dict.fromkeys(["huge", "bomb", "reset", "wrong_length"], "network_error"),
    **dict.fromkeys(["broken_json", "json_array", "json_null", "empty_body", "html"], "bad_answer"),
    **dict.fromkeys(["redirect", "redirect_loop"], "redirected"),
    "429": "rate_limited",
    "challenge": "blocked",
}
# What the fix has to name; {P} is the provider's prefix.
FIXES = {
    "bad_request": "Check {P}_SEARCH_ENDPOINT",
    "key_rejected": "Check {P}_API_KEY",
    "quota_spent": "add credits",
    "unavailable": "Run the probe again later",
    "timeout": "raise {P}_TIMEOUT, now 1s",
    "network_error": "({P}_SEARCH_ENDPOINT)",
    "bad_answer": "Check {P}_SEARCH_ENDPOINT",
    "redirected": "Check {P}_SEARCH_ENDPOINT",
    "rate_limited": "Run the probe again in",
    "blocked": "bot check",
}
JSON_LINES = "\nsearch:\n  formats:\n    - html\n    - json"


@pytest.fixture
def probe(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Examine:
    def run(**variables: str) -> Examined:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        # Not stderr: the pocket web is in this process too, and its server may say there that we hung up.
        return examined(main(["doctor", "--probe", "--json"]), capsys.readouterr().out)

    return run


def test_each_active_provider_is_asked_once_and_tells_how_long_it_took(point: Point, probe: Examine) -> None:
    web = point(*PROVIDERS)
    found = probe()
    assert found.code == 0
    for provider in PROVIDERS:
        check = found.one(f"probe.{provider}")
        assert (check["state"], check["details"]["outcome"], check["details"]["results"]) == ("ok", "ok", 1)
        assert check["summary"] == f"Answered in {check['details']['ms']} ms."
        assert len(getattr(web, provider).requests) == 1
    assert web.serper.requests[0].json == {"q": QUERY, "num": 1}
    assert web.searxng.requests[0].params == {"q": QUERY, "format": "json"}


def test_who_is_not_active_is_not_asked(point: Point, probe: Examine) -> None:
    web = point("serper", "exa", "tavily")
    found = probe(EXA_ENABLED="false", DOWSE_SEARCH_ORDER="serper,exa,searxng")
    assert [check["name"] for check in found.checks if check["group"] == "probe"] == ["probe.serper"]
    assert (web.exa.requests, web.tavily.requests, web.searxng.requests) == ([], [], [])


def test_every_misbehaviour_has_an_expected_outcome() -> None:
    assert set(MISBEHAVIOURS) == set(OUTCOMES)
    assert set(FIXES) == set(OUTCOMES.values())


# These take as long as a provider is waited for.
@pytest.mark.parametrize("trouble", sorted(MISBEHAVIOURS))
def test_a_failing_provider_is_asked_once_and_its_error_comes_with_the_fix(
    point: Point, probe: Examine, trouble: str
) -> None:
    """All of them fail at once, and nobody stands in for anybody."""
    web = point(*PROVIDERS)
    for provider in PROVIDERS:
        getattr(web, provider).fails(trouble)
    found = probe(**(QUICK if OUTCOMES[trouble] == "timeout" else {}))
    assert found.code == 1
    for provider in ("serper", "exa", "tavily"):
        check = found.one(f"probe.{provider}")
        assert (check["state"], check["details"]["outcome"]) == ("problem", OUTCOMES[trouble])
        assert check["summary"].startswith(f"{provider} ")
        assert FIXES[OUTCOMES[trouble]].format(P=provider.upper()) in check["fix"]
    assert found.one("probe.searxng")["state"] == "problem"
    assert {provider: len(getattr(web, provider).requests) for provider in PROVIDERS} == dict.fromkeys(PROVIDERS, 1)
    written = json.dumps(found.checks)
    assert not [key for key in (web.serper.key, web.exa.key, web.tavily.key) if key in written]


def test_one_that_fails_costs_the_others_nothing(point: Point, probe: Examine) -> None:
    web = point(*PROVIDERS)
    web.exa.fails("hang")
    found = probe(EXA_TIMEOUT="1s")
    states = {provider: found.one(f"probe.{provider}")["state"] for provider in PROVIDERS}
    assert states == dict.fromkeys(PROVIDERS, "ok") | {"exa": "problem"}
    assert found.code == 1


def test_a_searxng_with_json_off_gets_the_lines_for_its_settings(
    point: Point, probe: Examine, capsys: Captured
) -> None:
    web = point("searxng")
    web.searxng.json_off()
    check = probe().one("probe.searxng")
    assert (check["state"], check["details"]["outcome"]) == ("problem", "misconfigured")
    assert check["fix"].endswith(JSON_LINES)
    assert "settings.yml and restart it" in check["fix"]
    assert main(["doctor", "--probe"]) == 1
    # Ready to be copied: at the start of the line.
    assert f"\n{JSON_LINES}\n" in capsys.readouterr().out


def test_a_searxng_whose_limiter_is_on_gets_the_lines_that_switch_it_off(point: Point, probe: Examine) -> None:
    point("searxng").searxng.fails("429", retry_after=30)
    fix = probe().one("probe.searxng")["fix"]
    assert fix.startswith("Run the probe again in 30 seconds.")
    assert fix.endswith("\nserver:\n  limiter: false")


def test_a_searxng_address_that_is_not_the_base_is_named(point: Point, probe: Examine) -> None:
    web = point("searxng")
    fix = probe(SEARXNG_URL=web.page("/searxng/wrong")).one("probe.searxng")["fix"]
    assert fix.startswith(f"Set SEARXNG_URL, now {web.page('/searxng/wrong')}, to the base address")


def test_a_searxng_without_working_engines_says_where_to_look(point: Point, probe: Examine) -> None:
    point("searxng").searxng.engines_fail()
    check = probe().one("probe.searxng")
    assert check["details"]["outcome"] == "engines_failed"
    assert "google: Suspended: too many requests" in check["summary"]
    assert "SEARXNG_ENGINES" in check["fix"]


def test_a_searxng_that_refuses_a_setting_of_ours_names_them(point: Point, probe: Examine) -> None:
    point("searxng")
    check = probe(SEARXNG_LANGUAGE="not a language").one("probe.searxng")
    assert check["details"]["outcome"] == "bad_request"
    assert "SEARXNG_LANGUAGE" in check["fix"]


def test_a_searxng_behind_a_password_names_where_it_goes(point: Point, probe: Examine) -> None:
    point("searxng").searxng.fails("401")
    assert "password in SEARXNG_URL" in probe().one("probe.searxng")["fix"]


def test_a_searxng_that_is_not_running_gets_the_address_and_the_word_about_proxies(probe: Examine) -> None:
    address = f"http://127.0.0.1:{closed_port()}/"
    check = probe(SEARXNG_URL=address.replace("//", "//maria:a-secret@", 1)).one("probe.searxng")
    assert check["details"]["outcome"] == "network_error"
    assert f"SearXNG is running and that this machine reaches {address} (SEARXNG_URL)" in check["fix"]
    assert "HTTPS_PROXY" in check["fix"]
    assert "a-secret" not in json.dumps(check)


@pytest.mark.parametrize(("retry_after", "words"), [(90, "in 90 seconds"), (None, "in a minute")])
def test_a_rate_limit_says_when_to_try_again(point: Point, probe: Examine, retry_after: int | None, words: str) -> None:
    point("serper").serper.fails("429", retry_after=retry_after)
    assert probe().one("probe.serper")["fix"] == f"Run the probe again {words}."


def test_an_answer_without_a_result_is_a_warning(point: Point, probe: Examine) -> None:
    point("serper").serper.finds_nothing()
    found = probe()
    assert (found.code, found.one("probe.serper")["state"]) == (0, "warning")


def test_a_probe_counts_against_the_budget_and_a_spent_one_forbids_it(point: Point, probe: Examine) -> None:
    web = point("serper")
    first, second = probe(DOWSE_BUDGET_SERPER="1calls/day"), probe()
    assert first.one("probe.serper")["state"] == "ok"
    check = second.one("probe.serper")
    assert (check["state"], check["details"]["outcome"]) == ("problem", "quota_spent")
    assert check["fix"] == "Raise DOWSE_BUDGET_SERPER, or wait for its next period (UTC)."
    assert len(web.serper.requests) == 1


def test_offline_nothing_is_asked(point: Point, probe: Examine) -> None:
    web = point(*PROVIDERS)
    found = probe(DOWSE_OFFLINE="true")
    assert {found.one(f"probe.{provider}")["state"] for provider in PROVIDERS} == {"warning"}
    assert not any(double.requests for double in web.doubles)


def test_invalid_settings_do_not_keep_the_rest_from_being_probed(point: Point, probe: Examine) -> None:
    web = point("serper")
    found = probe(DOWSE_DEADLINE_S="soon")
    assert (found.code, found.one("probe.serper")["state"]) == (2, "ok")
    assert len(web.serper.requests) == 1


JWT = {"DOWSE_JWT_ISSUER": "https://issuer.example", "DOWSE_JWT_AUDIENCE": "dowse"}


@pytest.mark.parametrize(
    ("served", "state", "words"),
    [
        ('{"keys": [{"kty": "OKP"}, {"kty": "RSA"}]}', "ok", "keys: 2."),
        ('{"keys": []}', "problem", "with no key"),
        ('{"error": "who are you?"}', "problem", "something else than a set of keys"),
        ("<html>", "problem", "something else than a set of keys"),
        (None, "problem", "status 404"),
    ],
)
def test_the_keys_of_the_token_issuer_are_fetched(
    point: Point, probe: Examine, served: str | None, state: str, words: str
) -> None:
    web = point("serper")
    if served is not None:
        web.pages.serves("/jwks.json", served, content_type="application/json")
    found = probe(**JWT, DOWSE_JWKS_URL=web.page("/jwks.json"))
    check = found.one("probe.jwks")
    assert (check["state"], found.code) == (state, 0 if state == "ok" else 1)
    assert words in check["summary"]
    assert ("DOWSE_JWKS_URL" in check["fix"]) is (state != "ok")
    assert len(web.pages.requests) == 1


def test_an_issuer_that_cannot_be_reached_is_a_problem(point: Point, probe: Examine) -> None:
    point("serper")
    check = probe(**JWT, DOWSE_JWKS_URL=f"http://127.0.0.1:{closed_port()}/jwks.json").one("probe.jwks")
    assert check["state"] == "problem"
    assert check["summary"] == "The keys of https://issuer.example could not be fetched: no connection."


def test_progress_is_shown_at_a_terminal_and_goes_away(point: Point, monkeypatch: pytest.MonkeyPatch) -> None:
    point("serper", "exa")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    assert main(["doctor", "--probe"]) == 0
    steps = list(dict.fromkeys(re.findall(r"… \d+\.\d s  ([^\r]+)", stream.shown)))
    assert steps[0] == "probe: calling serper, exa"
    assert steps[1].startswith("probe: waiting for ")
    assert stream.shown.endswith("\r\x1b[K")
