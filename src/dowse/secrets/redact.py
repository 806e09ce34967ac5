"""Redaction of all output: no configured secret passes."""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, quote_plus

MASK = "[redacted]"
# Shorter ones are placeholders such as "test": masking those in page text would eat ordinary words.
_SHORTEST_KEY = 8
# The ends alone of longer ones reveal too much; upstreams report "your key sk-12****89".
_SHORTEST_WITH_ENDS, _END_CHARS = 16, 8
# Credentials from elsewhere, for instance in an upstream's error text.
_SHAPES = re.compile(
    r"(?i)\b(bearer\s+|authorization[\"']?\s*[:=]\s*[\"']?basic\s+"
    r"|x-api-key[\"']?\s*[:=]\s*[\"']?|api[_-]?key[\"']?\s*[:=]\s*[\"']?)([\w.~+/-]{8,}=*)"
    r"|(?<![\w-])(?:dowse_[\w-]{40,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
)

# Each such text has one of these marks: searching for them costs a tenth of matching the shapes.
_MARKS = ("bearer", "authorization", "api", "dowse_", "eyj")

_encode = json.JSONEncoder(default=str).encode
_encode_ascii = json.JSONEncoder(separators=(",", ":")).encode
_encode_unicode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode

_SCHEME = re.compile(r"(?i)^(?:bearer\s+|basic\s+|dowse_)")
_PERCENT = re.compile(r"%[0-9A-F]{2}")
_ALPHANUMERIC = re.compile(r"[^\W_]+")


class Redactor:
    """Masks secrets in text and in nested data, in the spellings in which they could be echoed."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        keys = set(filter(None, secrets))
        long = {form for key in keys if len(key) >= _SHORTEST_KEY for form in _forms(key)}
        self._everywhere = _AnyOf(long)
        self._in_json = _AnyOf(long | {json.dumps(form)[1:-1] for form in long})
        self._in_messages = _AnyOf({key for key in keys if len(key) < _SHORTEST_KEY}, whole_words=True)
        self._ends = _Ends(keys)

    def text(self, text: str, *, mask: str = MASK) -> str:
        """Redact an answer: known secrets are masked, and lone surrogates replaced."""
        if not text.isascii():
            # A lone surrogate, from a header or an API's JSON, would end the connection when it is written.
            text = text.encode("utf-8", "replace").decode()
        return self._everywhere.mask(text, mask)

    def places(self, text: str) -> list[tuple[int, int]]:
        """The spans that `text` masks."""
        return [found.span() for found in self._everywhere.find(text)]

    def message(self, text: str) -> str:
        """Redact a log or error message: also short secrets, ends of long ones, and shapes of credentials."""
        return _without_shapes(self._in_messages.mask(self._ends.mask(self.text(text)), MASK))

    def data(self, value: object) -> object:
        """Redact every string of a JSON-like value for an answer, like `text`."""
        # One search of the whole is much faster than one of each string, and nearly always enough.
        return value if self._is_clean(json.dumps(value)) else _map_strings(value, self.text)

    def json(self, value: object) -> bytes:
        """Encode a JSON-like value for an answer, with every string redacted like `text`."""
        ascii_json = _encode_ascii(value)
        if not self._is_clean(ascii_json):
            value = _map_strings(value, self.text)
        elif "\\u" not in ascii_json:
            return ascii_json.encode()
        return _encode_unicode(value).encode("utf-8", "replace")

    def fields(self, value: object) -> object:
        """Redact every string of a JSON-like value for the log, like `message`."""
        return _map_strings(value, self.message)

    def line(self, entry: dict[str, object]) -> str:
        """An event for the log as one line of JSON; values that are not JSON become text."""
        line = _encode(entry)
        # Without escapes the line holds the values as they are, so it can be searched as a whole.
        if "\\" not in line and line == self.message(line):
            return line
        # Masked in the values, so that a secret which looks like a number cannot break the line.
        return _without_shapes(json.dumps(self.fields(json.loads(line))))

    def _is_clean(self, ascii_json: str) -> bool:
        """Whether JSON holds no known secret, and no surrogate, lone or in a pair."""
        return "\\ud" not in ascii_json and not any(self._in_json.find(ascii_json))


def _without_shapes(text: str) -> str:
    folded = text.casefold()
    return _SHAPES.sub(rf"\1{MASK}", text) if any(map(folded.__contains__, _MARKS)) else text


def _map_strings(value: object, mask: Callable[[str], str]) -> object:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {mask(key): _map_strings(item, mask) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_map_strings(item, mask) for item in value]
    return value


class _AnyOf:
    """Matcher of several texts, the longest first; with `whole_words` only as separate words."""

    def __init__(self, forms: set[str], *, whole_words: bool = False) -> None:
        words = list(map(_escape_pattern, sorted(forms, key=len, reverse=True)))
        self._pattern = re.compile("|".join(rf"(?<!\w){word}(?!\w)" if whole_words else word for word in words))
        # Letters and digits are never escaped.
        self._cores = {max(_ALPHANUMERIC.findall(form), key=len, default="") for form in forms}

    def find(self, text: str) -> Iterator[re.Match[str]]:
        return self._pattern.finditer(text) if self._may_be_in(text) else iter(())

    def mask(self, text: str, mask: str) -> str:
        return self._pattern.sub(mask, text) if self._may_be_in(text) else text

    def _may_be_in(self, text: str) -> bool:
        # Costs a seventh of the pattern, and nearly always there is no match.
        return any(map(text.__contains__, self._cores))


def _escape_pattern(form: str) -> str:
    """A pattern of a text with optional escapes of its punctuation, as in Markdown, or Markdown in JSON."""
    return "".join(character if character.isalnum() else rf"\\{{0,2}}{re.escape(character)}" for character in form)


class _Ends:
    """Matcher of words that begin or end like a key. A scheme such as `Bearer` is not part of the key."""

    def __init__(self, keys: Iterable[str]) -> None:
        bare = {_SCHEME.sub("", key) for key in keys}
        long = [key for key in bare - _pairs(bare) if len(key) >= _SHORTEST_WITH_ENDS and not set(key) & set(" ;")]
        self._texts = {end for key in long for end in (key[:_END_CHARS], key[-_END_CHARS:])}
        heads = [re.escape(key[:_END_CHARS]) + r"[^\s\"'<>]*" for key in long]
        # Bounded, or each position of a long word would be matched to its end.
        tails = [r"[^\s\"'<>]{0,80}" + re.escape(key[-_END_CHARS:]) for key in long]
        self._pattern = re.compile("|".join(heads + tails))

    def mask(self, text: str) -> str:
        # Searching for the texts costs next to nothing, and nearly always there is no match.
        return self._pattern.sub(MASK, text) if any(map(text.__contains__, self._texts)) else text


def _pairs(keys: set[str]) -> set[str]:
    """Pairs of user and password: they do not begin with a secret, and the password is a key by itself."""
    return {key for key in keys for other in keys if other and key.endswith(f":{other}")}


def _forms(secret: str) -> set[str]:
    raw = secret.encode()
    plain, url_safe = base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode()
    spelled = {secret, secret[::-1], html.escape(secret), raw.hex(), raw.hex().upper()}
    spelled |= {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    percent = {quote(secret), quote(secret, safe=""), quote_plus(secret)}
    spelled |= percent | {_PERCENT.sub(lambda found: found[0].lower(), form) for form in percent}
    return spelled | {plain, plain.rstrip("="), url_safe, url_safe.rstrip("=")}
