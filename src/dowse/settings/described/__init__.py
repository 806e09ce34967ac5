"""Providers as data: the format of a description, its validation, and the declarations that settings derive from it."""
