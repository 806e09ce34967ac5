"""Secrets: their shapes, URLs and queries that hold one, and redaction of everything that is written."""
