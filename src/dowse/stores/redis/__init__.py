"""The store in a Redis or Valkey, which several machines may share."""

from dowse.stores.redis.coordination import RedisCoordinator
from dowse.stores.redis.store import RedisStore

__all__ = ["RedisCoordinator", "RedisStore"]
