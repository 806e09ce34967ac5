"""The store in a Redis or Valkey, which several machines may share."""

from dowse.stores.redis.board import RedisBoard
from dowse.stores.redis.store import RedisStore

__all__ = ["RedisBoard", "RedisStore"]
