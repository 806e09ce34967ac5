"""Patterns of secrets: API keys by prefix, names of secret fields, and random values."""

from __future__ import annotations

import math
import re
from collections import Counter

# API keys with a known prefix. Each begins at a boundary, so that a word with these letters inside is none.
KEY = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk-(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])[\w-]{20,200}    # OpenAI, Anthropic; not `sk-learn-and-friends`
    | sk-or-v1-[a-f0-9]{40,100}
    | [srp]k_(?:live|test)_[A-Za-z0-9]{16,200} | whsec_[A-Za-z0-9]{24,100}                 # Stripe
    | gh[pousr]_[A-Za-z0-9]{30,255} | github_pat_[A-Za-z0-9_]{30,255}
    | glpat-[A-Za-z0-9_-]{20,200} | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{50,255} | dckr_pat_[A-Za-z0-9_-]{20,100}
    | (?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])                # AWS
    | AIza[A-Za-z0-9_-]{35} | ya29\.[A-Za-z0-9_-]{20,255} | GOCSPX-[A-Za-z0-9_-]{20,100}   # Google
    | xox[abeoprs]-[A-Za-z0-9-]{10,255} | xapp-[A-Za-z0-9-]{10,255}                        # Slack
    | tvly-[A-Za-z0-9-]{16,200} | hf_[A-Za-z0-9]{30,100} | dop_v1_[a-f0-9]{40,100} | fc-[a-f0-9]{32}(?![a-f0-9])
    | gsk_[A-Za-z0-9]{40,100} | pplx-[A-Za-z0-9]{40,100} | xai-[A-Za-z0-9]{60,120}         # Groq, Perplexity, xAI
    | hvs\.[A-Za-z0-9_-]{24,200} | shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32} | AGE-SECRET-KEY-1[A-Z0-9]{50,70}
    | dowse_[A-Za-z0-9_-]{40,100} | [0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])       # Telegram's bots
    | b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{20,4000}              # a private key of OpenSSH without its first line
    | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,100}         # SendGrid
    )""",
    re.VERBOSE,
)
JSON_WEB_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])eyJ[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{8,2000}"
)
BLOCK = "-----BEGIN "
"""Beginning of PEM files."""
# The path of a webhook is a secret.
WEBHOOKS = {
    "hooks.slack.com": re.compile(r"/services/T[A-Z0-9]{4,20}/B[A-Z0-9]{4,20}/[A-Za-z0-9]{16,64}"),
    "discord.com": re.compile(r"/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,100}"),
    "discordapp.com": re.compile(r"/api/webhooks/\d{10,25}/[A-Za-z0-9_-]{30,100}"),
    "api.telegram.org": re.compile(r"/bot\d{6,12}:[A-Za-z0-9_-]{30,50}"),
}
# Any value of these names is a secret: passwords may be short.
SECRET_NAMES = frozenset(
    (
        *("access_token", "auth_token", "refresh_token", "id_token", "session_token", "oauth_token", "bearer", "jwt"),
        *("api_key", "apikey", "api-key", "x-api-key", "subscription-key", "ocp-apim-subscription-key"),
        *("secret", "secret_key", "secretkey", "api_secret", "apisecret", "client_secret", "private_key", "privatekey"),
        *("password", "passwd", "pwd", "passphrase", "sessionid", "session_id", "authorization"),
        *("x-amz-signature", "x-amz-security-token", "x-goog-signature"),
    )
)
# Names with secret and harmless values: here the value decides.
DOUBTFUL_NAMES = frozenset(
    ("token", "key", "auth", "code", "sig", "signature", "credential", "credentials", "access", "sid")
)
LEAST_PASSWORD = 4
"""Minimum length of a password."""
_LEAST_RANDOM = 20
_LEAST_ENTROPY = 3.3  # bits a character: words and dates are below, random letters and digits above
_PLACEHOLDER = re.compile(
    r"""[<{\[(].*                     # <token>, {token}, {{ token }}
    | \$(?:[{(].*|[A-Za-z_]+)         # ${TOKEN}, $(pass show token), $token
    | %(?:[({].*|[A-Za-z_]+%?)        # %(token)s, %TOKEN%
    | [\W_]+ | (.)\1*                 # ****, ..., 0000
    | .*(?:your|example|placeholder|redacted|change.?(?:me|it)|replace.?me|insert|dummy|x{4}|\*{3}|\.{3}|…).*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)


def is_placeholder(value: str) -> bool:
    """Whether a value is a placeholder for a secret."""
    return bool(_PLACEHOLDER.fullmatch(value))


def is_random(value: str) -> bool:
    """Whether a value looks random: long, of mixed letters and digits, and with high entropy."""
    if len(value) < _LEAST_RANDOM or not value.isascii() or " " in value:
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    counts = Counter(value)
    entropy = -sum(count / len(value) * math.log2(count / len(value)) for count in counts.values())
    return kinds >= 2 and entropy >= _LEAST_ENTROPY


def name_pattern(names: frozenset[str]) -> str:
    """A pattern of names with any separator or none between their parts: `api_key`, `apiKey`, `API key`."""
    return "|".join(sorted({re.sub("[_-]", "[ _-]?", name) for name in names}))
