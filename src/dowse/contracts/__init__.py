"""Contracts: sets of tools with their arguments, descriptions and outputs."""
