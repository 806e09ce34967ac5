"""Reads pages of well-known sites through their own APIs: whole conversations instead of what a page shows first."""
