"""The listening socket: which addresses it takes, and how its connections behave."""

import socket

import pytest

from dowse.core.errors import ConfigError
from dowse.net.guard import is_listening_port, reserve_port
from dowse.net.sockets import is_loopback, listen
from tests.support.tables import each_row


@each_row("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost", "LOCALHOST"])
def test_only_this_machine_reaches_loopback(host: str) -> None:
    assert is_loopback(host)


@each_row("host", ["0.0.0.0", "::", "192.168.1.4", "localhost.example", "example.org", ""])
def test_anything_else_may_be_reached_by_others(host: str) -> None:
    assert not is_loopback(host)


def test_port_0_takes_a_free_one_and_says_which() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.socket.getsockname()[1]
        assert listener.url == f"http://127.0.0.1:{port}"


def test_its_port_is_ours_while_it_listens() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.socket.getsockname()[1]
        assert is_listening_port(port)
        assert not is_listening_port(port + 1)
    assert not is_listening_port(port)


def test_a_port_is_ours_until_the_last_listener_has_left_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with socket.create_server(("127.0.0.2", port)) as second, reserve_port(second):
            with reserve_port(first):
                pass
            assert is_listening_port(port)
    assert not is_listening_port(port)


def test_a_connection_sends_at_once_what_is_written() -> None:
    """Two writes of one answer would otherwise be 40 ms apart on a connection that is kept."""
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.socket.getsockname()):
        accepted, _ = listener.socket.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize("host", ["a..b", ".", "a" * 70, "b\u00fccher..example", "\udc80"])
def test_what_cannot_be_a_host_name_is_refused_with_what_to_do(host: str) -> None:
    with pytest.raises(ConfigError) as caught, listen(host, 0):
        pass
    assert str(caught.value) == (
        f"Cannot listen on {host} port 0: not a valid host name. Choose another with --host and --port."
    )


def test_a_port_that_is_taken_is_refused_with_what_to_do() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.socket.getsockname()[1]
        with pytest.raises(ConfigError) as caught, listen("127.0.0.1", port):
            pass
    assert str(caught.value) == (
        f"Cannot listen on 127.0.0.1 port {port}: address already in use. Choose another with --host and --port."
    )
