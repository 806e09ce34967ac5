"""Surfaces: the command line, MCP and HTTP."""
