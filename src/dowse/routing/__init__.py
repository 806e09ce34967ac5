"""Routing: fallback over providers with circuit breakers, pacing, limits, hedged requests and budgets."""
