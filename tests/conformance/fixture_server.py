"""`python -m tests.conformance.fixture_server HOST:PORT`: the suite's fixtures behind our HTTP.

Unlike ours this server asks its client and tells it while a tool runs, so its answers are
event streams. Guards, uvicorn, protocol and the way it ends are those of `serve --http`.
"""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Any, NoReturn

from mcp import MCPDeprecationWarning, MCPError
from mcp.server.lowlevel import Server
from mcp.server.transport_security import TransportSecuritySettings
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    ReadResourceRequestParams,
    ReadResourceResult,
)

from blog_search_mcp.server.http.app import PATH, guarded
from blog_search_mcp.server.http.serve import serve
from blog_search_mcp.server.http.settings import parse_address
from blog_search_mcp.server.settings import ANYONE
from tests.conformance import fixture_texts
from tests.conformance.fixture_tools import RUN, TOOLS, Context


async def list_tools(_context: Context, _params: object) -> ListToolsResult:
    return ListToolsResult(tools=TOOLS)


async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
    if params.name not in RUN:
        raise MCPError(INVALID_PARAMS, f"Unknown tool {params.name}")
    return await RUN[params.name](context, params.arguments or {})


async def list_resources(_context: Context, _params: object) -> ListResourcesResult:
    return ListResourcesResult(resources=fixture_texts.RESOURCES)


async def list_templates(_context: Context, _params: object) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(resource_templates=[fixture_texts.TEMPLATE])


async def read(_context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    return fixture_texts.read(params.uri)


async def list_prompts(_context: Context, _params: object) -> ListPromptsResult:
    return ListPromptsResult(prompts=fixture_texts.PROMPTS)


async def get_prompt(_context: Context, params: GetPromptRequestParams) -> GetPromptResult:
    return fixture_texts.prompt(params.name, params.arguments or {})


async def complete(_context: Context, params: CompleteRequestParams) -> CompleteResult:
    fitting = [each for each in ("paris", "park") if each.startswith(params.argument.value)]
    return CompleteResult(completion=Completion(values=fitting, total=len(fitting)))


async def taken(_context: Context, _params: object) -> EmptyResult:
    return EmptyResult()


def build() -> Server[Any]:
    return Server(
        "fixtures",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read,
        on_subscribe_resource=taken,
        on_unsubscribe_resource=taken,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        on_completion=complete,
        on_set_logging_level=taken,
    )


def main() -> NoReturn:
    """Serve until a signal."""
    # What 2026-07-28 leaves out is what the suite, which tests the older versions, asks for.
    warnings.simplefilter("ignore", MCPDeprecationWarning)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    here = parse_address(sys.argv[1])
    app = build().streamable_http_app(
        streamable_http_path=PATH,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    sys.exit(serve(guarded(app, here, ANYONE), here, lambda: None, lambda: None))


if __name__ == "__main__":
    main()
