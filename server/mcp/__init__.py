"""The MCP server: tools, resources and prompts, and the stdio transport."""
