"""Cached calls: TTL, single-flight, leases, stale-while-revalidate, stale-if-error, negative caching."""
