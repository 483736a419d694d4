"""Connect to a Milvus server, and say in sentences what is wrong with it.

With `index.milvus.client` all that knows pymilvus.
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.errors import (
    MOST_DETAIL,
    CollectionGone,
    IndexProblem,
    IndexUnreachable,
)

if TYPE_CHECKING:
    from pymilvus import MilvusClient

TOKEN: Final = "MILVUS_TOKEN"
"""The environment variable of the token, `user:password` or an API key."""

CONNECT_SECONDS: Final = 5.0

KEEPALIVE_MILLISECONDS: Final = 330_000
"""Between signs of life on a connection: pymilvus's 10 seconds are too many for a server that has
gRPC's own limit, five minutes (grpc.io, keepalive), as milvus-lite has; it ends the connection."""

OLDEST: Final = (2, 4)
"""The first version with sparse vectors (milvus.io, release notes of 2.4.0)."""

_CONNECT_FAILED, _NO_COLLECTION, _NOT_LOADED, _NO_ALIAS = 2, 100, 101, 1600
"""Codes of pymilvus's Status and of the server's errors (milvus, pkg/util/merr)."""


class ConnectionLost(IndexUnreachable):
    """Nobody takes a connection, or the one there was has ended."""


class CollectionReleased(IndexProblem):
    """The server has a collection, but not in its memory."""


_REFUSED: Final = re.compile(r"auth(?:entication|orization)? (?:check )?fail|unauthenticated", re.I)
"""What servers say of a wrong token in an error of their own (milvus, internal/proxy)."""


@dataclass(frozen=True, slots=True)
class MilvusServer:
    """Where a server is, and who asks."""

    address: str
    """Such as `http://host:19530`."""
    token: str = field(default_factory=lambda: os.environ.get(TOKEN, ""), repr=False)
    """Empty for a server that asks for none."""

    def connect(self) -> MilvusClient:
        """Connect to a server that is new enough, with pymilvus's own log turned off."""
        os.environ["GRPC_VERBOSITY"] = "NONE"  # it writes to stderr by itself
        try:
            from pymilvus import MilvusClient
        except ImportError as error:
            raise IndexUnreachable(
                "An index in Milvus needs the Python package pymilvus. Install it with "
                "`pip install 'blog-search-mcp[milvus]'`."
            ) from error
        for name in ("pymilvus", "pymilvus.milvus_client", "pymilvus.bulk_writer"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        client = MilvusClient(
            self.address,
            token=self.token,
            timeout=CONNECT_SECONDS,
            dedicated=True,
            grpc_options={"grpc.keepalive_time_ms": KEEPALIVE_MILLISECONDS},
        )
        try:
            version = str(client.get_server_version(timeout=CONNECT_SECONDS))
            if is_too_old(version):
                raise IndexUnreachable(
                    f"The Milvus server at {self.address} is {version}, which has no sparse "
                    f"vectors. Update it to {'.'.join(map(str, OLDEST))} or newer."
                )
        except BaseException:
            client.close()
            raise
        return client

    def translate(self, error: Exception) -> IndexProblem:
        """Make our error of what pymilvus raised, without the token and, to clients, its words."""
        if isinstance(error, IndexProblem):
            return error
        codes, said = _codes(error), " ".join(str(getattr(error, "message", error)).split())
        server = f"The Milvus server at {self.address}"
        if codes & {"UNAUTHENTICATED", "PERMISSION_DENIED"} or _REFUSED.search(said):
            which = "the token in" if self.token else "an empty"
            return IndexUnreachable(
                f"{server} refuses {which} {TOKEN}. Set this environment variable to "
                "`user:password`, or to a key, that may use the index."
            )
        if codes & {"DEADLINE_EXCEEDED"} and "UNAVAILABLE" not in said:
            return IndexUnreachable(
                f"{server} is too slow to answer. Try again, or see what keeps it busy."
            )
        if codes & {"UNAVAILABLE", _CONNECT_FAILED} or "UNAVAILABLE" in said:
            return ConnectionLost(f"{server} does not answer. Start it, or correct the address.")
        if codes & {_NO_COLLECTION, _NO_ALIAS}:
            return CollectionGone(
                f"{server} no longer has what was asked for: another ingest has replaced it, or "
                "it was dropped. Try again, or run the ingest."
            )
        if _NOT_LOADED in codes:
            return CollectionReleased(f"{server} has not loaded the index. Try again.")
        if self.token:
            said = said.replace(self.token, "…")
        return IndexProblem(
            f"{server} refuses a request ({said[:MOST_DETAIL]}).",
            for_clients="The server that has the index refuses a request; its log says why.",
        )


def is_too_old(version: str) -> bool:
    """Whether a server says that it is older than OLDEST; milvus-lite counts otherwise."""
    found = re.match(r"v?(\d+)\.(\d+)", version)
    return found is not None and (int(found[1]), int(found[2])) < OLDEST


def _codes(error: BaseException | None) -> set[object]:
    """Return the codes of an error and of what caused it: numbers, and names of gRPC's own."""
    codes: set[object] = set()
    for _ in range(MOST_CAUSES):
        code = getattr(error, "code", None)
        code = code() if callable(code) else code
        codes.add(getattr(code, "name", code))
        error = getattr(error, "__cause__", None)
    return codes


MOST_CAUSES: Final = 8
"""Links of a chain of errors that are followed: pymilvus makes rings of them."""
