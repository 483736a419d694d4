"""Read who may ask over HTTP: the address, the token, and the hosts and origins allowed.

Loopback needs no token, since whoever can reach it can read the index's files too; what other
machines can reach does.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from blog_search_mcp.index.command_line import read_absolute
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.settings import Access, Address

DEFAULT_ADDRESS = "127.0.0.1:8765"

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/*,?#]+")
_NAME = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{16,}=*")
"""What RFC 6750 allows in a bearer token."""


def parse_address(value: str) -> Address:
    """Read `HOST:PORT`, `:PORT` or `PORT`. Raises ValueError."""
    host, _, port = value.rpartition(":")
    host = host.removeprefix("[").removesuffix("]").lower() or "127.0.0.1"
    if "/" in host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise ValueError(f"{value!r} is not HOST:PORT with a port from 1 to 65535")
    return Address(host, int(port))


def parse_origin(value: str) -> str:
    """Read an origin as browsers send it. Raises ValueError."""
    origin = value.lower().rstrip("/")
    if not _ORIGIN.fullmatch(origin):
        raise ValueError(f"{value!r} is no origin such as https://example.org; one an option")
    return origin


def parse_host_name(value: str) -> str:
    """Read the name of a host, without a port. Raises ValueError."""
    name = value.lower().rstrip(".")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{value!r} is no host such as blog.example.org; leave the port out")
    return name


def parse_url(value: str) -> str:
    """Read the address of a server as clients reach it, `/mcp` by default. Raises ValueError."""
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname or not parts.port != 0:
        raise ValueError(f"{value!r} is no address such as http://192.168.1.5:8765/mcp")
    return parts._replace(path=parts.path.rstrip("/") or "/mcp").geturl()


def read_access(
    address: Address,
    file: str | None,
    variable: str,
    names: tuple[str, ...],
    origins: tuple[str, ...],
) -> Access:
    """Read who may send requests; the token is in `file`, or is the text of `variable`.

    Raises UsageError if others reach the address without a token.
    """
    token = variable.strip()
    try:
        if file is not None:
            token = read_absolute(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise UsageError(f"The token file {file} cannot be read: {error}.") from error
    if (token or file) and not _TOKEN.fullmatch(token):
        raise UsageError(
            "The token must have at least 16 letters, digits or -._~+/ and no others; "
            "make one with: openssl rand -hex 32"
        )
    if not address.is_local and not token:
        raise UsageError(
            f"{address.host!r} can be reached from other machines, so it needs a token: "
            "set BLOG_SERVER_TOKEN or give --token-file, or use 127.0.0.1."
        )
    return Access(token, names, origins)
