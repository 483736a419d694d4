"""Handlers of the requests beside tool calls: resources, prompts and completion."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CompleteResult,
    EmptyResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
)

from blog_search_mcp.server.format.results import replace_surrogates
from blog_search_mcp.server.protocol import completion, resources
from blog_search_mcp.server.protocol.errors import run_in_thread
from blog_search_mcp.server.protocol.prompts import PROMPTS, fill_prompt
from blog_search_mcp.server.protocol.resources import TEMPLATES, UnknownResource

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from mcp.server import ServerRequestContext
    from mcp.types import (
        CompleteRequestParams,
        GetPromptRequestParams,
        GetPromptResult,
        PaginatedRequestParams,
        ReadResourceRequestParams,
        ReadResourceResult,
        SubscribeRequestParams,
    )

    from blog_search_mcp.server.engine import Searcher
    from blog_search_mcp.server.protocol.legacy_sessions import LegacySessions

    Result = TypeVar("Result")

STATELESS_SINCE = "2026-07-28"
"""Versions are days, so that they compare as text."""
LEGACY_NOT_FOUND = -32002
"""Resource not found, before STATELESS_SINCE; from then on it is INVALID_PARAMS."""


class Handlers:
    """Handles these requests over one searcher, for every client."""

    def __init__(self, searcher: Searcher, legacy: LegacySessions) -> None:
        """Read from `searcher`; `legacy` keeps the subscriptions of earlier protocols."""
        self._searcher = searcher
        self._legacy = legacy

    async def list_resources(
        self, _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """List a page of posts."""
        cursor = params.cursor if params else None
        return await run_in_thread(partial(resources.list_resources, self._searcher, cursor))

    async def list_templates(
        self, _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourceTemplatesResult:
        """List the templates."""
        _only_page(params)
        return ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(
        self, context: ServerRequestContext[Any], params: ReadResourceRequestParams
    ) -> ReadResourceResult:
        """Read a list, a post or a chunk."""
        return await self._work_on(context, params.uri, resources.read_resource)

    async def subscribe(
        self, context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Subscribe a client of an earlier protocol to a resource that exists."""
        await self._work_on(context, params.uri, resources.check_resource)
        return await self._legacy.subscribe(context, params)

    async def list_prompts(
        self, _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListPromptsResult:
        """List the prompts."""
        _only_page(params)
        return ListPromptsResult(prompts=list(PROMPTS.values()))

    async def get_prompt(
        self, _context: ServerRequestContext[Any], params: GetPromptRequestParams
    ) -> GetPromptResult:
        """Fill in a prompt."""
        return fill_prompt(params.name, params.arguments or {})

    async def complete(
        self, _context: ServerRequestContext[Any], params: CompleteRequestParams
    ) -> CompleteResult:
        """Complete an argument."""
        given = (params.context.arguments if params.context else None) or {}
        name, typed = params.argument.name, params.argument.value
        work = partial(completion.complete, self._searcher, params.ref, name, typed, given)
        return CompleteResult(completion=await run_in_thread(work))

    async def _work_on(
        self,
        context: ServerRequestContext[Any],
        uri: str,
        work: Callable[[Searcher, str], Result],
    ) -> Result:
        code = LEGACY_NOT_FOUND if context.protocol_version < STATELESS_SINCE else INVALID_PARAMS

        def work_or_refuse() -> Result:
            try:
                return work(self._searcher, uri)
            except UnknownResource as error:
                sentence = replace_surrogates(
                    f"Unknown resource {uri[:200]!r}; see resources/list."
                )
                raise MCPError(code, sentence, {"uri": replace_surrogates(uri)}) from error

        return await run_in_thread(work_or_refuse)


def _only_page(params: PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, "Unknown cursor; this list has one page.")
