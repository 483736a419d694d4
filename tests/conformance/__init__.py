"""MCP's official conformance suite against our HTTP: this server, and one with its fixtures.

Most of the suite's scenarios call tools, resources and prompts of fixed names. Our server has
none of them, so those scenarios are its expected failures; they are asked of a fixture server
that stands behind the same guards and the same uvicorn, on the same SDK.
"""
