"""Store and coordinator in a Redis or Valkey, for several machines."""

from dowse.stores.redis.coordination import RedisCoordinator
from dowse.stores.redis.store import RedisStore

__all__ = ["RedisCoordinator", "RedisStore"]
