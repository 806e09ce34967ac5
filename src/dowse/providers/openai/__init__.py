"""OpenAI's Responses API: a model that searches the web and writes an answer with citations."""

PRICES = {"answer": 0.02}
"""Dollars, estimated: OpenAI charges 10 for 1,000 searches, and a model mostly makes one or two for an answer.

What it reads and writes comes on top, by its own price; for the small ones that is little.
"""
