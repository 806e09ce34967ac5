"""Providers as data: the shipped descriptions, and the one adapter that serves all of them."""
