"""Secrets that are easy to recognise, and everything that could bring one out: for acceptance case 34."""

from __future__ import annotations

import asyncio
import base64
import html
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, quote_plus

from dowse.auth.tokens import digest
from tests.doubles import PROVIDERS, PocketWeb

# Their first and last eight characters occur nowhere else, and between them they hold what encodings have to escape.
CANARIES = {
    "SERPER_API_KEY": "q7Zserpx41aa0c9e5d7b3f826cc1e0f29b5Wsrp88x",
    "EXA_API_KEY": "v8Kexa+Q/3s=Zr~?9wTn5&%20Lk_Hexa4u2k",
    "TAVILY_API_KEY": "tvQy-dev_J4mZ*4xTn2LkV9sRbW1cYh6JpD3fGvly7p",
    "SEARXNG_HEADERS_JSON": 'h3Dr-c5fa"1b90"-4a58-8c3f-e20d5a91hdr6k',
    "SEARXNG_URL": "pW9j@x4/m:2?7b#Rt-f81c0a6e5d39b7kPw5z",
    "DOWSE_TOKENS": "aL7cTk+9z/Q~w=&%2F3x?5b1e0d8f6aTkn4j",
}
# Known to us by its hash only, so it can be kept in but not masked.
FILE_TOKEN = "dowsF_j2Rw-8Yt5Uo1Ia_Sd4Fg7Hj0Kl3Zx6Cv9BnM2qWe8fT"
FILE_DIGEST = digest(FILE_TOKEN)
TOKENS_FILE = f'[ci]\nhash = "sha256:{FILE_DIGEST}"\n'
USER = "maria"
BASIC = base64.b64encode(f"{USER}:{CANARIES['SEARXNG_URL']}".encode()).decode()
# Short enough for what never answers, long enough for a busy machine, where the first call also imports aiohttp.
QUICK = {f"{provider.upper()}_TIMEOUT": "3s" for provider in PROVIDERS}


def spellings(secret: str) -> dict[str, str]:
    """The forms in which a secret could be recognised."""
    raw = secret.encode()
    return {
        "raw": secret,
        "base64": base64.b64encode(raw).decode().rstrip("="),
        "urlsafe base64": base64.urlsafe_b64encode(raw).decode().rstrip("="),
        "hex": raw.hex(),
        "url-encoded": quote(secret, safe=""),
        "form-encoded": quote_plus(secret),
        "reversed": secret[::-1],
        "JSON": json.dumps(secret)[1:-1],
        "JSON in JSON": json.dumps(json.dumps(secret)[1:-1])[1:-1],
        "HTML": html.escape(secret),
        "repr": repr(secret)[1:-1],
    }


def repeated(secret: str) -> list[str]:
    """How an upstream or a page may repeat a secret; the other spellings are for what we write ourselves."""
    forms = spellings(secret)
    ours = ("JSON", "JSON in JSON", "HTML", "repr")
    return [text for form, text in forms.items() if form not in ours]


def leaks(output: str) -> list[str]:
    """Which canaries can be found in a text, as what, and where."""
    found = []
    for name, secret in {**CANARIES, "token of the file": FILE_TOKEN, "hash of the file": FILE_DIGEST}.items():
        forms = spellings(secret) | {"first 8": secret[:8], "last 8": secret[-8:]}
        forms |= {"basic authentication": BASIC} if name == "SEARXNG_URL" else {}
        for form, text in forms.items():
            if (at := output.find(text)) >= 0:
                found.append(f"{name} as {form}: …{output[max(0, at - 60) : at + len(text) + 20]}…")
    return found


@dataclass(slots=True)
class Output:
    """Everything a process wrote, on both streams."""

    log: Path
    written: list[bytes] = field(default_factory=list)

    def leaks(self) -> list[str]:
        everything = b"\n".join([*self.written, self.log.read_bytes()])
        return leaks(everything.decode("utf-8", "replace"))


def settings(web: PocketWeb, first: str = "serper", **further: str) -> dict[str, str]:
    """All secrets are configured and everything is logged; one provider is asked before the others."""
    order = [first, *(provider for provider in PROVIDERS if provider != first)]
    address = web.page("/searxng").replace("//", f"//{USER}:{quote(CANARIES['SEARXNG_URL'], safe='')}@")
    return {
        **web.environment(*PROVIDERS),
        "SEARXNG_URL": address,
        "SEARXNG_HEADERS_JSON": json.dumps({"X-Gate": CANARIES["SEARXNG_HEADERS_JSON"]}),
        "DOWSE_TOKENS": f"alice:{CANARIES['DOWSE_TOKENS']}",
        "DOWSE_SEARCH_ORDER": ",".join(order),
        "DOWSE_LOG_LEVEL": "debug",
        "DOWSE_LOG_QUERIES": "true",
        **further,
    }


def all_that_could_be_said() -> list[str]:
    """What careless upstreams and hostile pages could repeat: every secret in every spelling."""
    return [*(text for secret in CANARIES.values() for text in repeated(secret)), f"Authorization: Basic {BASIC}"]


def how_a_key_is_named() -> list[str]:
    """What an upstream may say of a key without saying it: enough to recognise it by."""
    return [f"{secret[:8]}****, which ends with {secret[-8:]}" for secret in CANARIES.values()]


def calls_with(secret: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Arguments in which a model repeats a key it has seen somewhere."""
    yield "web_search", {"query": secret, "fetch_content": False}
    yield "web_search", {"query": "x", "num_results": secret}
    yield "web_search", {"query": "x", "language": secret}
    yield "web_search", {"query": "x", "include_domains": [secret]}
    yield "web_search", {"query": "x", "start_date": secret}
    yield "web_search", {"query": "x", secret: True, "offline_mode": True}
    yield "web_search", {"query": "x", secret: True, "fetch_content": False}
    yield "get_content", {"url": secret}
    yield "get_content", {"url": f"https://nowhere.invalid/?k={quote(secret, safe='')}"}
    yield "get_content", {"url": f"https://{USER}:{quote(secret, safe='')}@nowhere.invalid/"}
    yield secret, {}


async def run(output: Output, environment: Mapping[str, str], *command: str) -> int:
    """Run a command to its end and keep what it writes."""
    process = await asyncio.create_subprocess_exec(
        *command,
        env=dict(environment),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    output.written += await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode is not None
    return process.returncode


SECRET_URL = f"{USER}:{quote(CANARIES['SEARXNG_URL'], safe='')}@search.example/searxng"
BAD_SETTINGS: list[dict[str, str]] = [
    {"DOWSE_TOKENS": CANARIES["DOWSE_TOKENS"]},
    {"DOWSE_TOKENS": f"alice:{CANARIES['DOWSE_TOKENS']},bob:{CANARIES['DOWSE_TOKENS']}"},
    {"DOWSE_STATE": f"mysql://{USER}:{CANARIES['SEARXNG_URL']}"},
    {"DOWSE_DEADLINE_S": "soon"},
    {"DOWSE_SEARCH_ORDER": "serper,nobody"},
    {"SERPER_SEARCH_ENDPOINT": "serper.example"},
    {"SEARXNG_HEADERS_JSON": f'{{"X-Gate": "{CANARIES["SEARXNG_HEADERS_JSON"]}"'},
    {"SEARXNG_HEADERS_JSON": json.dumps({"X-Gate": f"{CANARIES['SEARXNG_HEADERS_JSON']}\r\nX: y"})},
    {"SEARXNG_HEADERS_JSON": json.dumps([CANARIES["SEARXNG_HEADERS_JSON"]])},
    {"SEARXNG_URL": f"ftp://{SECRET_URL}"},
    {"SEARXNG_URL": f"https//{SECRET_URL}"},
]
TOML = [
    f'serper_api_key = "{CANARIES["SERPER_API_KEY"]}\n',
    f'serper_api_key = ["{CANARIES["SERPER_API_KEY"]}"]\ndeadline_s = "soon"\n',
    f'serper_api_kye = "{CANARIES["SERPER_API_KEY"]}"\ndeadline_s = "soon"\n',
    f'searxng_url = "ftp://{SECRET_URL}"\n',
    f'[searxng_headers_json]\nX-Gate = "{CANARIES["SEARXNG_HEADERS_JSON"]}"\n[[broken\n',
]
