"""Other projects' MCP clients, and what each of them made of the server."""
