"""The command line of `blog-server` and the environment, read once into `Settings`.

An option is one `add_argument` here and one field of `Settings` by the same name.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from blog_search_mcp.index.command_line import CommandLine, read_absolute, read_index, read_whole
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location
from blog_search_mcp.server.cli.author.options import add_author_commands, read_request
from blog_search_mcp.server.http.settings import add_http_options, read_access
from blog_search_mcp.server.settings import (
    CLIENTS,
    DEFAULT_NAME,
    OFFSET_MOST,
    TOP_K_DEFAULT,
    TOP_K_MOST,
    ClientSetup,
    Command,
    SearchRequest,
    Settings,
)


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read this run's settings; exits with status 2 and a sentence if one is wrong."""
    parser = make_parser(environment)
    options = parser.read(arguments)
    try:
        _refuse_second_index(arguments)
        return _make_settings(options, environment)
    except UsageError as error:
        parser.error(str(error))


def _make_settings(options: argparse.Namespace, environment: Mapping[str, str]) -> Settings:
    """Make the settings of parsed options. Raises UsageError."""
    command: Command = options.command or "serve"
    settings = Settings(
        index=options.index or _default_index(options.watch),
        embedder_url=options.embedder_url,
        command=command,
        http=options.http,
        access=read_access(options, environment),
        content=options.content,
        watch=options.watch,
        question=getattr(options, "question", None),
        author=read_request(options),
        toolset=options.toolset,
        usage_log=options.usage_log,
        since=getattr(options, "since", ""),
        json=getattr(options, "json", False),
        search=_make_search_request(options) if command == "search" else None,
        setup=_make_client_setup(options, command) if "client" in options else None,
    )
    if command in ("setup", "install"):
        _check_embedder_url(options.embedder_url)
    return settings


def _make_client_setup(options: argparse.Namespace, command: Command) -> ClientSetup:
    return ClientSetup(
        client=options.client,
        name=options.name or "",
        removes=command == "uninstall",
        prints=options.prints,
        index=options.entry_index,
        agrees=options.agrees,
    )


def _refuse_second_index(arguments: Sequence[str]) -> None:
    """Raise UsageError if two indexes are given, of which argparse would take the last."""
    options = takewhile(lambda word: word != "--", arguments)
    if sum(word.partition("=")[0] == "--index" for word in options) > 1:
        raise UsageError(
            "--index can be given once: a server has one index. Give a second blog an entry of its "
            "own, with `blog-server install CLIENT --index DIR`."
        )


def _check_embedder_url(given: str) -> None:
    """Raise UsageError, without the address, for one that no entry should hold."""
    from blog_search_mcp.index.embedders.ollama.host import resolve_url

    try:
        for url in given.split(","):
            resolve_url(url)
    except UsageError as error:
        raise UsageError(
            "The embedder's address holds a name or password, or is no address. Correct "
            "OLLAMA_HOST, EMBEDDER_URL or --embedder-url: such as http://127.0.0.1:11434."
        ) from error


def _default_index(watched: Path | None) -> Location:
    """Return the index below the current folder, or the one beside the posts that are watched."""
    if watched is None:
        return read_absolute(DEFAULT_FOLDER)
    from blog_search_mcp.index.posts.next_ingest import index_beside

    return index_beside(watched)


def _make_search_request(options: argparse.Namespace) -> SearchRequest:
    """Check query and filters as the tool does. Raises UsageError."""
    from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG

    names = ("query", "section", "tag", "after", "before")
    arguments = SEARCH_BLOG.parse({name: getattr(options, name) for name in names})
    reads = options.read is not None
    return SearchRequest(
        query=arguments.query,
        filters=arguments.filters,
        sort="newest" if options.newest else "relevance",
        limit=1 if reads else options.limit,
        offset=options.read - 1 if reads else options.offset,
        reads=reads,
        why=options.why,
    )


def make_parser(environment: Mapping[str, str]) -> CommandLine:
    """Make the parser of `blog-server`; `environment` has the defaults."""
    parser: CommandLine = _ServerLine(
        prog="blog-server",
        description="Serve a blog's index to MCP clients, over stdio by default.",
    )
    _add_shared(
        parser,
        index=environment.get("BLOG_INDEX") or None,
        embedder_url=environment.get("EMBEDDER_URL") or environment.get("OLLAMA_HOST", ""),
        content=None,
    )
    add_http_options(parser)
    _add_toolset(parser, "core")
    parser.add_argument(
        "--watch",
        type=read_absolute,
        metavar="CONTENT",
        help="ingest this folder of posts now and whenever it changes while serving",
    )
    _add_usage_log(parser, environment.get("BLOG_USAGE_LOG") or None)
    parser.add_version()
    _add_commands(parser.add_subparsers(dest="command", metavar="COMMAND"))
    return parser


class _ServerLine(CommandLine):
    """Also knows what a folder in the place of a command is meant for."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.dest == "command" and value not in (action.choices or ()) and _is_folder(value):
            from blog_search_mcp.index.commands import SERVER, command

            advice = "To index its posts and tell a client of them"
            words = f"{value!r} is a folder. {advice}: `{command(SERVER, 'setup', value)}`"
            raise argparse.ArgumentError(action, words)
        super()._check_value(action, value)


def _is_folder(text: str) -> bool:
    try:
        return Path(text).is_dir()
    except OSError:  # a name too long for one
        return False


def _add_commands(commands: argparse._SubParsersAction[CommandLine]) -> None:
    ask = commands.add_parser("ask", help="search through a real MCP client and print the best hit")
    ask.add_argument("question", help="what to look for, in plain words")
    search = commands.add_parser("search", help="search the index and print the hits")
    _add_search(search)
    doctor = commands.add_parser("doctor", help="look at everything and say how to mend it")
    setup = commands.add_parser("setup", help="make the index of a blog and tell a client of it")
    _add_setup(setup)
    install = commands.add_parser("install", help="write this server into a client's settings")
    _add_client(install)
    install.add_argument(
        "--print", dest="prints", action="store_true", help="show the entry and its place instead"
    )
    uninstall = commands.add_parser("uninstall", help="take it out of a client's settings")
    _add_client(uninstall)
    uninstall.add_argument(
        "--index",
        dest="entry_index",
        type=read_index,
        metavar="DIR",
        help="the index of the entry",
    )
    usage = commands.add_parser("usage", help="report on the usage log, and on what readers miss")
    _add_usage_log(usage, argparse.SUPPRESS)
    usage.add_argument(
        "--since",
        type=_read_first_day,
        default=argparse.SUPPRESS,
        metavar="DAY",
        help="only calls of this day or later: YYYY-MM-DD, or 90d for the last 90 days",
    )
    usage.add_argument("--json", action="store_true", help="print the report as JSON")
    _add_toolset(usage, argparse.SUPPRESS)
    for command in (ask, search, doctor, install, usage):  # where the options may stand too
        _add_shared(command, index=argparse.SUPPRESS, embedder_url=argparse.SUPPRESS)
    add_author_commands(
        commands, partial(_add_shared, index=argparse.SUPPRESS, embedder_url=argparse.SUPPRESS)
    )


def _add_toolset(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--toolset",
        choices=["core", "extended", "author"],
        default=default,
        help="extended adds list_posts and get_outline to search_blog and read_chunk",
    )


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("query", help="plain words, an identifier or an error message")
    parser.add_argument("--section", help="only posts in this folder of the blog")
    parser.add_argument("--tag", help="only posts with this tag")
    parser.add_argument("--after", metavar="DAY", help="only posts of this day or later")
    parser.add_argument("--before", metavar="DAY", help="only posts of this day or earlier")
    parser.add_argument(
        "--limit",
        type=read_whole(1, TOP_K_MOST),
        default=TOP_K_DEFAULT,
        metavar="N",
        help=f"hits to print, 1 to {TOP_K_MOST} (default {TOP_K_DEFAULT})",
    )
    parser.add_argument(
        "--offset",
        type=read_whole(0, OFFSET_MOST),
        default=0,
        metavar="N",
        help="hits to leave out before them",
    )
    parser.add_argument(
        "--read",
        type=read_whole(1, OFFSET_MOST),
        metavar="N",
        help="print the passage of the Nth hit",
    )
    parser.add_argument(
        "--newest", action="store_true", help="the newest of the posts that fit, newest first"
    )
    parser.add_argument("--why", action="store_true", help="say of each hit why it is there")
    parser.add_argument("--json", action="store_true", help="print it as JSON")


def _read_first_day(value: str) -> str:
    """Read an ISO day, or how many days ago (UTC, as the log). Raises ArgumentTypeError."""
    ago = re.fullmatch(r"([0-9]{1,5})d", value)
    try:
        day = (
            datetime.now(UTC).date() - timedelta(int(ago[1])) if ago else date.fromisoformat(value)
        )
    except ValueError:
        rule = "is no day such as 2026-01-31, and no number of days such as 90d"
        raise argparse.ArgumentTypeError(f"{value!r} {rule}.") from None
    return day.isoformat()


def read_entry_name(value: str) -> str:
    """Read a name that every client takes. Raises ArgumentTypeError for others."""
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value):
        raise argparse.ArgumentTypeError(
            f"{value!r} is no name for an entry; use up to 64 letters, digits, - and _."
        )
    return value


def _add_client(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(prints=False, agrees=False, entry_index=None)
    parser.add_argument("client", choices=CLIENTS, help=", ".join(CLIENTS), metavar="CLIENT")
    _add_name(parser)


def _add_setup(parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(prints=False, entry_index=None)
    parser.add_argument(
        "watch", metavar="CONTENT", type=read_absolute, help="the folder that holds the posts"
    )
    parser.add_argument(
        "--client",
        choices=CLIENTS,
        default="",
        metavar="CLIENT",
        help="the client to tell (default: those that are found)",
    )
    _add_name(parser)
    parser.add_argument(
        "--yes", dest="agrees", action="store_true", help="tell every client found, without asking"
    )
    parser.add_argument(
        "--index",
        type=read_index,
        default=argparse.SUPPRESS,
        metavar="DIR",
        help="the index folder, or milvus://HOST:PORT/NAME "
        f"(default: {DEFAULT_FOLDER} beside the posts)",
    )
    parser.add_argument(
        "--embedder-url",
        default=argparse.SUPPRESS,
        metavar="URL",
        help="where the embedder's server answers, if it is not where OLLAMA_HOST says",
    )


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--name",
        type=read_entry_name,
        help=f"the entry's name there (default {DEFAULT_NAME}, for another index with its folder)",
    )


def _add_usage_log(parser: argparse.ArgumentParser, default: str | None) -> None:
    parser.add_argument(
        "--usage-log",
        type=read_absolute,
        default=default,
        metavar="FILE",
        help="note each call of a tool in this local file (BLOG_USAGE_LOG; default: none)",
    )


def _add_shared(
    parser: argparse.ArgumentParser,
    index: str | None,
    embedder_url: str,
    content: str | None = argparse.SUPPRESS,
) -> None:
    parser.add_argument(
        "--index",
        type=read_index,
        default=index,
        metavar="DIR",
        help=f"the index folder, or milvus://HOST:PORT/NAME (BLOG_INDEX; default {DEFAULT_FOLDER})",
    )
    parser.add_argument(
        "--embedder-url",
        default=embedder_url,
        metavar="URL",
        help="where the embedder's server answers, if it has one (EMBEDDER_URL, OLLAMA_HOST)",
    )
    parser.add_argument(
        "--ollama-host", dest="embedder_url", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--content",
        type=read_absolute,
        default=content,
        metavar="DIR",
        help="the posts' folder, if it was moved since the ingest; only looked at for changes",
    )
