"""Kinds of values that settings take: how each is parsed, and the words that describe it."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Annotated, Literal
from urllib.parse import parse_qsl, unquote, urlsplit

from pydantic import AfterValidator, BeforeValidator, SecretStr

from dowse.core import urls
from dowse.core.allowances import Budget, Pace, Rate
from dowse.settings.declare import Takes

_TRUE, _FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?", re.IGNORECASE | re.ASCII)
_LINE_ENDS = re.compile("[\r\n\0]")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*(b|kb|mb|gb)?", re.IGNORECASE | re.ASCII)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_BYTES = {"b": 1, "kb": 1000, "mb": 1000**2, "gb": 1000**3}
_LEVELS = {"trace": "debug", "notice": "info", "warn": "warning", "critical": "error", "fatal": "error"}
_RATE = re.compile(r"([1-9]\d{0,8}) */ *(\d{0,9}) *(s|m|h|d|)", re.IGNORECASE | re.ASCII)
_BUDGET = re.compile(r"(\d{1,9}(?:\.\d+)?)\s*(calls?|usd)\s*/\s*(day|month)", re.IGNORECASE | re.ASCII)
_TOKEN = re.compile(r"([A-Za-z0-9][A-Za-z0-9_.-]{0,63}):([!-+\--~]+)")  # no blank, no comma
_STATE = re.compile(r"|memory:|sqlite:///.+")
# A password has to stand where masking looks for it, so these take no stray marks before the host.
_USER = r"(?:[^\s:/?#@]{0,256}:[^\s/?#@]{1,4096}@)?"
_HOST = r"[\w.-]{1,253}(?::\d{1,5})?"
_HOSTS = rf"{_HOST}(?:,{_HOST}){{0,63}}"
_REDIS = re.compile(
    r"(?:(?:redis|valkey)s?(?:"
    rf"://{_USER}(?:{_HOST}|\[[0-9A-Fa-f:.]{{2,45}}\](?::\d{{1,5}})?)(?:/\d{{0,4}})?"
    rf"|\+cluster://{_USER}{_HOSTS}(?:/0?)?"
    rf"|\+sentinel://{_USER}{_HOSTS}/[\w.-]{{1,128}}(?:/\d{{1,4}})?)"
    rf"|(?:redis|valkey)\+unix://{_USER}/[^\s?#]{{1,255}})"
    r"(?:\?(?P<options>[^\s#]{1,9999}))?",
    re.ASCII,
)
_REDIS_OPTIONS = {"unix": {"db": r"\d{1,4}"}, "sentinel": {"sentinel_auth": "true|false"}}
_TLS_OPTIONS = {
    **dict.fromkeys(("ssl_ca_certs", "ssl_certfile", "ssl_keyfile"), ".+"),
    "ssl_cert_reqs": "required|none",
    "ssl_check_hostname": "true|false",
}
_AT_ONCE = re.compile(r"0*([1-9]\d{0,4}) at once", re.ASCII)
_LONGEST_PAUSE_MS = 60_000
_NAT64_LENGTHS = (32, 40, 48, 56, 64, 96)  # RFC 6052
# A host with `*` for the labels at an end, and the beginning of a path.
_SITE = re.compile(r"(?:\*\.)?[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,20}(?:\.\*)?(?:/[^\s,*]{0,200})?", re.ASCII)
_PROXY = re.compile(
    r"(?:https?|socks5h?)://(?:[^\s/?#@]*@)?(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?/?",
    re.ASCII | re.IGNORECASE,
)
_LONGEST_CREDENTIAL = 255
_LANGUAGE = re.compile(r"[a-z]{2}(-[A-Z]{2})?")


def _flag(value: object) -> bool:
    text = str(value).strip().lower()
    if text not in _TRUE + _FALSE:
        raise ValueError
    return text in _TRUE


def _parser(pattern: re.Pattern[str], units: Mapping[str, float], unit: str) -> Callable[[object], float]:
    """A parser of numbers with a unit, which may be left out."""
    return lambda value: _read_amount(value, pattern, units, unit)


def _read_amount(value: object, pattern: re.Pattern[str], units: Mapping[str, float], unit: str) -> float:
    match = pattern.fullmatch(str(value).strip())
    if not match or float(match[1]) <= 0:
        raise ValueError
    return float(match[1]) * units[(match[2] or unit).lower()]


duration = _parser(_DURATION, _SECONDS, "s")


def _pause(value: object) -> float:
    return 0.0 if str(value).strip() in ("0", "0s", "0ms", "0.0") else duration(value)


def _factor(value: object) -> float:
    factor = float(str(value))
    if not 1 <= factor <= 20:
        raise ValueError
    return factor


def _temperature(value: object) -> float:
    temperature = float(str(value))
    if not 0 <= temperature <= 2:
        raise ValueError
    return temperature


def _on_off_or(further: str) -> BeforeValidator:
    return BeforeValidator(lambda value: _read_on_off(str(value).strip().lower(), further))


def _read_on_off(text: str, further: str) -> str:
    return text if text == further else "on" if _flag(text) else "off"


def _delays(value: object) -> tuple[float, float]:
    """Milliseconds as they are written; seconds inside."""
    if isinstance(value, tuple):
        return value
    low, high = map(int, str(value).strip().strip("[]").split(","))
    if not 0 <= low <= high <= _LONGEST_PAUSE_MS:
        raise ValueError
    return low / 1000, high / 1000


def _size(value: object) -> int:
    size = int(_parser(_SIZE, _BYTES, "b")(value))
    if not size:
        raise ValueError
    return size


def _parts(value: object) -> list[str]:
    """The parts of a list with commas, without empty ones."""
    return list(filter(None, map(str.strip, str(value).split(","))))


def _names(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str.lower, _parts(value))))


def http_url(value: str) -> str:
    """An address that `net` can reach."""
    if urls.parse_web(value) is None:
        raise ValueError
    return value.strip()


def _http_urls(value: object) -> tuple[str, ...]:
    addresses = tuple(dict.fromkeys(map(http_url, value if isinstance(value, tuple) else _parts(value))))
    if not addresses:
        raise ValueError
    return addresses


def _browser_url(value: SecretStr) -> SecretStr:
    parsed = urls.parse(value.get_secret_value())
    if parsed is None or parsed.scheme not in ("http", "https", "ws", "wss"):
        raise ValueError
    return value


def _proxy_url(value: SecretStr) -> SecretStr:
    parts = urlsplit(value.get_secret_value())
    # Reading a port that is too large raises `ValueError`.
    if not _PROXY.fullmatch(value.get_secret_value()) or parts.port == 0:
        raise ValueError
    secrets = [unquote(part or "").encode() for part in (parts.username, parts.password)]
    # The lengths of SOCKS5 are one byte each, and a colon would end the user of basic authentication.
    if any(len(part) > _LONGEST_CREDENTIAL for part in secrets) or b":" in secrets[0]:
        raise ValueError
    return value


def headers(value: object) -> dict[str, str]:
    """A JSON object of strings that fit into HTTP headers."""
    parsed = json.loads(value) if isinstance(value, str) else value
    if not isinstance(parsed, dict) or not all(isinstance(item, str) for item in parsed.values()):
        raise ValueError
    if _LINE_ENDS.search("".join(chain.from_iterable(parsed.items()))):
        raise ValueError
    return parsed


def _sites(value: object) -> tuple[str, ...]:
    patterns = _names(value)
    # One label alone is a typing mistake more often than all of `.com`.
    if not all(_SITE.fullmatch(pattern) and "." in pattern.partition("/")[0] for pattern in patterns):
        raise ValueError
    return patterns


def _host_ports(value: object) -> tuple[str, ...]:
    pairs = _names(value)
    for pair in pairs:
        parsed = urls.parse(f"http://{pair}/")
        port = pair.rpartition(":")[2]
        # Exact pairs only: a wildcard or a network would be believed to open more than it does.
        is_pair = parsed is not None and f"{parsed.host}:{port}" == pair and port.isdecimal() and int(port) > 0
        if not is_pair or "*" in pair:
            raise ValueError
    return pairs


def _level(value: object) -> str:
    text = str(value).strip().lower()
    return _LEVELS.get(text, text)


def _language(value: str) -> str:
    if value and not _LANGUAGE.fullmatch(value):
        raise ValueError
    return value


def rate(value: object) -> Rate:
    """`20/10m` is 20 calls in ten minutes; `20/m` is 20 in one."""
    if isinstance(value, Rate):
        return value
    match = _RATE.fullmatch(str(value).strip())
    if not match or not match[2] + match[3] or not int(match[2] or 1):
        raise ValueError
    return Rate(int(match[1]), int(match[2] or 1) * _SECONDS[match[3].lower() or "s"])


def pace(value: object) -> Pace:
    """`100/m`, `4 at once`, both separated by a comma, or `off`."""
    if isinstance(value, Pace):
        return value
    text = str(value).strip().lower()
    if text in ("off", "none", "false"):
        return Pace()
    parts = text.split(",")
    rates = [rate(part) for part in parts if "/" in part]
    crowds = [_at_once(part) for part in parts if "/" not in part]
    if max(len(rates), len(crowds)) > 1:
        raise ValueError
    return Pace(next(iter(rates), None), next(iter(crowds), None))


def _at_once(text: str) -> int:
    match = _AT_ONCE.fullmatch(text.strip())
    if not match:
        raise ValueError
    return int(match[1])


def budget(value: object) -> Budget:
    if isinstance(value, Budget):
        return value
    match = _BUDGET.fullmatch(str(value).strip())
    if not match:
        raise ValueError
    amount, is_money, by_month = float(match[1]), match[2].lower() == "usd", match[3].lower() == "month"
    if not amount or not (is_money or amount.is_integer()):
        raise ValueError
    return Budget(amount, "usd" if is_money else "calls", "month" if by_month else "day")


def _tokens(value: object) -> dict[str, SecretStr]:
    parts = _parts(value)
    tokens = {pair[1]: pair[2] for pair in map(_TOKEN.fullmatch, parts) if pair}
    # Two principals with one name or one token could not be told apart.
    if len(set(tokens.values())) != len(parts):
        raise ValueError
    return {name: SecretStr(token) for name, token in tokens.items()}


def _networks(value: object) -> tuple[str, ...]:
    return tuple(str(ipaddress.ip_network(part, strict=False)) for part in _names(value))


def _nat64(value: object) -> tuple[str, ...]:
    prefixes = list(map(ipaddress.IPv6Network, _names(value)))
    if any(prefix.prefixlen not in _NAT64_LENGTHS for prefix in prefixes):
        raise ValueError
    return tuple(map(str, prefixes))


def _hosts(value: object) -> tuple[str, ...]:
    hosts = _names(value)
    for host in hosts:
        parsed = urls.parse(f"http://{host}/")
        if parsed is None or not _is_authority(host, parsed):
            raise ValueError
    return hosts


def _origins(value: object) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_origin(each.rstrip("/")) for each in _names(value)))


def _origin(text: str) -> str:
    """An origin as a browser writes it, which leaves the default port out."""
    parsed = urls.parse(text)
    scheme, _, authority = text.partition("://")
    if parsed is None or scheme not in ("http", "https") or not _is_authority(authority, parsed):
        raise ValueError
    return parsed.href.removesuffix("/")


def _is_authority(text: str, parsed: urls.Url) -> bool:
    """Whether the text is the host that was parsed, with a port or without, in the one spelling it has."""
    # Exact names only: a wildcard would be believed to open more than it does.
    return "*" not in text and text in (parsed.host, f"{parsed.host}:{parsed.port}")


def _state(value: str) -> str:
    redis = _REDIS.fullmatch(value)
    if redis:
        _check_redis(value, redis["options"] or "")
    elif not _STATE.fullmatch(value):
        raise ValueError
    return value


def _check_redis(address: str, options: str) -> None:
    hosts = urlsplit(address).netloc.rpartition("@")[2].split(",")
    # Reading a port that is too large raises `ValueError`.
    if any(urlsplit(f"//{host}").port == 0 for host in hosts):
        raise ValueError
    scheme, _, kind = address.partition(":")[0].partition("+")
    # Options of TLS are refused where TLS is off: they would suggest a protection that is not there.
    known = _REDIS_OPTIONS.get(kind, {}) | (_TLS_OPTIONS if scheme in ("rediss", "valkeys") else {})
    given = parse_qsl(options, strict_parsing=True) if options else []
    if not all(name in known and re.fullmatch(known[name], option) for name, option in given):
        raise ValueError


Flag = Annotated[bool, BeforeValidator(_flag), Takes("true or false")]
OnOff = Annotated[bool, BeforeValidator(_flag), Takes("on or off")]
Duration = Annotated[float, BeforeValidator(duration), Takes("a duration above zero such as 15s, 500ms or 15")]
Pause = Annotated[float, BeforeValidator(_pause), Takes("a duration such as 500ms or 2, or 0 for none")]
Ttl = Annotated[float, BeforeValidator(_pause), Takes("a duration such as 30s, 5m or 24h, or 0 for not at all")]
Factor = Annotated[float, BeforeValidator(_factor), Takes("a number from 1 to 20")]
Temperature = Annotated[float, BeforeValidator(_temperature), Takes("a number from 0 to 2")]
OnOffAuto = Annotated[Literal["auto", "on", "off"], _on_off_or("auto"), Takes("auto, on or off")]
OnOffFallback = Annotated[Literal["on", "off", "fallback"], _on_off_or("fallback"), Takes("on, off or fallback")]
OnOffAll = Annotated[Literal["on", "off", "all"], _on_off_or("all"), Takes("on, off or all")]
DelayRange = Annotated[
    tuple[float, float], BeforeValidator(_delays), Takes("two numbers of milliseconds such as 100,500")
]
Size = Annotated[int, BeforeValidator(_size), Takes("a size such as 5MB or 500kB, up to 50MB")]
CacheSize = Annotated[int, BeforeValidator(_size), Takes("a size from 1MB to 100GB such as 256MB")]
Names = Annotated[tuple[str, ...], BeforeValidator(_names), Takes("names separated by commas")]
HttpUrl = Annotated[str, AfterValidator(http_url), Takes("an address that starts with http:// or https://")]
HttpUrls = Annotated[
    tuple[str, ...],
    BeforeValidator(_http_urls),
    Takes("an address that starts with http:// or https://, or several separated by commas"),
]
BrowserUrl = Annotated[
    SecretStr, AfterValidator(_browser_url), Takes("an address that starts with ws://, wss://, http:// or https://")
]
ProxyUrl = Annotated[
    SecretStr,
    AfterValidator(_proxy_url),
    Takes("an address such as http://HOST:PORT, https://USER:PASSWORD@HOST:PORT or socks5://HOST:PORT"),
]
Headers = Annotated[
    dict[str, SecretStr], BeforeValidator(headers), Takes('a JSON object of strings such as {"X-Key": "value"}')
]
HostPorts = Annotated[tuple[str, ...], BeforeValidator(_host_ports), Takes("exact host:port pairs separated by commas")]
Level = Annotated[
    Literal["debug", "info", "warning", "error"], BeforeValidator(_level), Takes("one of debug, info, warning, error")
]
SafeSearch = Annotated[Literal["", "0", "1", "2"], BeforeValidator(str), Takes("0 (off), 1 (moderate) or 2 (strict)")]
Language = Annotated[str, AfterValidator(_language), Takes("a language such as en or pt-BR")]
RateLimit = Annotated[Rate, BeforeValidator(rate), Takes("calls per time such as 20/10m or 100/h")]
ProviderPace = Annotated[
    Pace, BeforeValidator(pace), Takes("calls per time such as 5/s, a number such as `4 at once`, both, or off")
]
ProviderBudget = Annotated[
    Budget, BeforeValidator(budget), Takes("an amount per day or month such as 500calls/month or 5usd/month")
]
Tokens = Annotated[
    dict[str, SecretStr], BeforeValidator(_tokens), Takes("name:token pairs separated by commas, each different")
]
Networks = Annotated[
    tuple[str, ...], BeforeValidator(_networks), Takes("addresses or networks such as 10.0.0.0/8, separated by commas")
]
Nat64Prefixes = Annotated[
    tuple[str, ...], BeforeValidator(_nat64), Takes("IPv6 prefixes such as 2001:db8:64::/96, separated by commas")
]
Hosts = Annotated[
    tuple[str, ...], BeforeValidator(_hosts), Takes("host names such as search.example.org, separated by commas")
]
Origins = Annotated[
    tuple[str, ...], BeforeValidator(_origins), Takes("origins such as https://app.example.org, separated by commas")
]
SitePatterns = Annotated[
    tuple[str, ...],
    BeforeValidator(_sites),
    Takes("sites such as python.org, *.gov, docs.* or github.com/spam, separated by commas"),
]
State = Annotated[
    str,
    AfterValidator(_state),
    Takes(
        "sqlite:///PATH, memory: or the address of a Redis or Valkey such as redis://HOST:6379/0, rediss:// for TLS, "
        "redis+sentinel://HOST,HOST/SERVICE or redis+cluster://HOST,HOST"
    ),
]
