"""JSON-RPC errors: the sentences of requests that are no tool calls.

A tool's failure is a sentence to its model (`app.run_tool`). Here a client asked by itself, and
the SDK would put an exception's own words on the wire.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from blog_search_mcp.server.format.results import describe_failure, replace_surrogates

Params = TypeVar("Params")
Result = TypeVar("Result")


def invalid_params(sentence: str) -> MCPError:
    """Make the error for parameters that cannot be used; `sentence` may quote them."""
    return MCPError(INVALID_PARAMS, replace_surrogates(sentence))


def in_thread(
    work: Callable[[ServerRequestContext[Any], Params], Result],
    threads: CapacityLimiter | None = None,
) -> Callable[[ServerRequestContext[Any], Params], Awaitable[Result]]:
    """Make a handler that does `work` in a worker thread and raises nothing but MCPError.

    The thread is one of `threads`, by default of those that all such work shares.
    """

    def work_or_refuse(context: ServerRequestContext[Any], params: Params) -> Result:
        try:
            return work(context, params)
        except MCPError:
            raise
        except BaseException as error:  # a panic of Rust is no Exception
            raise MCPError(INTERNAL_ERROR, describe_failure(error)) from error

    async def handle(context: ServerRequestContext[Any], params: Params) -> Result:
        return await run_sync(
            work_or_refuse, context, params, abandon_on_cancel=True, limiter=threads
        )

    return handle
