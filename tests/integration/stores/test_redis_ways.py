"""Ways to a Redis: passwords, TLS, sockets, sentinels, clusters; and what is said of one that fails."""

import asyncio
import datetime
import ipaddress
import ssl
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from redis import exceptions as redis

from dowse.core.errors import StoreFailed
from dowse.stores.ledger import UNLIMITED, Days, Tally
from dowse.stores.redis import RedisStore
from dowse.stores.redis.client import describe_failure
from dowse.stores.store import Kept, Key, Usage
from tests.fakes import FakeClock
from tests.support.tables import each_row
from tests.valkey import HOST, Valkey, cluster, relay, sentinel, started

KEY = Key("search", "ab" * 32)
TODAY = Days(date(2026, 11, 15), date(2026, 11, 15))
NOWHERE = f"{HOST}:1"

pytestmark = pytest.mark.usefixtures("patient_redis")


@asynccontextmanager
async def opened(address: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(address, FakeClock())
    yield store
    await store.close()


async def failure(address: str) -> str:
    async with opened(address) as store:
        with pytest.raises(StoreFailed) as failed:
            await store.put(KEY, b"text", 60.0)
    assert "canary" not in "".join(traceback.format_exception(failed.value))
    return str(failed.value)


async def works(address: str) -> bool:
    """Whether everything a store does can be done there."""
    keys = [Key("page", f"{number:064x}") for number in range(20)]
    async with opened(address) as store:
        for key in keys:
            await store.put(key, b"text", 60.0)
        kept = [await store.get(key) for key in keys]
        claims = [await store.claim(KEY, owner, 60.0) for owner in ("ours", "theirs")]
        await store.release(KEY, "ours")
        spent = [await store.add("serper", TODAY, Tally(1, 300), cap) for cap in (UNLIMITED, Tally())]
        usage = await store.usage()
        for key in keys[:5]:
            await store.drop(key)
        dropped = [await store.get(key) for key in keys[:5]]
        cleared = await store.clear()
        left = await store.usage()
    assert kept == [Kept(b"text", 0.0)] * 20
    assert claims == [True, False]
    assert [entry.admitted for entry in spent] == [True, False]
    assert (usage.entries, usage.value_bytes) == ({"page": 20}, {"page": 80})
    assert dropped == [None] * 5
    assert (cleared, left) == (15, Usage())
    return True


class Certificate:
    """A certificate for loopback that is its own authority, in a file for each side."""

    def __init__(self, folder: Path) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "valkey")])
        now = datetime.datetime.now(datetime.UTC)
        names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(HOST))])
        builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        builder = builder.not_valid_before(now - datetime.timedelta(days=1))
        builder = builder.not_valid_after(now + datetime.timedelta(days=1))
        builder = builder.add_extension(names, critical=False)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        public = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        self.authority = folder / "ca.pem"
        self.authority.write_bytes(public)
        self._own = folder / "own.pem"
        formats = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        self._own.write_bytes(key.private_bytes(*formats) + public)

    def server(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self._own)
        return context


async def test_tls_is_verified_unless_the_address_says_otherwise(
    valkey: Valkey, valkey_url: str, tmp_path: Path
) -> None:
    certificate = Certificate(tmp_path)
    async with relay(valkey, certificate.server()) as between:
        address = f"rediss://{HOST}:{between.port}"
        assert await works(f"{address}?ssl_ca_certs={certificate.authority}")
        assert await works(f"{address}?ssl_cert_reqs=none")
        assert await failure(address) == (
            "Redis: its certificate is not trusted: name its CA with ssl_ca_certs in DOWSE_STATE"
        )
        by_name = f"valkeys://localhost:{between.port}?ssl_ca_certs={certificate.authority}"
        assert "certificate is not trusted" in await failure(by_name)
        assert await works(f"{by_name}&ssl_check_hostname=false")


async def test_a_missing_file_is_said_so(valkey: Valkey, tmp_path: Path) -> None:
    missing = "Redis: a socket or file that DOWSE_STATE names does not exist"
    assert await failure(f"rediss://{HOST}:{valkey.port}?ssl_ca_certs={tmp_path}/canary.pem") == missing
    assert await failure(f"redis+unix://{tmp_path}/canary.sock") == missing


async def test_a_socket_is_as_good_as_a_port_and_databases_are_apart(valkey: Valkey, valkey_url: str) -> None:
    assert await works(f"redis+unix://{valkey.socket_path}?db=3")
    async with opened(f"valkey+unix://{valkey.socket_path}?db=2") as store, opened(valkey_url) as other:
        await store.put(KEY, b"text", 60.0)
        assert await store.get(KEY) == Kept(b"text", 0.0)
        assert await other.get(KEY) is None


async def test_a_password_is_sent_and_never_shown() -> None:
    refused = "Redis: it refuses the user name or the password in DOWSE_STATE"
    with started("--requirepass", "p@ss") as server:
        server.ask_all(("AUTH", "p@ss"), ("ACL", "SETUSER", "canaryana", "on", ">canarypass", "~else:*", "+@all"))
        where = f"{HOST}:{server.port}"
        assert await works(f"redis://:p%40ss@{where}")
        assert await works(f"redis://default:p%40ss@{where}/1")
        assert await failure(f"redis://{where}") == refused
        assert await failure(f"redis://:canarypass@{where}") == refused
        assert await failure(f"redis://canaryuser:canarypass@{where}") == refused
        assert await failure(f"redis://canaryana:canarypass@{where}") == (
            "Redis: the user in DOWSE_STATE may not use the keys dowse:* or a command"
        )


async def test_a_sentinel_leads_to_the_primary() -> None:
    unknown = "Redis: no sentinel can be reached that knows a primary of the service in DOWSE_STATE"
    with started("--requirepass", "secret") as primary, sentinel(primary, "main") as watcher:
        hosts = f"{NOWHERE},{HOST}:{watcher.port}"
        assert await works(f"redis+sentinel://:secret@{hosts}/main/2")
        assert "it refuses" in await failure(f"redis+sentinel://:canarypass@{hosts}/main")
        assert await failure(f"redis+sentinel://:secret@{hosts}/other") == unknown
        assert await failure(f"redis+sentinel://:canarypass@{NOWHERE}/main") == unknown


async def test_a_sentinel_gets_the_password_only_if_the_address_says_so() -> None:
    with started("--requirepass", "secret") as primary, sentinel(primary, "main", "--requirepass", "secret") as watcher:
        address = f"redis+sentinel://:secret@{HOST}:{watcher.port}/main"
        assert await works(f"{address}?sentinel_auth=true")
        assert "no sentinel can be reached" in await failure(address)


async def test_a_cluster_is_used_as_a_whole() -> None:
    with cluster() as (first, second):
        assert await works(f"redis+cluster://{NOWHERE},{HOST}:{second.port}")
        for server in (first, second):
            server.ask("CONFIG", "SET", "requirepass", "secret")
        assert await works(f"valkey+cluster://:secret@{HOST}:{first.port}/0")
        assert await failure(f"redis+cluster://:canarypass@{HOST}:{first.port}") == (
            "Redis: it refuses the user name or the password in DOWSE_STATE"
        )
        assert await failure_of_some_key(f"redis://:secret@{HOST}:{first.port}") == (
            "Redis: it is part of a cluster: write redis+cluster:// in DOWSE_STATE"
        )


async def failure_of_some_key(address: str) -> str:
    """Half of the keys are on another node than the one that is asked."""
    async with opened(address) as store:
        with pytest.raises(StoreFailed) as failed:
            for number in range(64):
                await store.get(Key("page", f"{number:064x}"))
    return str(failed.value)


async def test_a_single_server_is_not_taken_for_a_cluster(valkey: Valkey) -> None:
    assert await failure(f"redis+cluster://{HOST}:{valkey.port}") == "Redis: it is not a cluster, or not all of one"
    assert await failure(f"redis+cluster://:canarypass@{NOWHERE}") == "Redis: it cannot be reached"


@each_row(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b":canary\r\n",
        b"$canary\r\n",
        b"*2\r\n+a\r\n+b\r\n",
        b":7\r\n",
        b"$-1\r\n",
        b"-\xff\r\n",
    ],
)
async def test_what_does_not_answer_as_a_redis_is_at_most_a_failure(answer: bytes) -> None:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while asked := await reader.read(65_536):
            writer.write(b"+OK\r\n" * asked.count(b"SETINFO") or answer)
        writer.close()

    server = await asyncio.start_server(talk, HOST, 0)
    async with server, opened(f"redis://{HOST}:{server.sockets[0].getsockname()[1]}") as store:
        outcomes = await asyncio.gather(
            store.get(KEY),
            store.claim(KEY, "ours", 60.0),
            store.add("serper", TODAY, Tally(1, 300)),
            store.usage(),
            store.clear(),
            return_exceptions=True,
        )
    assert all(isinstance(outcome, StoreFailed) or outcome in (None, False) for outcome in outcomes)


@each_row(
    ("error", "words"),
    [
        (redis.BusyLoadingError("LOADING dataset"), "it is still loading its data"),
        (redis.ClusterDownError("CLUSTERDOWN The cluster is down"), "the cluster is down"),
        (redis.MasterDownError("MASTERDOWN Link with MASTER is down"), "it is a replica that has lost its primary"),
        (redis.ResponseError("DB index is out of range"), "it has no database of the number in DOWSE_STATE"),
        (redis.ResponseError("MISCONF Errors writing /canary"), "it answered with the error MISCONF"),
        (redis.ResponseError("user_script:3: canary"), "it failed (ResponseError)"),
        (redis.InvalidResponse("Protocol error: canary"), "it does not answer as a Redis does"),
        (redis.TimeoutError("Timeout reading from canary:6379"), "no answer in time"),
        (ssl.SSLError(1, "record layer failure at canary"), "no TLS connection can be made"),
        (OSError(113, "No route to host canary"), "it cannot be reached"),
    ],
)
def test_a_reason_holds_no_more_than_it_has_to(error: Exception, words: str) -> None:
    assert describe_failure(error) == words
