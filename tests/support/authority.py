"""Certificates for servers of the tests."""

from __future__ import annotations

import datetime
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

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
