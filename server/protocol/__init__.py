"""What MCP asks of a server besides its tools."""
