"""The MCP tools that the bridge offers."""
