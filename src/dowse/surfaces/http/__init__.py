"""MCP over HTTP for many callers, with authentication, load shedding, health and metrics."""
