"""Who calls: the command line and MCP; later HTTP."""
