"""What a client may ask beside tool calls: resources, prompts and completion, request by request.

Requests of the SDK come in, its results go out; what they hold is decided in `resources`,
`prompts` and `completion`.
"""

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

from blog_search_mcp.server.format.text import replace_surrogates
from blog_search_mcp.server.protocol import completion, resources
from blog_search_mcp.server.protocol.errors import run_in_thread
from blog_search_mcp.server.protocol.prompts import PROMPTS, prompted
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
    from blog_search_mcp.server.protocol.legacy_clients import OlderClients

    Result = TypeVar("Result")

NEWER_ERA = "2026-07-28"
"""Versions are days, so that they compare as text."""
OLDER_NOT_FOUND = -32002
"""Resource not found, before NEWER_ERA; since then it is INVALID_PARAMS."""


class Library:
    """Answers these requests over one searcher, for every client."""

    def __init__(self, searcher: Searcher, older: OlderClients) -> None:
        """Take what is read from, and the clients that may subscribe."""
        self._searcher = searcher
        self._older = older

    async def list_resources(
        self, _context: ServerRequestContext[Any], params: PaginatedRequestParams | None
    ) -> ListResourcesResult:
        """List a page of posts."""
        cursor = params.cursor if params else None
        return await run_in_thread(partial(resources.listed, self._searcher, cursor))

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
        return await self._of_resource(context, params.uri, resources.read)

    async def subscribe(
        self, context: ServerRequestContext[Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        """Subscribe a client of an older era to a resource that exists."""
        await self._of_resource(context, params.uri, resources.known)
        return await self._older.subscribe(context, params)

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
        return prompted(params.name, params.arguments or {})

    async def complete(
        self, _context: ServerRequestContext[Any], params: CompleteRequestParams
    ) -> CompleteResult:
        """Complete what a person types."""
        given = (params.context.arguments if params.context else None) or {}
        name, typed = params.argument.name, params.argument.value
        work = partial(completion.completed, self._searcher, params.ref, name, typed, given)
        return CompleteResult(completion=await run_in_thread(work))

    async def _of_resource(
        self,
        context: ServerRequestContext[Any],
        uri: str,
        work: Callable[[Searcher, str], Result],
    ) -> Result:
        code = OLDER_NOT_FOUND if context.protocol_version < NEWER_ERA else INVALID_PARAMS

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
