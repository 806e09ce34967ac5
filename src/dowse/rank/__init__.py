"""Ranking: fusion of results, passages, near-duplicates, summaries, quality, quotes."""
