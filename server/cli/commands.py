"""The commands over an index but those for authors. What one needs is imported when it runs."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blog_search_mcp.index.command_line import (
    FAILED,
    embedder_url_option,
    index_option,
    json_option,
    read_absolute,
)
from blog_search_mcp.index.commands import command
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, tell, with_folders
from blog_search_mcp.server.http.settings import (
    DEFAULT_ADDRESS,
    parse_address,
    parse_host_name,
    parse_origin,
    read_access,
)
from blog_search_mcp.server.settings import (
    ANYONE,
    CLIENTS,
    TOP_K_DEFAULT,
    TOP_K_MOST,
    Address,
    Settings,
    ToolsetName,
)

if TYPE_CHECKING:
    from blog_search_mcp.server.cli.client_settings import ClientFile

Command = Callable[..., int]


class Program(click.Group):
    """The group of all commands, in the order in which they were given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Serve where no command is named, but for a person who types nothing print the help."""
        options = {name for option in self.get_params(ctx) for name in option.opts}
        if not args and sys.stdin is not None and sys.stdin.isatty():
            args = ["--help"]
        elif not args or (args[0].startswith("-") and args[0] not in options):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command; a folder in its place is answered with what it is meant for."""
        with suppress(OSError):  # a name too long for one
            if cmd_name not in self.commands and Path(cmd_name).is_dir():
                setup = command("setup", cmd_name)
                advice = f"To index its posts and tell a client of them: `{setup}`"
                ctx.fail(f"{cmd_name!r} is a folder. {advice}.")
        return super().get_command(ctx, cmd_name)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Name what a newcomer needs first."""
        return [*self.commands]


def over_index(work: Command) -> Command:
    """Add the options of all commands over an index; `work` gets them as Settings.

    Other options that Settings has, such as `--toolset`, are in them too. A UsageError is a
    mistake on the command line; another failure is a sentence on stderr and the status FAILED.
    """

    @index_option()
    @embedder_url_option
    @wraps(work)
    def run(
        index: Location | None,
        embedder_url: str,
        watch: Path | None = None,
        toolset: ToolsetName = "core",
        usage_log: Path | None = None,
        **arguments: Any,
    ) -> int:
        index = index or _default_index(watch)
        settings = Settings(index, embedder_url, watch, toolset, usage_log)
        try:
            return work(settings, **arguments)
        except UsageError as error:
            sentence = escape_controls(with_folders(str(error), settings))
            raise click.UsageError(sentence, click.get_current_context()) from error
        except BlogSearchError as error:
            tell(str(error), settings)
            return FAILED

    result: Command = run
    return result


def _default_index(watched: Path | None) -> Location:
    """Return the index below the current folder, or the one beside the posts that are watched."""
    if watched is None:
        return read_absolute(DEFAULT_FOLDER)
    from blog_search_mcp.index.posts.last_ingest import index_beside

    return index_beside(watched)


def words_argument(name: str) -> Callable[[Command], Command]:
    """Make an argument of plain words, which need no quotes."""
    return click.argument(name, nargs=-1, required=True, callback=lambda *given: " ".join(given[2]))


def limit_option(most: int, default: int, least: int = 1) -> Callable[[Command], Command]:
    """Make the option that says how many are printed."""
    return click.option(
        "--limit",
        type=click.IntRange(least, most),
        default=default,
        show_default=True,
        metavar="N",
        help=f"How many to print, at most {most:,}.",
    )


usage_log_option = click.option(
    "--usage-log",
    type=read_absolute,
    envvar="BLOG_USAGE_LOG",
    show_envvar=True,
    metavar="FILE",
    help="The local file in which each call of a tool is noted.  [default: none]",
)


def filter_options(command: Command) -> Command:
    """Add the options that let only some posts through."""
    for option in (
        click.option("--before", metavar="DAY", help="Only posts of this day or earlier."),
        click.option("--after", metavar="DAY", help="Only posts of this day or later."),
        click.option("--tag", help="Only posts with this tag."),
        click.option("--section", help="Only posts in this folder of the blog."),
    ):
        command = option(command)
    return command


@click.command()
@click.option(
    "--http",
    type=parse_address,
    is_flag=False,
    flag_value=DEFAULT_ADDRESS,
    metavar="[HOST:PORT]",
    help=f"Serve streamable HTTP at /mcp instead, by default on {DEFAULT_ADDRESS}.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="A file with the bearer token that HTTP clients must send, or set BLOG_SERVER_TOKEN.",
)
@click.option(
    "--cors",
    multiple=True,
    type=parse_origin,
    metavar="ORIGIN",
    help="Let pages of this origin ask over HTTP; may be given again.",
)
@click.option(
    "--allow-host",
    multiple=True,
    type=parse_host_name,
    metavar="NAME",
    help="Answer HTTP requests to this name of the machine too; may be given again.",
)
@click.option(
    "--toolset",
    type=click.Choice(["core", "extended", "author"]),
    default="core",
    show_default=True,
    help="core has search_blog and read_chunk; extended adds list_posts and get_outline, author "
    "what those who write the posts need.",
)
@click.option(
    "--watch",
    type=read_absolute,
    metavar="CONTENT",
    help="Ingest this folder of posts now and whenever it changes; the index is by default "
    f"{DEFAULT_FOLDER} beside it.",
)
@usage_log_option
@over_index
def serve(
    settings: Settings,
    http: Address | None,
    token_file: str | None,
    cors: tuple[str, ...],
    allow_host: tuple[str, ...],
) -> int:
    """Serve an MCP client over stdin and stdout, or any over HTTP."""
    from blog_search_mcp.server.cli.serve import serve

    access = ANYONE
    if http is not None:
        token = os.environ.get("BLOG_SERVER_TOKEN", "")
        access = read_access(http, token_file, token, allow_host, cors)
    return serve(settings, http, access)


@click.command()
@words_argument("question")
@over_index
def ask(settings: Settings, question: str) -> int:
    """Search through a real MCP client and print the best hit."""
    from blog_search_mcp.server.cli.ask import ask

    return ask(settings, question)


@click.command()
@words_argument("query")
@filter_options
@limit_option(TOP_K_MOST, TOP_K_DEFAULT)
@click.option("--why", is_flag=True, help="Say of each hit why it is there.")
@json_option
@over_index
def search(
    settings: Settings, query: str, limit: int, why: bool, as_json: bool, **filters: Any
) -> int:
    """Print the hits for words, an identifier or an error message."""
    from blog_search_mcp.server.cli.display import search
    from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG

    arguments = SEARCH_BLOG.parse({"query": query, "top_k": limit, **filters})
    return search(settings, arguments, why=why, as_json=as_json)


@click.command()
@click.argument("source")
@click.argument("chunk_index", type=int, default=0)
@over_index
def read(settings: Settings, **arguments: Any) -> int:
    """Print a passage of the post SOURCE, with a page around it."""
    from blog_search_mcp.server.tools.read_chunk import READ_CHUNK

    return _print_reply(READ_CHUNK, settings, arguments)


@click.command("list")
@filter_options
@limit_option(100, 20)
@over_index
def list_posts(settings: Settings, **arguments: Any) -> int:
    """List the posts, the newest first."""
    from blog_search_mcp.server.tools.list_posts import LIST_POSTS

    return _print_reply(LIST_POSTS, settings, arguments)


def _print_reply(tool: Any, settings: Settings, arguments: dict[str, Any]) -> int:
    """Print what a tool answers."""
    from blog_search_mcp.server.engine import engine_for_one

    reply = tool.call(engine_for_one(settings), arguments)
    print_text(escape_controls("\n\n".join(reply.texts)))
    return 0


@click.command()
@over_index
def doctor(settings: Settings) -> int:
    """Look at everything, and say how to mend what is wrong."""
    from blog_search_mcp.server.cli.doctor import doctor

    return doctor(settings, _client_files(), os.environ.get("PATH"))


def read_entry_name(value: str) -> str:
    """Read a name that every client takes. Raises ValueError for others."""
    if value and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value):
        raise ValueError(
            f"{value!r} is no name for an entry; use up to 64 letters, digits, - and _."
        )
    return value


def name_option(command: Command) -> Command:
    """Add the option that names an entry."""
    return click.option(
        "--name",
        type=read_entry_name,
        default="",
        help="The entry's name in the client's settings.  [default: blog, for another index with "
        "its folder]",
    )(command)


@click.command()
@click.argument("watch", metavar="CONTENT", type=read_absolute)
@click.option(
    "--client",
    type=click.Choice([*CLIENTS, "all"]),
    metavar="CLIENT",
    help=f"The client to tell: {', '.join(CLIENTS)}; or all that are found.  [default: the one "
    "that is found; of several it asks]",
)
@name_option
@over_index
def setup(settings: Settings, client: str | None, name: str) -> int:
    """Make the index of a folder of posts, and tell a client of it."""
    from blog_search_mcp.index.embedders.addresses import resolve_ollama
    from blog_search_mcp.server.cli.install import set_up

    resolve_ollama(settings.embedder_url)  # which an entry may not hold a password in
    return set_up(settings, _client_files(), client, name)


client_argument = click.argument("client", type=click.Choice(list(CLIENTS)), metavar="CLIENT")
_CLIENTS = f"CLIENT is {', '.join(CLIENTS)}."


@click.command(epilog=_CLIENTS)
@client_argument
@name_option
@click.option("--print", "prints", is_flag=True, help="Show the entry and its place instead.")
@over_index
def install(settings: Settings, client: str, name: str, prints: bool) -> int:
    """Write this server into the settings of CLIENT."""
    from blog_search_mcp.index.embedders.addresses import resolve_ollama
    from blog_search_mcp.server.cli.install import add_entry

    resolve_ollama(settings.embedder_url)
    add_entry(settings, _client_files()[client], name, prints=prints)
    return 0


@click.command(epilog=_CLIENTS)
@client_argument
@name_option
def uninstall(client: str, name: str) -> int:
    """Take it out of the settings of CLIENT."""
    from blog_search_mcp.server.cli.install import remove_entry

    try:
        remove_entry(_client_files()[client], name)
    except BlogSearchError as error:
        raise click.ClickException(escape_controls(str(error))) from error
    return 0


def _client_files() -> dict[str, ClientFile]:
    from blog_search_mcp.server.cli.client_settings import client_files

    return client_files(Path.home(), sys.platform, os.environ)
