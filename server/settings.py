"""The command line and the environment, read once, as one frozen value.

Everything below takes a `Settings`; nothing else in `server` looks at either.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from index.errors import UsageError
from server.clients import CLIENTS
from server.http_settings import ANYONE, Access, Address, access_of, add_http
from server.search_settings import SearchRequest, add_search, request_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

DEFAULT_INDEX = ".blog-index"
DEFAULT_NAME = "blog"
"""Of the entry in a client's settings."""


@dataclass(frozen=True, slots=True)
class ClientSetup:
    """What `install` or `uninstall` is to do with one client's entry."""

    client: str
    """A word of CLIENTS."""
    name: str = DEFAULT_NAME
    removes: bool = False
    """Set for `uninstall`."""
    prints: bool = False
    """Whether the entry is shown instead of written."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run was asked to do."""

    index: Path
    """The index folder, absolute; it need not exist."""
    ollama_host: str
    """As given, in any form Ollama itself takes; empty for Ollama's own default."""
    http: Address | None = None
    """`None` serves over stdin and stdout."""
    access: Access = ANYONE
    """Who may ask over HTTP."""
    content: Path | None = None
    """The posts' folder, absolute, if it is not where the last ingest found it."""
    watch: Path | None = None
    """The posts' folder, absolute, to keep the index up to date with while serving."""
    question: str | None = None
    """Set for `ask`: put this question to a server of our own and print the answer."""
    doctor: bool = False
    """Set for `doctor`: look at everything that serving needs and say what is wrong."""
    extended: bool = False
    """Whether clients are offered `list_posts` and `get_outline` too."""
    usage_log: Path | None = None
    """The file that calls are noted in, absolute; `None` notes nothing."""
    usage: bool = False
    """Set for `usage`: report on the usage log."""
    tokens: bool = False
    """Set for `tokens`: print what the tools cost a model."""
    json: bool = False
    """Whether `doctor` and `search` print JSON."""
    search: SearchRequest | None = None
    """Set for `search`: print the hits, or the passage of one."""
    setup: ClientSetup | None = None
    """Set for `install` and `uninstall`."""


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read this run's settings; exits with status 2 and a sentence if they cannot be meant."""
    parser = _parser(environment)
    options = parser.parse_args(arguments)
    try:
        access = access_of(options, environment)
        search = request_of(options)
    except UsageError as error:
        parser.error(str(error))
    return Settings(
        index=Path(options.index).expanduser().absolute(),
        ollama_host=options.ollama_host,
        http=options.http,
        access=access,
        content=Path(options.content).expanduser().absolute() if options.content else None,
        watch=Path(options.watch).expanduser().absolute() if options.watch else None,
        question=getattr(options, "question", None),
        doctor=getattr(options, "doctor", False),
        extended=options.toolset == "extended",
        usage_log=Path(options.usage_log).expanduser().absolute() if options.usage_log else None,
        usage=getattr(options, "usage", False),
        tokens=getattr(options, "tokens", False),
        json=getattr(options, "json", False),
        setup=_client_setup(options),
        search=search,
    )


def entry_name(value: str) -> str:
    """Read a name that every client takes. Raises ArgumentTypeError for others."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value):
        raise argparse.ArgumentTypeError(
            f"{value!r} is no name for an entry; use up to 64 letters, digits, - and _."
        )
    return value


def _client_setup(options: argparse.Namespace) -> ClientSetup | None:
    if "client" not in options:
        return None
    return ClientSetup(options.client, options.name, options.removes, options.prints)


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blog-server",
        description="Serve a blog's index to MCP clients, over stdio by default.",
    )
    _add_shared(
        parser,
        index=environment.get("BLOG_INDEX") or DEFAULT_INDEX,
        ollama_host=environment.get("OLLAMA_HOST", ""),
        content="",
    )
    add_http(parser)
    parser.add_argument(
        "--toolset",
        choices=["core", "extended"],
        default="core",
        help="extended adds list_posts and get_outline to search_blog and read_chunk",
    )
    parser.add_argument(
        "--watch",
        metavar="CONTENT",
        help="ingest this folder of posts now and whenever it changes while serving",
    )
    _add_usage_log(parser, environment.get("BLOG_USAGE_LOG", ""))
    commands = parser.add_subparsers(metavar="COMMAND")
    ask = commands.add_parser("ask", help="search through a real MCP client and print the best hit")
    ask.add_argument("question", help="what to look for, in plain words")
    _add_shared(ask, index=argparse.SUPPRESS, ollama_host=argparse.SUPPRESS)
    _add_shared(add_search(commands), index=argparse.SUPPRESS, ollama_host=argparse.SUPPRESS)
    doctor = commands.add_parser("doctor", help="look at everything and say how to mend it")
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.set_defaults(doctor=True)
    _add_shared(doctor, index=argparse.SUPPRESS, ollama_host=argparse.SUPPRESS)
    install = commands.add_parser("install", help="write this server into a client's settings")
    _add_client(install, removes=False)
    install.add_argument(
        "--print", dest="prints", action="store_true", help="show the entry and its place instead"
    )
    _add_shared(install, index=argparse.SUPPRESS, ollama_host=argparse.SUPPRESS)
    uninstall = commands.add_parser("uninstall", help="take it out of a client's settings")
    _add_client(uninstall, removes=True)
    tokens = commands.add_parser("tokens", help="print what the tools cost a model")
    tokens.set_defaults(tokens=True)
    _add_shared(tokens, index=argparse.SUPPRESS, ollama_host=argparse.SUPPRESS)
    usage = commands.add_parser("usage", help="report on the usage log")
    usage.set_defaults(usage=True)
    _add_usage_log(usage, argparse.SUPPRESS)
    return parser


def _add_client(parser: argparse.ArgumentParser, removes: bool) -> None:
    parser.set_defaults(removes=removes, prints=False)
    parser.add_argument("client", choices=CLIENTS, help=", ".join(CLIENTS), metavar="CLIENT")
    parser.add_argument(
        "--name",
        default=DEFAULT_NAME,
        type=entry_name,
        help=f"the entry's name there (default {DEFAULT_NAME})",
    )


def _add_usage_log(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--usage-log",
        default=default,
        metavar="FILE",
        help="note each call of a tool in this local file (BLOG_USAGE_LOG; default: none)",
    )


def _add_shared(
    parser: argparse.ArgumentParser, index: str, ollama_host: str, content: str = argparse.SUPPRESS
) -> None:
    parser.add_argument(
        "--index",
        default=index,
        metavar="DIR",
        help=f"the index folder (BLOG_INDEX; default {DEFAULT_INDEX})",
    )
    parser.add_argument(
        "--ollama-host",
        default=ollama_host,
        metavar="URL",
        help="where Ollama answers, if the index was built with it (OLLAMA_HOST)",
    )
    parser.add_argument(
        "--content",
        default=content,
        metavar="DIR",
        help="the posts' folder, if it was moved since the ingest; only looked at for changes",
    )
