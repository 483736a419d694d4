"""The settings of one run of the server, frozen; `cli.parser` reads them from the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Literal, TypeAlias

from blog_search_mcp.index.stores import Location
from blog_search_mcp.index.types import Filters, Sort

Command: TypeAlias = Literal[
    "serve",
    "ask",
    "search",
    "doctor",
    "setup",
    "install",
    "uninstall",
    "usage",
    "similar",
    "links",
    "related",
    "audit",
    "timeline",
]

ToolsetName: TypeAlias = Literal["core", "extended", "author"]
"""Which tools are offered (`server.tools.registry`)."""

TOP_K_DEFAULT = 5
TOP_K_MOST = 20
"""Hits on a page, of the tool and of `blog-server search`."""
OFFSET_MOST = 10_000
MESSAGE_BYTES = 1 << 20
"""Longest request, over any transport. The longest useful one, every argument at its limit and
every character escaped, has about 70 KB."""


def parse_ip(host: str) -> IPv4Address | IPv6Address | None:
    """Read a numeric address, an IPv6 one with brackets or without; `None` if it is a name."""
    try:
        return ip_address(host.removeprefix("[").removesuffix("]"))
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Address:
    """Where the HTTP transport listens."""

    host: str
    """A name or an address, without brackets."""
    port: int

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        number = parse_ip(self.host)
        return self.host == "localhost" or (number is not None and number.is_loopback)

    @property
    def is_any(self) -> bool:
        """Whether it stands for every address of this machine."""
        number = parse_ip(self.host)
        return number is not None and number.is_unspecified

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

DEFAULT_NAME = "blog"
"""Of the first entry in a client's settings."""

CLIENTS = {
    "claude-desktop": "Claude Desktop",
    "claude-code": "Claude Code",
    "cursor": "Cursor",
    "vscode": "VS Code",
    "windsurf": "Windsurf",
    "zed": "Zed",
}
"""Each client's name by the word that a command line has for it."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """What `search` is to do."""

    query: str
    filters: Filters
    sort: Sort = "relevance"
    limit: int = TOP_K_DEFAULT
    offset: int = 0
    reads: bool = False
    """Whether the passage of the one hit is printed instead of the list."""
    why: bool = False
    """Whether each hit is explained."""


@dataclass(frozen=True, slots=True)
class AuthorRequest:
    """What one of the author's commands is to do (`server.cli.author.options`)."""

    command: str
    subject: str = ""
    """A file, `-` for stdin, a post's source, or words, as the command has it."""
    limit: int | None = None
    """Rows to print; `None` for the command's own default."""
    out: Path | None = None
    """The file to write, absolute; `None` for stdout."""
    is_reverse: bool = False
    fails_on: tuple[str, ...] = ()
    """Kinds of findings that make the exit status 1."""


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """What `setup`, `install` or `uninstall` is to do with a client's entry."""

    client: str
    """A word of CLIENTS; empty, for `setup`, for those that are found."""
    name: str = ""
    """The entry's; empty for the one that the index has or should have."""
    removes: bool = False
    """Set for `uninstall`."""
    prints: bool = False
    """Whether the entry is shown instead of written."""
    index: Location | None = None
    """Set for an `uninstall` of the entry over this index."""
    agrees: bool = False
    """Whether `setup` takes every client it finds without asking."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run is to do, and with what."""

    index: Location
    """The index folder, absolute; it need not exist."""
    embedder_url: str
    """Where the embedder's server answers, as given; empty for the embedder's default."""
    command: Command = "serve"
    http: Address | None = None
    """`None` serves over stdin and stdout."""
    access: Access = ANYONE
    """Who may send requests over HTTP."""
    content: Path | None = None
    """The posts' folder, absolute, if it is not where the last ingest found it."""
    watch: Path | None = None
    """The posts' folder, absolute, to keep the index up to date with while serving."""
    question: str | None = None
    """Set for `ask`."""
    author: AuthorRequest | None = None
    """Set for one of the author's commands."""
    toolset: ToolsetName = "core"
    """The tools that clients are offered."""
    usage_log: Path | None = None
    """The file that calls are logged in, absolute; `None` logs nothing."""
    since: str = ""
    """The first ISO day that `usage` reports on, empty for all."""
    json: bool = False
    """Whether the command prints JSON."""
    search: SearchRequest | None = None
    """Set for `search`."""
    setup: ClientSetup | None = None
    """Set for `setup`, `install` and `uninstall`."""


def index_arguments(settings: Settings) -> list[str]:
    """Return the options that say where the index is, and posts that were moved."""
    return [
        *("--index", str(settings.index)),
        *(("--embedder-url", settings.embedder_url) if settings.embedder_url else ()),
        *(("--content", str(settings.content)) if settings.content else ()),
    ]


def name_blog(index: Location) -> str:
    """Name a blog by its index; `index` and hidden ones go by the folder they lie in."""
    return re.sub(r"[^\w.-]+", "-", _name_parts(index.parts)[-1]) or "blog"


def _name_parts(parts: Sequence[str]) -> tuple[str, ...]:
    *above, name = parts
    if name.startswith(".blog-index-"):
        name = name.removeprefix(".blog-index-")
    elif above[1:] and (name == "index" or name.startswith(".")):
        return _name_parts(above)
    return (*above[1:], name)
