"""The HTTP surface: MCP for many callers, health and metrics, and who may come in."""
