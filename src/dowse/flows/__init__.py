"""Flows: search and read, from the question to the finished answer."""
