"""Remote MCP servers as search providers: a small client of the protocol, and the results in what their tools say."""
