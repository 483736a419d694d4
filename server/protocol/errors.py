"""JSON-RPC errors: the sentences of requests that are no tool calls.

A tool's failure is a sentence to its model (`app.run_tool`). Here a client asked by itself, and
the SDK would put an exception's own words on the wire.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, TypeVar

from anyio.to_thread import run_sync
from mcp import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS

from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.server.format.results import for_clients, replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")

log = logging.getLogger(__name__)


def invalid_params(sentence: str) -> MCPError:
    """Make the error for parameters that cannot be used; `sentence` may quote them."""
    return MCPError(INVALID_PARAMS, replace_surrogates(sentence))


async def run_in_thread(work: Callable[[], Result]) -> Result:
    """Do `work` in a worker thread. Raises MCPError, and nothing else."""
    return await run_sync(_guarded, work, abandon_on_cancel=True)


def _guarded(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except MCPError:
        raise
    except BlogSearchError as error:
        raise MCPError(INTERNAL_ERROR, for_clients(str(error))) from error
    except Exception as error:  # whatever it is, its words are for the log alone
        log.exception("A request failed.")
        raise MCPError(
            INTERNAL_ERROR, "Internal error; the server's log has the details."
        ) from error
