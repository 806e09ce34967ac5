"""What the address of a Redis says."""

from dowse.stores.redis.client import RedisAddress, parse
from tests.support.tables import each_row


@each_row(
    ("text", "address"),
    [
        ("redis://cache", RedisAddress("server", (("cache", 6379),))),
        ("redis://cache:7000/3", RedisAddress("server", (("cache", 7000),), db=3)),
        ("valkey://[2001:db8::1]:7000/", RedisAddress("server", (("2001:db8::1", 7000),))),
        ("rediss://cache", RedisAddress("server", (("cache", 6379),), uses_tls=True)),
        (
            "valkeys://cache?ssl_ca_certs=%2Fsrv%2Fca.pem&ssl_cert_reqs=none",
            RedisAddress(
                "server",
                (("cache", 6379),),
                uses_tls=True,
                options={"ssl_ca_certs": "/srv/ca.pem", "ssl_cert_reqs": "none"},
            ),
        ),
        (
            "redis://ana:p%40ss%3Aword@cache",
            RedisAddress("server", (("cache", 6379),), username="ana", password="p@ss:word"),
        ),
        ("redis://:secret@cache/1", RedisAddress("server", (("cache", 6379),), db=1, password="secret")),
        ("redis+unix:///run/redis.sock?db=2", RedisAddress("socket", path="/run/redis.sock", db=2)),
        ("valkey+unix://:secret@/run/redis.sock", RedisAddress("socket", path="/run/redis.sock", password="secret")),
        ("redis+cluster://a,b:7000/0", RedisAddress("cluster", (("a", 6379), ("b", 7000)))),
        (
            "valkeys+sentinel://:secret@a,b:7000/main/4?sentinel_auth=true",
            RedisAddress(
                "sentinel",
                (("a", 26379), ("b", 7000)),
                service="main",
                db=4,
                password="secret",
                uses_tls=True,
                options={"sentinel_auth": "true"},
            ),
        ),
        ("redis+sentinel://a/main", RedisAddress("sentinel", (("a", 26379),), service="main")),
    ],
)
def test_every_part_of_an_address_is_understood(text: str, address: RedisAddress) -> None:
    assert parse(text) == address


def test_an_address_does_not_show_who_gets_in() -> None:
    shown = repr(parse("redis+cluster://canaryuser:canarypass@a,b"))
    assert "canary" not in shown
    assert "'a', 6379" in shown
