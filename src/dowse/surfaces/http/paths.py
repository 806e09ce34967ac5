"""Where things are on the HTTP server, for the parts that have to agree on it."""

MCP_PATHS = ("/mcp", "/v1/mcp")
WELL_KNOWN = "/.well-known/oauth-protected-resource"
HEALTH_PATHS = ("/healthz", "/readyz")
