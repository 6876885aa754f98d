"""Other agents' configuration files: putting memtui's MCP server and hooks in, and taking them out again."""
