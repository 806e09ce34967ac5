"""Reads pages that need JavaScript, in a Chromium that reaches nothing but the page. docs/browser.md describes it."""

NAME = "browser"
"""Of the reader, in attempts, logs and metrics."""
