"""Settings of one run of the server or of a command, and functions that read them."""

import os
import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

from blog_search_mcp.index.stores import Location, parse_index_address
from blog_search_mcp.ingest.foreign_files import decode_settings

ToolsetName: TypeAlias = Literal["core", "extended", "author"]
TOP_K_DEFAULT, TOP_K_MOST = 5, 20
"""Number of hits on a page by default and at most, for the tool and for the command `search`."""
MESSAGE_BYTES = 1 << 20
"""Longest text of an argument and longest HTTP body. The longest useful body has about 70 KB: every
argument at its limit and every character escaped."""
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{16,}=*")
"""A token of 16 characters or more that RFC 6750 allows as a bearer's."""


@dataclass(frozen=True, slots=True)
class Address:
    """Address of the HTTP server, and the requests that it accepts."""

    host: str
    """A name or an address, without brackets."""
    port: int
    token: str = field(default="", repr=False)
    """Bearer token of every request at the start, `""` if none is needed."""
    token_file: Path | None = None
    """File that has the token, which may be replaced while the server runs."""
    names: tuple[str, ...] = ()
    """Further names of this machine that the Host header may have."""

    def read_token(self) -> str:
        """Return the token that requests must bring now; `""` refuses all, as an emptied file does.

        While the file cannot be read, the token of the start holds.
        """
        with suppress(OSError, ValueError):
            if self.token_file:
                token = decode_settings(self.token_file.read_bytes()).strip()
                return token if TOKEN.fullmatch(token) else ""
        return self.token

    @property
    def is_local(self) -> bool:
        """Whether only this machine can connect."""
        return self.host in ("localhost", "127.0.0.1", "::1")

    @property
    def is_any(self) -> bool:
        """Whether it listens on every address of this machine."""
        return self.host in ("0.0.0.0", "::")

    @property
    def url_host(self) -> str:
        """The host as it stands in a URL: an IPv6 address in brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host


STOP_WITH_STDIN = "--stop-with-stdin"
"""Option of an ingest that a server runs: the ingest ends when the server closes its stdin."""
DEFAULT_ADDRESS = "127.0.0.1:8765"


@dataclass(frozen=True, slots=True)
class Settings:
    """An index and the options with which it is served or searched."""

    index: Location
    """Location of the index, which need not exist. A folder is absolute."""
    embedder_url: str = ""
    """URL of the embedding server as the user wrote it, `""` for the default."""
    watch: Path | None = None
    """Absolute path of the posts' folder that is watched while serving, if any."""
    toolset: ToolsetName = "core"
    waits: bool = False
    """Whether a query waits until the model of the embedding server is loaded."""


def index_arguments(settings: Settings) -> list[str]:
    """Return the command-line options for the index and its embedding server."""
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
    """Read the URL of an MCP server; `/mcp` is added if it is not its end. Raises ValueError."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.port != 0:
        raise ValueError(f"{value!r} is no address such as http://192.168.1.5:8765/mcp")
    return parts._replace(path=parts.path.rstrip("/").removesuffix("/mcp") + "/mcp").geturl()


def read_absolute(text: str) -> Path:
    """Read a path and make it absolute, without `..`. Raises ValueError.

    Clients start programs without a shell, so quotes, blanks, `$HOME`, `~` and `file://` are
    resolved here, unless a file has this very name.
    """
    if not os.path.lexists(text):
        text = re.sub(r"\$\{env:(\w+)\}", r"${\1}", text.strip(" \t\r\n\"'"))
        text = os.path.expandvars(text)
        if text.startswith("file://"):
            from urllib.request import url2pathname  # imports http.client, which takes 20 ms

            text = url2pathname(urlsplit(text).path)
    if not text:
        raise ValueError("it is empty; give a path")
    try:
        path = Path(text).expanduser()
    except RuntimeError as error:  # no such user has a home folder
        raise ValueError(str(error)) from error
    return path.resolve() if ".." in path.parts else path.absolute()


def read_index(text: str) -> Location:
    """Read the folder or address of an index. Raises ValueError, also for text that is no UTF-8."""
    text.encode()
    plain = text.strip(" \"'")
    address = None if plain.startswith("file://") else parse_index_address(plain)
    return address or read_absolute(text)
