"""JSON Web Tokens: the issuer's signature for our audience, now, or nobody."""

from __future__ import annotations

import base64
import json

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from pydantic import SecretStr

from dowse.auth.authenticator import BearerAuthenticator, TokenBook
from dowse.auth.jwt import Jwks, JwtVerifier, label
from dowse.core.models import Principal
from tests.fakes import FakeClock
from tests.fakes.issuer import AUDIENCE, ISSUER, In, Issuer, at, private_key, published
from tests.support.tables import each_row


@pytest.fixture
def verifier(jwks: Jwks) -> JwtVerifier:
    return JwtVerifier(ISSUER, AUDIENCE, jwks)


def segment(value: object) -> str:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def forged(header: object, claims: object | None = None, signature: bytes = b"x") -> str:
    """A token put together by hand, because the library would not make it."""
    good = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": at(In(300))}
    return f"{segment(header)}.{segment(good if claims is None else claims)}.{segment(signature)}"


@pytest.mark.parametrize(
    ("key", "alg"), [("rsa", "RS256"), ("rsa", "RS512"), ("rsa", "PS256"), ("ec", "ES256"), ("ed", "EdDSA")]
)
async def test_a_good_token_names_its_subject(verifier: JwtVerifier, issuer: Issuer, key: str, alg: str) -> None:
    issuer.keys = [published("rsa"), published("ec"), published("ed")]
    assert await verifier.principal(issuer.token(key=key, alg=alg)) == Principal("jwt:ada")


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": In(-10)},  # within the leeway
        {"nbf": In(10)},
        {"nbf": In(-10)},
        {"aud": ["https://other.example", AUDIENCE]},
        {"iat": None},
    ],
)
async def test_what_is_right_in_another_way_is_right(
    verifier: JwtVerifier, issuer: Issuer, claims: dict[str, object]
) -> None:
    assert await verifier.principal(issuer.token(**claims)) == Principal("jwt:ada")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example/"},
        {"iss": ISSUER.rstrip("/")},
        {"iss": None},
        {"iss": [ISSUER]},
        {"aud": "https://other.example/"},
        {"aud": AUDIENCE + "/"},
        {"aud": []},
        {"aud": None},
        {"exp": In(-60)},
        {"exp": None},
        {"exp": "never"},
        {"exp": float("inf")},
        {"nbf": In(300)},
        {"nbf": "soon"},
        {"sub": None},
        {"sub": ""},
    ],
)
async def test_a_claim_that_is_wrong_or_missing_admits_no_caller(
    verifier: JwtVerifier, issuer: Issuer, claims: dict[str, object]
) -> None:
    assert await verifier.principal(issuer.token()) is not None
    assert await verifier.principal(issuer.token(**claims)) is None


async def test_the_algorithm_is_not_the_tokens_to_choose(verifier: JwtVerifier, issuer: Issuer) -> None:
    assert await verifier.principal(issuer.token()) is not None
    public = private_key("rsa").public_key()
    pem = public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": at(In(300))}
    hmac = jwt.get_algorithm_by_name("HS256")
    signed = f"{segment({'alg': 'HS256', 'kid': 'rsa'})}.{segment(claims)}"
    with_public_key = f"{signed}.{segment(hmac.sign(signed.encode(), pem))}"
    issuer.keys.append({"kty": "oct", "kid": "secret", "k": segment(b"0" * 32)})
    for token in (
        with_public_key,
        jwt.encode(claims, b"0" * 32, "HS256", {"kid": "secret"}),
        jwt.encode(claims, None, "none", {"kid": "rsa"}),
        forged({"alg": "none", "kid": "rsa"}, signature=b""),
        forged({"alg": "NONE", "kid": "rsa"}, signature=b""),
        forged({"alg": ["RS256"], "kid": "rsa"}),
        forged({"alg": None, "kid": "rsa"}),
        forged({"kid": "rsa"}),
        forged({"alg": "ES256", "kid": "rsa"}),
        forged({"alg": "ES256K", "kid": "rsa"}),
    ):
        assert await verifier.principal(token) is None


async def test_a_changed_token_is_not_the_issuers(verifier: JwtVerifier, issuer: Issuer) -> None:
    good = issuer.token()
    header, payload, signature = good.split(".")
    claims = json.loads(base64.urlsafe_b64decode(payload + "=="))
    other = {**claims, "sub": "root"}
    assert await verifier.principal(good) is not None
    for token in (
        f"{header}.{segment(other)}.{signature}",
        f"{header}.{payload}.{signature[:-8]}",
        f"{header}.{payload}.",
        f"{header}.{payload}.{'A' * len(signature)}",
        good[:-1],
        good + "A",
        f".{payload}.{signature}",
        "..",
        "a.b.c",
    ):
        assert await verifier.principal(token) is None


@pytest.mark.parametrize(
    "header",
    [
        {"kid": "unknown"},
        {"kid": "other"},  # published, but it is another key
        {"crit": ["exp"], "exp": 1},
        {"crit": ["b64"], "b64": True},
        {"crit": []},
    ],
)
async def test_a_header_that_is_not_understood_admits_no_caller(
    verifier: JwtVerifier, issuer: Issuer, header: dict[str, object]
) -> None:
    issuer.keys.append(published("rsa-other", kid="other"))
    assert await verifier.principal(issuer.token()) is not None
    assert await verifier.principal(issuer.token(header=header)) is None


async def test_a_key_that_the_token_brings_along_is_not_used(verifier: JwtVerifier, issuer: Issuer) -> None:
    own = {"jwk": published("rsa-own"), "jku": "https://evil.example/jwks", "x5u": "https://evil.example/x"}
    assert await verifier.principal(issuer.token(key="rsa-own", header={**own, "kid": "rsa"})) is None
    assert await verifier.principal(issuer.token(header=own)) == Principal("jwt:ada")


@pytest.mark.parametrize("header", [b"[" * 2900, b"\xff", b"1", b"null", b'{"alg":"RS256","kid":7}', b"{}"])
async def test_a_header_that_is_no_header_is_refused_without_an_error(verifier: JwtVerifier, header: bytes) -> None:
    assert await verifier.principal(forged(header)) is None


async def test_a_weak_key_is_not_used(verifier: JwtVerifier, issuer: Issuer) -> None:
    from cryptography.hazmat.primitives.asymmetric import rsa
    from jwt.algorithms import RSAAlgorithm

    weak = rsa.generate_private_key(65537, 1024)
    issuer.keys = [{**RSAAlgorithm.to_jwk(weak.public_key(), as_dict=True), "kid": "weak"}]
    claims = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": at(In(300))}
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        token = jwt.encode(claims, weak, "RS256", {"kid": "weak"})
    assert await verifier.principal(token) is None


async def test_a_token_the_owner_gave_out_comes_first_and_no_subject_can_take_its_name(
    verifier: JwtVerifier, issuer: Issuer, clock: FakeClock
) -> None:
    given = "dotted.like.this-one"
    both = BearerAuthenticator(TokenBook({"ada": SecretStr(given)}, None, clock), verifier)
    assert await both.authenticate(given) == Principal("ada")
    assert await both.authenticate("plain") is None
    assert issuer.asked == 0
    assert await both.authenticate(issuer.token(sub="ada")) == Principal("jwt:ada")


@each_row(
    ("subject", "shown"),
    [
        ("ada", "ada"),
        ("ada.l-1_2@example.org", "ada.l-1_2@example.org"),
        ("x" * 64, "x" * 64),
        ("auth0|5f", "auth0_5f~b0d4a4ea2b8b"),
        ("x" * 65, "x" * 51 + "~"),
        ("\u202eada\n", "_ada_~"),
    ],
)
def test_a_subject_becomes_a_safe_label_of_at_most_64_characters(subject: str, shown: str) -> None:
    made = label(subject)
    assert made.partition("~")[0] == shown.partition("~")[0]
    assert ("~" in made) == ("~" in shown)
    assert len(made) <= 64


def test_subjects_that_look_alike_do_not_share_a_label() -> None:
    subjects = ["a|b", "a_b", "a:b", "a b", "x" * 65, "x" * 66, "x" * 64, label("a|b")]
    assert len({label(subject) for subject in subjects}) == len(subjects)
