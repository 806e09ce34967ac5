"""TLS is verified against the name that was asked for, while the checked address is dialled."""

from __future__ import annotations

import asyncio
import datetime
import ssl
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from dowse.core.wire_errors import WireFailed
from dowse.net.clients import UntrustedClient
from tests.fakes.wire import BuildClient

NOW = datetime.datetime.now(datetime.UTC)
DAY = datetime.timedelta(days=1)


class Authority:
    """A certificate authority for one test run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        self._certificate = self._build(self._name, self._key, is_ca=True).sign(self._key, hashes.SHA256())

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cadata=self._certificate.public_bytes(serialization.Encoding.PEM).decode())

    def server(
        self, host: str, *, begins: datetime.datetime = NOW - 2 * DAY, ends: datetime.datetime = NOW + DAY
    ) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        names = x509.SubjectAlternativeName([x509.DNSName(host)])
        built = self._build(subject, key, is_ca=False, begins=begins, ends=ends).add_extension(names, critical=False)
        file = self.folder / "server.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + built.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _build(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        *,
        is_ca: bool,
        begins: datetime.datetime = NOW - 2 * DAY,
        ends: datetime.datetime = NOW + DAY,
    ) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(begins)
            .not_valid_after(ends)
            .add_extension(x509.BasicConstraints(ca=is_ca, path_length=None), critical=True)
        )


class SecureSite:
    """A loopback HTTPS server that remembers the names it was asked for."""

    def __init__(self) -> None:
        self.server_names: list[str | None] = []
        self.hosts: list[bytes] = []
        self.port = 0

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        self.hosts += [line[6:] for line in request.split(b"\r\n") if line.startswith(b"Host: ")]
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()

    def note(self, connection: object, name: str | None, context: object) -> None:
        self.server_names.append(name)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
def listen_with(serve: Callable[..., Awaitable[int]]) -> Callable[[ssl.SSLContext], Awaitable[SecureSite]]:
    async def start(context: ssl.SSLContext) -> SecureSite:
        site = SecureSite()
        context.sni_callback = site.note
        site.port = await serve(site.talk, context)
        return site

    return start


@pytest.fixture
def client_for(client: BuildClient) -> Callable[[SecureSite, ssl.SSLContext | None], UntrustedClient]:
    names = {"shop.example": [["127.0.0.1"]]}
    return lambda site, tls: client(f"shop.example:{site.port}", names=names, tls=tls)


async def test_name_asked_for_is_the_one_in_the_handshake_and_the_host_header(
    authority, listen_with, client_for
) -> None:
    site = await listen_with(authority.server("shop.example"))

    fetched = await client_for(site, authority.trusting()).get(
        f"https://shop.example:{site.port}/", timeout_s=30, max_bytes=100
    )

    assert fetched.body == b"ok"
    assert site.server_names == ["shop.example"]
    assert site.hosts == [f"shop.example:{site.port}".encode()]


CERTIFICATES: dict[str, Callable[[Authority], ssl.SSLContext]] = {
    "for another name": lambda authority: authority.server("other.example"),
    "for a name above": lambda authority: authority.server("example"),
    "for names below": lambda authority: authority.server("*.shop.example"),
    "expired": lambda authority: authority.server("shop.example", ends=NOW - DAY),
    "not valid yet": lambda authority: authority.server("shop.example", begins=NOW + DAY / 2),
    "of an authority with the same name": lambda authority: Authority(authority.folder).server("shop.example"),
}


@pytest.mark.parametrize("name", CERTIFICATES)
async def test_certificate_is_refused(name: str, authority, listen_with, client_for) -> None:
    site = await listen_with(CERTIFICATES[name](authority))

    with pytest.raises(WireFailed, match="no secure connection"):
        await client_for(site, authority.trusting()).get(
            f"https://shop.example:{site.port}/", timeout_s=30, max_bytes=100
        )

    assert site.hosts == []


async def test_certificate_of_an_unknown_authority_is_refused_by_default(authority, listen_with, client_for) -> None:
    site = await listen_with(authority.server("shop.example"))

    with pytest.raises(WireFailed, match="no secure connection"):
        await client_for(site, None).get(f"https://shop.example:{site.port}/", timeout_s=30, max_bytes=100)

    assert site.hosts == []


async def test_certificate_of_a_name_is_no_good_for_its_address(authority, listen_with, client: BuildClient) -> None:
    site = await listen_with(authority.server("shop.example"))

    with pytest.raises(WireFailed, match="no secure connection"):
        await client(f"127.0.0.1:{site.port}", tls=authority.trusting()).get(
            f"https://127.0.0.1:{site.port}/", timeout_s=30, max_bytes=100
        )

    assert site.hosts == []
