"""The MCP server: its requests, whatever the transport."""
