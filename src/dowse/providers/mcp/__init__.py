"""Remote MCP servers as search providers: a protocol client, and a parser of the answers of their tools."""
