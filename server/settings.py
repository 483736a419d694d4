"""Settings of a server or command, and functions that parse paths, addresses and URLs."""

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
"""Default and maximum number of hits or suggestions per call of a tool or command."""
MESSAGE_BYTES = 1 << 20
"""Maximum bytes of an HTTP body, and maximum characters of a text argument. A draft at its limit
has 600 KB if JSON escapes every character as a surrogate pair."""
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{16,}=*")
"""Pattern of a bearer token (RFC 6750) with at least 16 characters before the padding."""


@dataclass(frozen=True, slots=True)
class Address:
    """Address of the HTTP server, with the token and host names of accepted requests."""

    host: str
    """Host name or IP address; an IPv6 address has no brackets."""
    port: int
    token: str = field(default="", repr=False)
    """Bearer token that requests need, as read at the start; `""` if they need none."""
    token_file: Path | None = None
    """File with the token. It is read again at each request, so that the token can be changed."""
    names: tuple[str, ...] = ()
    """Additional names that the Host and Origin headers may have (`--allow-host`)."""

    def read_token(self) -> str:
        """Return the token that requests need now; `""`, which refuses all, if it is malformed.

        If the file cannot be read or decoded, the token is the one read at the start.
        """
        with suppress(OSError, ValueError):
            if self.token_file:
                token = decode_settings(self.token_file.read_bytes()).strip()
                return token if TOKEN.fullmatch(token) else ""
        return self.token

    @property
    def is_local(self) -> bool:
        """Whether the host is a usual loopback name or address, which only this machine reaches."""
        return self.host in ("localhost", "127.0.0.1", "::1")

    @property
    def is_any(self) -> bool:
        """Whether the server listens on every address of this machine."""
        return self.host in ("0.0.0.0", "::")

    @property
    def url_host(self) -> str:
        """The host as written in a URL: an IPv6 address has brackets."""
        return f"[{self.host}]" if ":" in self.host else self.host


STOP_WITH_STDIN = "--stop-with-stdin"
"""Option of an ingest that a server runs. The ingest ends when the server closes its stdin."""
DEFAULT_ADDRESS = "127.0.0.1:8765"


@dataclass(frozen=True, slots=True)
class Settings:
    """An index, and the options of the server or command that uses it."""

    index: Location
    """Absolute folder or address of the index. It need not exist."""
    embedder_url: str = ""
    """URL of the embedding server as the user wrote it, `""` for the default."""
    watch: Path | None = None
    """Absolute path of the folder of posts to watch while serving, if any."""
    toolset: ToolsetName = "core"
    waits: bool = False
    """Whether a query waits until the embedding server has loaded its model."""


def index_arguments(settings: Settings) -> list[str]:
    """Return the command-line options for the index and its embedding server."""
    url = ("--embedder-url", settings.embedder_url) if settings.embedder_url else ()
    return ["--index", str(settings.index), *url]


def parse_address(value: str) -> Address:
    """Parse `HOST:PORT`, `:PORT` or `PORT`. The default host is 127.0.0.1. Raises ValueError."""
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]").lower() or "127.0.0.1"
    if "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"{value!r} is not HOST:PORT with a port from 1 to 65535")
    return Address(host, int(port))


def parse_url(value: str) -> str:
    """Return the URL of an MCP server; `/mcp` is appended if it is missing. Raises ValueError."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.port != 0:
        raise ValueError(f"{value!r} is no address such as http://192.168.1.5:8765/mcp")
    return parts._replace(path=parts.path.rstrip("/").removesuffix("/mcp") + "/mcp").geturl()


def read_absolute(text: str) -> Path:
    """Return the absolute path that a text names, without `..`. Raises ValueError.

    Clients start programs without a shell, so `~` is expanded here. Unless a file or folder `text`
    exists, outer quotes and blanks are stripped, and `$HOME`, `${env:HOME}` and `file://` resolved.
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
    """Parse the folder or address of an index. Raises ValueError, also if `text` was not UTF-8."""
    text.encode()
    plain = text.strip(" \"'")
    address = None if plain.startswith("file://") else parse_index_address(plain)
    return address or read_absolute(text)
