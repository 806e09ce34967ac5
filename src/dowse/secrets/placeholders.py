"""Values that stand where a secret would be: in questions, in templates and in code."""

from __future__ import annotations

import re

from dowse.secrets.credentials import DOUBTFUL_NAMES, SECRET_NAMES, spelled

_WORDS = frozenset(
    "none null nil undefined true false yes no on off str string int bytes bool object any text char varchar secretstr "
    "optional required empty blank value values default hidden prompt input env file vault bearer basic digest token "
    "tokens key keys apikey secret secrets password passwords passwd pass pwd passphrase mysecret mypassword "
    "mysecretpassword supersecret topsecret foo bar baz foobar test testing something whatever abcd "
    # What everybody knows, as it is in the manuals.
    "mypass admin root guest postgres minioadmin".split()
)
# What the secret is called, and no more: `db_password`, `access token here`.
_NAME = re.compile(
    rf"(?:[a-z]{{1,20}}[ _.-]){{0,4}}(?:{spelled(SECRET_NAMES | DOUBTFUL_NAMES)})(?:[ _.-][a-z]{{1,20}}){{0,3}}",
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


def is_talk(value: str) -> bool:
    """Whether a value, in a text about secrets, is a type, a name, a path, a piece of code: anything but a secret."""
    if value.casefold() in _WORDS:
        return True
    return any(pattern.fullmatch(value) for pattern in (_NAME, _CODE, _PLACE, _METHOD))
