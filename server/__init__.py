"""MCP tools over an index, the transports that serve them, and the command line."""
