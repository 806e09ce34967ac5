"""Secrets: their shapes, URLs and queries that hold one, and redaction of all output."""
