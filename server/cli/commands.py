"""The commands, except `setup`, `ingest` and those for authors. Slow imports are in functions."""

import logging
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click

from blog_search_mcp.index.embedders.endpoints import resolve_ollama
from blog_search_mcp.index.errors import BlogSearchError, ClientSettingsError, UsageError
from blog_search_mcp.index.invocation import TO_SETUP, Message, command, join_sentences
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location, open_store
from blog_search_mcp.ingest.foreign_files import decode_settings
from blog_search_mcp.ingest.last_ingest import choose_index
from blog_search_mcp.ingest.posts.walk import refuse_content_inside
from blog_search_mcp.ingest.signals import end_on_signals
from blog_search_mcp.server.cli import client_entries, client_settings, terminal
from blog_search_mcp.server.cli.client_settings import CLIENTS, Client
from blog_search_mcp.server.cli.options import Work, make_command
from blog_search_mcp.server.cli.probe import ask_server
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.mcp.browsing import LIST_POSTS
from blog_search_mcp.server.mcp.read_chunk import READ_CHUNK
from blog_search_mcp.server.mcp.search_blog import SEARCH_BLOG, find_hits, shorten_query
from blog_search_mcp.server.settings import TOKEN, Address, Settings, ToolsetName, read_absolute


class Program(click.Group):
    """The command group of the program; its help lists the commands in the given order."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Insert `serve` if no command is named, or `--help` if nothing is typed on a terminal."""
        if not args and sys.stdin is not None and sys.stdin.isatty():
            args = ["--help"]
        elif not args or (args[0].startswith("-") and args[0] not in ("--help", "--version")):
            args = ["serve", *args]
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Suggest `setup` if a folder is named in the place of a command."""
        if args[0] not in self.commands and Path(args[0]).is_dir():
            to_setup = command("setup", args[0])
            raise click.UsageError(f"{args[0]} is a folder. To index its posts: `{to_setup}`.", ctx)
        return super().resolve_command(ctx, args)

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the help."""
        return [*self.commands]


def with_settings(work: Work) -> Work:
    """Wrap `work`, so that it gets Settings instead of the options for index, embedder and server.

    A UsageError becomes click's, which gives exit status 2. Any other BlogSearchError is printed on
    stderr, and the exit status is FAILED.
    """

    @wraps(work)
    def run(
        index: Location | None,
        embedder_url: str,
        watch: Path | None = None,
        toolset: ToolsetName = "core",
        wait: bool = False,
        **arguments: Any,
    ) -> int | None:
        index = index or (choose_index(watch) if watch else locate_index())
        settings = Settings(index, embedder_url, watch, toolset, wait)
        try:
            return work(settings, **arguments)
        except UsageError as error:
            raise click.UsageError(terminal.fill_in_folders(error.message, settings)) from error
        except BlogSearchError as error:
            terminal.print_message(error.message, settings)
            return terminal.FAILED

    return run


def locate_index() -> Location:
    """Find the index for a command without --index: here, above, or in a client's entry `blog`.

    Folders above are searched up to the user's home, since those outside may be anybody's. If no
    index is found, it is the default folder here.
    """
    here, home = Path.cwd(), Path.home()
    above = (folder for folder in here.parents if folder.is_relative_to(home))
    for folder in (here, *above):
        if (folder / DEFAULT_FOLDER / "CURRENT").is_file():
            return folder / DEFAULT_FOLDER
    for client in find_clients_here().values():
        with suppress(ClientSettingsError):
            entry = dict(client_entries.list_ours(client)).get("blog", {})
            if index := client_entries.find_index(entry):
                return index
    return here / DEFAULT_FOLDER


def text_argument(name: str) -> Callable[[Work], Work]:
    """Make an argument of all remaining words, joined by spaces, so that they need no quotes."""
    return click.argument(name, nargs=-1, required=True, callback=lambda *given: " ".join(given[2]))


def read_token(host: str, file: str | None) -> str:
    """Read the token that requests to `host` need, from `file` or else BLOG_SERVER_TOKEN.

    Only a local host, which other machines cannot reach, may have no token (`""`). Raises
    UsageError for a token that is missing, unreadable or malformed.
    """
    token = os.environ.get("BLOG_SERVER_TOKEN", "").strip()
    try:
        if file is not None:
            token = decode_settings(read_absolute(file).read_bytes()).strip()
    except (OSError, ValueError) as error:
        raise UsageError(f"The token file {file} cannot be read: {error}.") from error
    if (token or file) and not TOKEN.fullmatch(token):
        raise UsageError(
            "The token must have at least 16 letters, digits or -._~+/ and no others; "
            "make one with: openssl rand -hex 32"
        )
    if not token and not Address(host, 0).is_local:
        raise UsageError(
            f"{host!r} can be reached from other machines, so it needs a token: "
            "set BLOG_SERVER_TOKEN or give --token-file, or use 127.0.0.1."
        )
    return token


@make_command("serve")
@with_settings
def serve(
    settings: Settings, http: Address | None, token_file: str | None, allow_host: tuple[str, ...]
) -> int:
    """Serve an MCP client over stdio, or several over HTTP."""
    if http is None and (token_file or allow_host):
        raise UsageError("--token-file and --allow-host are of --http, which is not given.")
    if http is not None:
        token, file = read_token(http.host, token_file), token_file and read_absolute(token_file)
        http = replace(http, token=token, token_file=file or None, names=allow_host)
    return start_server(settings, http)


def start_server(settings: Settings, address: Address | None) -> int:
    """Serve over HTTP at `address`, else over stdio, until a client or a signal ends it."""
    end_on_signals(status=0)
    logging.basicConfig(format="%(levelname)s %(message)s")
    if open_store(settings.index).stamp() is None:
        if settings.watch is not None:
            refuse_content_inside(settings.watch, settings.index)
        else:
            logging.warning("No index can be read at %s yet.", settings.index)
    if address is not None:
        from blog_search_mcp.server.http.serve import serve_http

        return serve_http(settings, address)
    if sys.stdin is not None and sys.stdin.isatty():
        waiting = "This server waits for an MCP client, which starts it by itself"
        terminal.print_message(Message(f"{waiting} (", TO_SETUP, "). Ctrl-C ends this."), settings)
    from blog_search_mcp.server.mcp.stdio import serve_stdio

    return serve_stdio(settings)


@make_command("ask")
@text_argument("question")
@with_settings
def ask_through_client(settings: Settings, question: str) -> int:
    """Print the hits and the text of the best one."""
    from blog_search_mcp.server.cli.ask import print_answer

    return print_answer(settings, question)


@make_command("search")
@text_argument("query")
@with_settings
def print_hits(settings: Settings, query: str, limit: int, as_json: bool, **filters: Any) -> int:
    """Print the hits for a question, words or an error message."""
    arguments = SEARCH_BLOG.parse({"query": query, "top_k": limit, **filters})
    engine = engine_for_one(settings)
    answer = find_hits(engine, arguments)
    from blog_search_mcp.server.format.web import answer_facts

    page = {"query": shorten_query(arguments.query), **answer_facts(answer)}
    page["notice"] = terminal.fill_in_folders(page["notice"] or "", settings) or None
    hits = page["hits"]
    if as_json:
        terminal.print_json(page)
    elif hits:
        click.echo("\n".join(terminal.format_page(page)))
        more = ", more by --limit" if page["next_offset"] else ""
        place = () if settings.index == locate_index() else ("--index", settings.index)
        opened = command("read", hits[0]["source"], hits[0]["chunk_index"], *place)
        footer = f"Hits 1 to {len(hits)} of {page['total']}{more}. To read one: {opened}"
        click.echo(terminal.format_line(footer, dim=True))
    else:
        terminal.print_message(page["notice"] or "", settings)
    return 0 if hits else 1


@make_command("read")
@click.argument("source")
@click.argument("chunk_index", type=int, default=0)
@with_settings
def print_passage(settings: Settings, as_json: bool, **arguments: Any) -> None:
    """Print a passage of the post SOURCE and the text around it."""
    engine = engine_for_one(settings, embeds=False)
    if as_json:
        from blog_search_mcp.server.format.web import passage_facts

        place = READ_CHUNK.parse(arguments)
        terminal.print_json(passage_facts(engine.read(place.source, place.chunk_index, None)))
    else:
        terminal.print_text("\n\n".join(READ_CHUNK.call(engine, arguments).texts))


@make_command("list")
@with_settings
def print_posts(settings: Settings, as_json: bool, **arguments: Any) -> None:
    """List the posts, newest first."""
    facts = dict(LIST_POSTS.call(engine_for_one(settings, embeds=False), arguments).facts or {})
    if as_json:
        terminal.print_json(facts)
        return
    for post in facts["posts"]:
        day, source = post.get("date") or " " * len("2000-01-01"), post["source"]
        click.echo(f"{day}  {terminal.format_line(source)}  {terminal.format_line(post['title'])}")
    rest = (
        "; --limit lists more." if arguments["limit"] < 100 else "; --section and others part them."
    )
    more = f"{facts['total']:,} posts in all{rest}" if facts["has_more"] else ""
    if notice := join_sentences(more, facts.get("notice")):
        terminal.print_message(notice, settings)


@make_command("doctor")
@with_settings
def check_everything(settings: Settings) -> int:
    """Find faults, and print how to fix them."""
    from blog_search_mcp.server.cli.doctor import print_checks

    return print_checks(settings, find_clients_here())


CLIENTS_EPILOG = f"CLIENT is {', '.join(CLIENTS)}."


@make_command("install", epilog=CLIENTS_EPILOG)
@click.argument("client", type=click.Choice(list(CLIENTS)), metavar="CLIENT")
@with_settings
def install(
    settings: Settings,
    client: str,
    name: str,
    prints: bool,
    url: str | None,
    token_file: str | None,
) -> None:
    """Add this server to the settings of CLIENT."""
    chosen, token = find_clients_here()[client], ""
    if url:
        token = read_token(urlsplit(url).hostname or "", token_file)
    else:
        resolve_ollama(settings.embedder_url)
        open_store(settings.index).current_number()
    if client_entries.add_entry(settings, chosen, name, prints=prints, url=url or "", token=token):
        terminal.print_text(f"Restart {chosen.title} to use it.")
    if url and not prints:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        terminal.print_text(f"The server at {url} {ask_server(url, headers)[1]}")


@make_command("uninstall", epilog=CLIENTS_EPILOG)
@click.argument("client", type=click.Choice(list(CLIENTS)), metavar="[CLIENT]", required=False)
def uninstall(client: str | None, name: str) -> int:
    """Remove this server from clients' settings.

    Without CLIENT, remove it from all clients. What stays is listed.
    """
    every = find_clients_here()
    return client_entries.remove_entries([every[client]] if client else every.values(), name)


def find_clients_here() -> dict[str, Client]:
    """Return all known clients by slug, with the paths of their settings on this machine."""
    return client_settings.find_clients(Path.home(), sys.platform, os.environ)
