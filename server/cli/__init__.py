"""The commands, their options, and the settings of MCP clients that they edit."""
