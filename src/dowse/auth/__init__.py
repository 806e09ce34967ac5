"""Authentication of callers: bearer tokens from the settings and a file, and JSON Web Tokens of an identity provider.

On the level of providers, fetch, extract, rank and routing; it imports none of them.
"""
