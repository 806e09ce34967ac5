"""The Model Context Protocol: our contracts on the SDK's server."""
