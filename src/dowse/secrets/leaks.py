"""Detection of secrets in free text, by shape, by name, or by the words around them.

A false positive costs a word of a query, a false negative leaks a key; queries about secrets must stay possible.
Imported on first use, since its patterns take a while to compile. They are bounded: the time is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dowse.secrets.credentials import (
    DOUBTFUL_NAMES,
    JSON_WEB_TOKEN,
    KEY,
    LEAST_PASSWORD,
    SECRET_NAMES,
    WEBHOOKS,
    is_placeholder,
    is_random,
    name_pattern,
)

# Secrets that are recognised in any place.
_WEBHOOK = re.compile("|".join(re.escape(host) + path.pattern for host, path in WEBHOOKS.items()), re.IGNORECASE)
_SHAPES = ((KEY, "an API key"), (JSON_WEB_TOKEN, "a token"), (_WEBHOOK, "the address of a webhook"))
_REST = re.compile(r"[A-Za-z0-9_+/=-]{0,4000}")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:"
    r"(?P<body>.{0,8000}?)-----END [A-Z0-9 ]{0,60}-----"
    # Truncated: as far as there is possible key material.
    r"|(?P<rest>.{0,8000}[A-Za-z0-9+/]{24}[A-Za-z0-9+/=]{0,80}))",
    re.DOTALL,
)
_KEY_MATERIAL = re.compile(r"[A-Za-z0-9+/]{16}")
_USERINFO = re.compile(
    # A port may be followed by an `@` too; that is no password.
    r"[a-z][a-z0-9+.-]{1,30}://(?P<both>(?P<user>[^\s/@:]{0,200})(?::(?!\d{1,5}[/?#])(?P<password>[^\s/]{1,200}))?)@",
    re.IGNORECASE,
)

# Names before a value. `id_token` is left out, since every "invalid token" ends with it.
_FURTHER_NAMES = {"access_key", "account_key", "encryption_key", "signing_key"}
_SIGN = r"[\"']?\s{0,3}(?P<sign>[:=]{1,2}>?)\s{0,3}"
_NAME = re.compile(f"(?:{name_pattern((SECRET_NAMES | _FURTHER_NAMES) - {'id_token'})}){_SIGN}", re.IGNORECASE)
_DOUBTFUL_NAME = re.compile(f"(?<![A-Za-z])(?:{name_pattern(DOUBTFUL_NAMES)}){_SIGN}", re.IGNORECASE)
_OPTION = re.compile(
    rf"--(?:[a-z]{{1,20}}-){{0,3}}(?:{name_pattern(SECRET_NAMES)}|token)\s{{1,3}}|(?<!\S)(?:-u|--user)\s{{1,3}}[^\s:]{{1,60}}:",
    re.IGNORECASE,
)
_HEADER = re.compile(r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:bearer|basic|token)\s{1,3}", re.IGNORECASE)
_BEARER = re.compile(r"(?<![A-Za-z])bearer\s{1,3}", re.IGNORECASE)
_VALUE = re.compile(r"""(?P<quote>["'])(?P<quoted>[^"']{1,300})(?P=quote)|["']?(?P<bare>[^\s"'&;,]{1,1000})""")
_DECORATION = ".,:!?)]}>`"
_LEAST_NUMBER = 6

# Words near a value that hint at a secret.
_LABEL = re.compile(
    r"(?<![A-Za-z])(?:api|auth|access|secret|private|client|session|bearer)?[ _-]?"
    r"(?:keys?|tokens?|secrets?|passwords?|passphrases?|credentials?)(?![A-Za-z])",
    re.IGNORECASE,
)
_DIRECTLY = re.compile(r"[\s:=\"'`]{0,4}(?:(?:is|was|of|the|my)[\s:]{1,3}){0,2}[\"'`(<]?$", re.IGNORECASE)
_NEAR_BEFORE, _NEAR_BEHIND = 40, 25
_WORD = re.compile(r"(?<![A-Za-z0-9_+/-])[A-Za-z0-9_+/-]{20,}={0,2}")
_HEX = re.compile(r"[0-9a-f]+|[0-9A-F]+")
# A public key, sums with the name of their method, an address of Ethereum, the first part of a JSON Web Token.
_PUBLIC = re.compile(r"AAAA[BCE]3NzaC1.*|sha\d{1,3}[-:].*|0x[0-9a-fA-F]{40}|eyJ[A-Za-z0-9_-]{1,60}", re.DOTALL)
_LEAST_PIECE = 16
_RUN = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
_LONGEST_RUN = 2.6  # characters, on average; words in CamelCase have more, random letters and digits have two
_AMAZON = re.compile(r"(?<![A-Za-z])(?:aws|amazon|s3|secret|AKIA[A-Z0-9]{16})(?![A-Za-z])", re.IGNORECASE)
_AMAZON_SECRET = re.compile(r"(?=[^a-z]{0,39}[a-z])(?=[^A-Z]{0,39}[A-Z])(?=[A-Za-z]{0,39}[0-9/+])[A-Za-z0-9/+]{40}")


@dataclass(frozen=True, slots=True, order=True)
class Leak:
    """Position and kind of a secret in a text."""

    start: int
    end: int
    kind: str


def find(text: str) -> list[Leak]:
    """All secrets in the order of the text; overlapping ones are merged."""
    leaks: list[Leak] = []
    for leak in sorted({*_find_shapes(text), *_find_userinfo(text), *_find_named(text), *_find_labelled(text)}):
        if leaks and leak.start < leaks[-1].end:
            leaks[-1] = Leak(leaks[-1].start, max(leak.end, leaks[-1].end), leaks[-1].kind)
        else:
            leaks.append(leak)
    return leaks


def _find_shapes(text: str) -> Iterator[Leak]:
    for pattern, kind in _SHAPES:
        for found in pattern.finditer(text):
            rest = _REST.match(text, found.end())
            yield Leak(found.start(), rest.end() if rest else found.end(), kind)
    yield from _find_private_keys(text)


def _find_private_keys(text: str) -> Iterator[Leak]:
    for found in _PRIVATE_KEY.finditer(text):
        # Without any, the text only quotes such lines.
        if _KEY_MATERIAL.search(found["body"] or found["rest"] or ""):
            yield Leak(*found.span(), "a private key")


def _find_userinfo(text: str) -> Iterator[Leak]:
    for found in _USERINFO.finditer(text):
        password = found["password"]
        if (password and not is_placeholder(password) and not is_harmless(password)) or is_random(found["user"]):
            yield Leak(*found.span("both"), "the password of an address")


def _find_named(text: str) -> Iterator[Leak]:
    """Values after the name of a secret field."""
    # Matching so many names takes longest, and few texts have a sign at all.
    for name, value in _values(_NAME, text) if ":" in text or "=" in text else ():
        if _is_password(value, is_assigned="=" in name["sign"]):
            yield _leak(value, "a password or key")
    for pattern, kind in ((_OPTION, "a password or key"), (_HEADER, "the credentials of a request")):
        yield from (_leak(value, kind) for _, value in _values(pattern, text) if _is_password(value))
    yield from _find_tokens(text)


def _find_tokens(text: str) -> Iterator[Leak]:
    """Random values after a name that may hold a secret."""
    for pattern in (_DOUBTFUL_NAME, _BEARER):
        for _, value in _values(pattern, text):
            if _is_random_key(value["quoted"] or value["bare"]):
                yield _leak(value, "a token")


def _find_labelled(text: str) -> Iterator[Leak]:
    """Long random values near a word that hints at a secret."""
    for found in _WORD.finditer(text):
        word, start, end = found[0], found.start(), found.end()
        before, behind = text[max(0, start - _NEAR_BEFORE) : start], text[end : end + _NEAR_BEHIND]
        if _AMAZON_SECRET.fullmatch(word) and _AMAZON.search(f"{before} {behind}"):
            yield Leak(start, end, "an API key")
        elif _is_random_key(word) and _is_labelled(word, before, behind):
            yield Leak(start, end, "a token")


def _values(name: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """Each name with the value after it; a value may hold the next name."""
    for found in name.finditer(text):
        if value := _VALUE.match(text, found.end()):
            yield found, value


def _leak(value: re.Match[str], kind: str) -> Leak:
    return Leak(*value.span("quoted" if value["quoted"] else "bare"), kind)


def _is_password(found: re.Match[str], *, is_assigned: bool = False) -> bool:
    """Whether a value may be a password; without assignment or quotes it may be a word of a sentence."""
    value = found["quoted"] or found["bare"].rstrip(_DECORATION)
    if len(value) < LEAST_PASSWORD or is_placeholder(value) or is_harmless(value):
        return False
    return is_assigned or bool(found["quoted"]) or _is_no_word(value)


def _is_no_word(value: str) -> bool:
    if value.isdigit():
        return len(value) >= _LEAST_NUMBER
    has_letter = any(map(str.isalpha, value))
    return has_letter and any(character.isdigit() or character in "@#$%^&*" for character in value)


def _is_random_key(value: str) -> bool:
    """Whether a part of a value is random; names of models and versions are mixed too, but of short parts or words."""
    if not is_random(value) or is_placeholder(value) or _PUBLIC.fullmatch(value):
        return False
    piece = max(re.findall("[A-Za-z0-9]+", value), key=len)
    return len(piece) >= _LEAST_PIECE and len(piece) / len(_RUN.findall(piece)) <= _LONGEST_RUN


def _is_labelled(word: str, before: str, behind: str) -> bool:
    labels = list(_LABEL.finditer(before))
    if not _HEX.fullmatch(word):
        return bool(labels or _LABEL.search(behind))
    # Checksums, revisions and fingerprints look the same: only a value called a key is one.
    return bool(labels and word.islower() and _DIRECTLY.match(before, labels[-1].end()))


_WORDS = frozenset(
    "none null nil undefined true false yes no on off str string int bytes bool object any text char varchar secretstr "
    "optional required empty blank value values default hidden prompt input env file vault bearer basic digest token "
    "tokens key keys apikey secret secrets password passwords passwd pass pwd passphrase mysecret mypassword "
    "mysecretpassword supersecret topsecret foo bar baz foobar test testing something whatever abcd "
    # Default passwords of manuals.
    "mypass admin root guest postgres minioadmin".split()
)
# Only the name of a secret: `db_password`, `access token here`.
_TALK_NAME = re.compile(
    rf"(?:[a-z]{{1,20}}[ _.-]){{0,4}}(?:{name_pattern(SECRET_NAMES | DOUBTFUL_NAMES)})(?:[ _.-][a-z]{{1,20}}){{0,3}}",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_.]{1,80}[(\[{].*|(?:[A-Za-z_]\w{0,40}\.){1,5}\w{1,40}\(.*"
    r"|(?:self|this|os|process|config|settings|env)\.[A-Za-z_].*",
    re.DOTALL,
)
_PLACE = re.compile(r"(?:[a-z]{1,10}:)?/.*|~/.*|\.{1,2}/.*|[a-z]:\\.*", re.DOTALL | re.IGNORECASE)
_METHOD = re.compile(
    r"(?:sha|aes|utf|base|rfc|scram)[-_]?[0-9]{1,4}(?:[-_]?[a-z]{1,6}){0,2}|md[45]|v[0-9]{1,3}"
    r"|oauth2|argon2(?:i|d|id)?|pbkdf2|k8s|x509|pkcs#?[0-9]{1,2}|bip-?[0-9]{1,3}",
    re.IGNORECASE,
)


def is_harmless(value: str) -> bool:
    """Whether a value in a text about secrets is a type, a name, a path or code, and no secret."""
    if value.casefold() in _WORDS:
        return True
    return any(pattern.fullmatch(value) for pattern in (_TALK_NAME, _CODE, _PLACE, _METHOD))
