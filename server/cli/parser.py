"""The command line of `blog-server` and the environment, read once into `Settings`."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.http.settings import access_of, add_http
from blog_search_mcp.server.settings import (
    CLIENTS,
    DEFAULT_NAME,
    ClientSetup,
    SearchRequest,
    Settings,
)
from blog_search_mcp.server.tools.arguments import (
    OFFSET_MOST,
    TOP_K_DEFAULT,
    TOP_K_MOST,
    search_arguments,
    whole,
)

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Mapping, Sequence

FILTERS = ("section", "tag", "after", "before")


def add_search(commands: argparse._SubParsersAction[ArgumentParser]) -> ArgumentParser:
    """Add the command to those of `blog-server`, and return it."""
    parser = commands.add_parser("search", help="search the index and print the hits")
    parser.add_argument("query", help="plain words, an identifier or an error message")
    parser.add_argument("--section", help="only posts in this folder of the blog")
    parser.add_argument("--tag", help="only posts with this tag")
    parser.add_argument("--after", metavar="DAY", help="only posts of this day or later")
    parser.add_argument("--before", metavar="DAY", help="only posts of this day or earlier")
    parser.add_argument(
        "--limit",
        type=int,
        default=TOP_K_DEFAULT,
        metavar="N",
        help=f"hits to print, 1 to {TOP_K_MOST} (default {TOP_K_DEFAULT})",
    )
    parser.add_argument(
        "--offset", type=int, default=0, metavar="N", help="hits to leave out before them"
    )
    parser.add_argument("--read", type=int, metavar="N", help="print the passage of the Nth hit")
    parser.add_argument("--why", action="store_true", help="say of each hit why it is there")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    return parser


def request_of(options: Namespace) -> SearchRequest | None:
    """Return what was meant, `None` for another command. Raises UsageError."""
    if "query" not in options:
        return None
    given: dict[str, Any] = {name: getattr(options, name) for name in FILTERS}
    return SearchRequest(
        search_arguments({"query": options.query, **given, **_page(options)}),
        reads=options.read is not None,
        why=options.why,
    )


def _page(options: Namespace) -> dict[str, int]:
    """Return which hits; the Nth alone is the page of one after N - 1 hits."""
    given = {f"--{name}": getattr(options, name) for name in ("limit", "offset", "read")}
    if options.read is not None:
        return {"top_k": 1, "offset": whole(given, "--read", 1, OFFSET_MOST) - 1}
    return {
        "top_k": whole(given, "--limit", 1, TOP_K_MOST),
        "offset": whole(given, "--offset", 0, OFFSET_MOST),
    }


DEFAULT_INDEX = ".blog-index"


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read this run's settings; exits with status 2 and a sentence if they cannot be meant."""
    parser = command_line(environment)
    options = parser.parse_args(arguments)
    try:
        access = access_of(options, environment)
        search = request_of(options)
    except UsageError as error:
        parser.error(str(error))
    return Settings(
        index=Path(options.index).expanduser().absolute(),
        embedder_url=options.embedder_url,
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


def _client_setup(options: argparse.Namespace) -> ClientSetup | None:
    if "client" not in options:
        return None
    return ClientSetup(options.client, options.name, options.removes, options.prints)


def command_line(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    """Make the parser of `blog-server`; `environment` has the defaults."""
    parser = argparse.ArgumentParser(
        prog="blog-server",
        description="Serve a blog's index to MCP clients, over stdio by default.",
    )
    _add_shared(
        parser,
        index=environment.get("BLOG_INDEX") or DEFAULT_INDEX,
        embedder_url=environment.get("OLLAMA_HOST", ""),
        content="",
    )
    _add_serving(parser, environment)
    _add_commands(parser.add_subparsers(metavar="COMMAND"))
    return parser


def _add_serving(parser: argparse.ArgumentParser, environment: Mapping[str, str]) -> None:
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


def _add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    ask = commands.add_parser("ask", help="search through a real MCP client and print the best hit")
    ask.add_argument("question", help="what to look for, in plain words")
    _add_again(ask)
    _add_again(add_search(commands))
    doctor = commands.add_parser("doctor", help="look at everything and say how to mend it")
    doctor.add_argument("--json", action="store_true", help="print the findings as JSON")
    doctor.set_defaults(doctor=True)
    _add_again(doctor)
    install = commands.add_parser("install", help="write this server into a client's settings")
    _add_client(install, removes=False)
    install.add_argument(
        "--print", dest="prints", action="store_true", help="show the entry and its place instead"
    )
    _add_again(install)
    uninstall = commands.add_parser("uninstall", help="take it out of a client's settings")
    _add_client(uninstall, removes=True)
    tokens = commands.add_parser("tokens", help="print what the tools cost a model")
    tokens.set_defaults(tokens=True)
    _add_again(tokens)
    usage = commands.add_parser("usage", help="report on the usage log")
    usage.set_defaults(usage=True)
    _add_usage_log(usage, argparse.SUPPRESS)


def _add_again(command: argparse.ArgumentParser) -> None:
    """Let the shared options follow a command's word, too."""
    _add_shared(command, index=argparse.SUPPRESS, embedder_url=argparse.SUPPRESS)


def entry_name(value: str) -> str:
    """Read a name that every client takes. Raises ArgumentTypeError for others."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value):
        raise argparse.ArgumentTypeError(
            f"{value!r} is no name for an entry; use up to 64 letters, digits, - and _."
        )
    return value


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
    parser: argparse.ArgumentParser, index: str, embedder_url: str, content: str = argparse.SUPPRESS
) -> None:
    parser.add_argument(
        "--index",
        default=index,
        metavar="DIR",
        help=f"the index folder (BLOG_INDEX; default {DEFAULT_INDEX})",
    )
    parser.add_argument(
        "--embedder-url",
        default=embedder_url,
        metavar="URL",
        help="where the embedder's server answers, if the index has one (OLLAMA_HOST)",
    )
    parser.add_argument(
        "--ollama-host", dest="embedder_url", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--content",
        default=content,
        metavar="DIR",
        help="the posts' folder, if it was moved since the ingest; only looked at for changes",
    )
