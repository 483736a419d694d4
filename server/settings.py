"""What a run of the server, or of a command over an index, works with, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from blog_search_mcp.index.stores import Location

ToolsetName: TypeAlias = Literal["core", "extended", "author"]
"""Which tools are offered (`server.mcp.server`)."""

TOP_K_DEFAULT, TOP_K_MOST = 5, 20
"""Hits on a page, of the tool and of `blog-search-mcp search`."""
MESSAGE_BYTES = 1 << 20
"""Longest text of an argument, and longest body over HTTP. The longest useful one, every argument
at its limit and every character escaped, has about 70 KB."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the HTTP transport listens, and who may send requests."""

    host: str
    """A name or an address, without brackets."""
    port: int
    token: str = field(default="", repr=False)
    """What every request must bring, empty for none."""
    names: tuple[str, ...] = ()
    """Names of this machine that a request's Host may have, besides those it certainly has."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host in ("localhost", "127.0.0.1", "::1")

    @property
    def is_any(self) -> bool:
        """Whether it stands for every address of this machine."""
        return self.host in ("0.0.0.0", "::")

    @property
    def url_host(self) -> str:
        """The host as it stands in a URL: an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host


DEFAULT_ADDRESS = "127.0.0.1:8765"


@dataclass(frozen=True, slots=True)
class Settings:
    """An index, and how it is served or asked."""

    index: Location
    """A folder is absolute; it need not exist."""
    embedder_url: str = ""
    """Where the embedder's server answers, as given; empty for the embedder's default."""
    watch: Path | None = None
    """The posts' folder, absolute, to keep the index up to date with while serving."""
    toolset: ToolsetName = "core"
    usage_log: Path | None = None
    """The file that calls are logged in, absolute; `None` logs nothing."""
    waits: bool = False
    """Whether a query is given the time that the embedder's model takes to load."""


def index_arguments(settings: Settings) -> list[str]:
    """Return the options that say where the index is, and its embedder's server."""
    url = ("--embedder-url", settings.embedder_url) if settings.embedder_url else ()
    return ["--index", str(settings.index), *url]


def parse_address(value: str) -> Address:
    """Read `HOST:PORT`, `:PORT` or `PORT`. Raises ValueError."""
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]").lower() or "127.0.0.1"
    if "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"{value!r} is not HOST:PORT with a port from 1 to 65535")
    return Address(host, int(port))


def parse_url(value: str) -> str:
    """Read the address of a server as clients reach it, `/mcp` by default. Raises ValueError."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.port != 0:
        raise ValueError(f"{value!r} is no address such as http://192.168.1.5:8765/mcp")
    return parts._replace(path=parts.path.rstrip("/") or "/mcp").geturl()
