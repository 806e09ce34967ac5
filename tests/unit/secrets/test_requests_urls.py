"""URLs that carry a secret are told from URLs that carry an identifier, whatever the secret looks like."""

import base64
import json

from dowse.core import urls
from dowse.secrets.requests import SecretUrls, place_of_secret
from tests.support.tables import each_row

SECRET = [
    "access_token",
    "api-key",
    "api_key",
    "api_secret",
    "apikey",
    "apisecret",
    "auth_token",
    "authorization",
    "bearer",
    "client_secret",
    "id_token",
    "jwt",
    "oauth_token",
    "ocp-apim-subscription-key",
    "passphrase",
    "passwd",
    "password",
    "private_key",
    "privatekey",
    "pwd",
    "refresh_token",
    "secret",
    "secret_key",
    "secretkey",
    "session_id",
    "session_token",
    "sessionid",
    "subscription-key",
    "x-amz-security-token",
    "x-amz-signature",
    "x-api-key",
    "x-goog-signature",
]
DOUBTFUL = ["access", "auth", "code", "credential", "credentials", "key", "sid", "sig", "signature", "token"]
HEX = "9f86d081884c7d659a2feaa0c55ad015"
MIXED = "kT9vXq2LmZ7rWc4Yb8Ns"
JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (
        json.dumps({"alg": "HS256", "typ": "JWT"}).encode(),
        json.dumps({"sub": "1234567890"}).encode(),
        b"s" * 32,
    )
)


def place(url: str) -> str:
    parsed = urls.parse(url)
    assert parsed is not None
    return place_of_secret(parsed)


@each_row(
    "value",
    [
        "sk-" + "a1B2c3D4" * 4,
        "sk-proj-" + "a1B2c3D4" * 4,
        "sk_live_" + "a1B2c3D4" * 3,
        "ghp_" + "a1B2c3D4" * 4 + "abcd",
        "github_pat_" + "a1B2c3D4_" * 5,
        "glpat-" + "a1B2c3D4" * 3,
        "AKIA" + "ABCD1234" * 2,
        "AIza" + "a1B2c" * 7,
        "xoxb-123456789012-abcdefghij",
        "tvly-dev-" + "a1B2c3D4" * 3,
        "hf_" + "a1B2c3D4" * 4,
        JWT,
    ],
)
@each_row("shape", ["https://e.org/?q={}", "https://e.org/a/{}/b", "https://e.org/x#t={}", "https://e.org/?{}={}"])
def test_a_key_that_says_what_it_is_is_found_anywhere(value: str, shape: str) -> None:
    url = shape.format(value) if shape.count("{}") == 1 else shape.format("v", value)
    assert place(url)


@each_row(
    ("query", "name"),
    [
        (f"api_key={HEX}", "api_key"),
        (f"x=1&ApiKey={HEX}", "ApiKey"),
        ("password=correct-horse", "password"),
        ("access_token=abcdefgh12", "access_token"),
        (f"X-Amz-Signature={HEX}{HEX}", "X-Amz-Signature"),
        (f"token={MIXED}", "token"),
        (f"key={HEX}", "key"),
        (f"client%5Fsecret={MIXED}", "client_secret"),
        (f"sig={MIXED}%2B%2F%3D", "sig"),
    ],
)
def test_a_parameter_with_a_secret_is_named(query: str, name: str) -> None:
    assert place(f"https://example.org/data?{query}") == f"the parameter {name!r}"


@each_row(
    "url",
    [
        "https://hooks.slack.com/services/T0ABCDEFG/B0ABCDEFG/aBcDeFgHiJkLmNoPqRsTuVwX",
        "https://discord.com/api/webhooks/123456789012345678/" + "aB3_" * 17,
        "https://api.telegram.org/bot123456789:" + "aB3_" * 9 + "/getMe",
    ],
)
def test_a_webhook_is_a_secret_in_the_shape_of_a_path(url: str) -> None:
    assert place(url) == "its path"


@each_row(
    "url",
    [
        "https://example.org/",
        "https://www.youtube.com/watch?v=dQw4w9WgXcQ&list=PLFgquLnL59alCl_2TQvOiD5Vgm1hCaGSI",
        "https://github.com/encode/httpx/commit/9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
        "https://en.wikipedia.org/wiki/API_key",
        "https://stackoverflow.com/questions/1/how-to-pass-access_token?noredirect=1",
        "https://example.org/docs?key=value",
        "https://example.org/docs?token=next",
        "https://example.org/api?api_key=YOUR_API_KEY",
        "https://example.org/api?access_token=<token>",
        "https://example.org/api?api_key=xxxxxxxxxxxx",
        "https://example.org/search?q=password+reset+token",
        "https://example.org/blog/2026-11-15/sk-learn-and-friends-a-comparison-of-tools",
        "https://news.example/article?code=spring-sale&hash=9f86d081884c7d659a2feaa0c55ad015",
        "https://e.org/?session=2026&sid=12345678901234567890",
        "https://e.org/map?key=berlin-hauptbahnhof-to-hamburg",
        "https://maps.example.org/?id=9f86d081-884c-7d65-9a2f-eaa0c55ad015",
        "https://e.org/path/eyJhbGciOiJIUzI1NiJ9",
    ],
)
def test_identifiers_and_talk_of_secrets_are_no_secrets(url: str) -> None:
    assert place(url) == ""


def test_the_objection_names_the_place_and_the_switch_and_never_the_value() -> None:
    said = SecretUrls().objection(f"https://example.org/?token={MIXED}")
    assert "'token'" in said
    assert "DOWSE_ALLOW_SECRET_URLS" in said
    assert MIXED not in said


def test_the_switch_lets_a_users_urls_through_but_never_the_servers_own_secrets() -> None:
    allowing = SecretUrls([MIXED], allowed=True)
    assert allowing.objection(f"https://example.org/?token={HEX}") == ""
    assert "own secrets" in allowing.objection(f"https://example.org/{MIXED}")
    assert "own secrets" in allowing.objection(f"https://example.org/?q=%6B{MIXED[1:]}")
    assert MIXED not in allowing.objection(f"https://example.org/{MIXED}")


def test_a_short_setting_is_no_secret_to_look_for() -> None:
    assert SecretUrls(["abcdefg"]).objection("https://example.org/abcdefg") == ""
    assert SecretUrls(["abcdefgh"]).objection("https://example.org/abcdefgh") != ""
    # Written as it is, although reading the plus as a blank would hide it.
    assert SecretUrls(["abc+defgh"]).objection("https://example.org/abc+defgh") != ""


def test_what_is_no_url_is_left_to_the_guard() -> None:
    assert SecretUrls().objection("not a url") == ""


# As long as `get_content` takes a URL, and made of beginnings of every long pattern.
HOSTILE = ("eyJ" * 2600, "sk-" * 2600, "xox" * 2600, "key=a1B2" * 1000)


@each_row("text", HOSTILE)
def test_beginnings_of_secrets_are_none(text: str) -> None:
    assert place(f"https://e.org/{text}?x={text}") == ""


@each_row("name", SECRET)
def test_a_parameter_of_this_name_holds_a_secret_from_four_characters_on(name: str) -> None:
    assert place(f"https://example.org/?{name}=abcd") == f"the parameter {name!r}"
    assert place(f"https://example.org/?{name}=abc") == ""


@each_row("name", DOUBTFUL)
def test_a_parameter_of_this_name_holds_a_secret_if_it_looks_drawn_by_lot(name: str) -> None:
    assert len(MIXED) == 20
    assert place(f"https://example.org/?{name}={MIXED}") == f"the parameter {name!r}"
    assert place(f"https://example.org/?{name}={MIXED.upper()}") == f"the parameter {name!r}"
    for harmless in (
        MIXED[:19],
        "spring-sale-in-berlin-and-hamburg",
        "2026111520261115202611",
        "aAbBaAbBaAbBaAbB1aAbB",
    ):
        assert place(f"https://example.org/?{name}={harmless}") == ""


@each_row("host", ["hooks.slack.com", "discord.com", "discordapp.com", "api.telegram.org"])
def test_other_paths_of_a_host_with_webhooks_are_ordinary(host: str) -> None:
    assert place(f"https://{host}/docs/webhooks") == ""


def test_the_same_webhook_is_one_under_its_older_name() -> None:
    assert place("https://discordapp.com/api/webhooks/123456789012345678/" + "aB3_" * 17) == "its path"
    assert place("https://discord.com.evil.example/api/webhooks/123456789012345678/" + "aB3_" * 17) == ""


def test_a_long_name_of_a_parameter_is_shortened() -> None:
    assert place(f"https://example.org/?{'n' * 60}=ghp_{'a1B2' * 9}") == f"the parameter {'n' * 40!r}"
