"""Memory for other agents: an MCP server over the same store the app has open. Only this room imports the `mcp` SDK."""
