"""What a run of the server, or of a command over an index, works with; frozen."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Literal, TypeAlias

from blog_search_mcp.index.stores import Location

ToolsetName: TypeAlias = Literal["core", "extended", "author"]
"""Which tools are offered (`server.tools.registry`)."""

TOP_K_DEFAULT, TOP_K_MOST = 5, 20
"""Hits on a page, of the tool and of `blog-search-mcp search`."""
OFFSET_MOST = 10_000
MESSAGE_BYTES = 1 << 20
"""Longest request, over any transport. The longest useful one, every argument at its limit and
every character escaped, has about 70 KB."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where the HTTP transport listens."""

    host: str
    """A name or an address, without brackets."""
    port: int

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host == "localhost" or (self._number is not None and self._number.is_loopback)

    @property
    def is_any(self) -> bool:
        """Whether it stands for every address of this machine."""
        return self._number is not None and self._number.is_unspecified

    @property
    def _number(self) -> IPv4Address | IPv6Address | None:
        with suppress(ValueError):  # it is a name
            return ip_address(self.host)
        return None

    @property
    def url_host(self) -> str:
        """The host as it stands in a URL: an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host


@dataclass(frozen=True, slots=True)
class Access:
    """Who may send requests over HTTP."""

    token: str = field(default="", repr=False)
    """What every request must bring, empty for none."""
    names: tuple[str, ...] = ()
    """Names of this machine that a request's Host may have, besides those it certainly has."""
    origins: tuple[str, ...] = ()
    """Origins of other sites' pages that may send requests from a browser."""


ANYONE = Access()
"""Whoever reaches the address."""

CLIENTS = {
    "claude-desktop": "Claude Desktop",
    "claude-code": "Claude Code",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "windsurf": "Windsurf",
    "zed": "Zed",
    "codex": "Codex",
    "gemini": "Gemini CLI",
}
"""Each client's name by the word that a command line has for it."""


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


def index_arguments(settings: Settings) -> list[str]:
    """Return the options that say where the index is, and its embedder's server."""
    url = ("--embedder-url", settings.embedder_url) if settings.embedder_url else ()
    return ["--index", str(settings.index), *url]
