"""Authentication of callers: bearer tokens from the settings and a file, and JSON Web Tokens of an identity provider.

Level 4: beside providers, fetch, extract, rank and routing, none of which it knows.
"""
