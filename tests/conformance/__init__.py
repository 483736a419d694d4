"""MCP's official conformance suite against `serve --http`.

Most of the suite's scenarios call tools, resources and prompts of fixed names. A blog has none of
them, so those scenarios are expected failures.
"""
