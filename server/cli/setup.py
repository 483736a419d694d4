"""`blog-search-mcp setup`: from a folder of posts to an answer in a client, in one command.

The entry is written while the ingest runs, which may take long: a client that is restarted
meanwhile finds the server, and the server the index as soon as there is one.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable

import click

from blog_search_mcp.index.commands import command
from blog_search_mcp.index.errors import BlogSearchError, ClientSettingsError, UsageError
from blog_search_mcp.index.signals import SIGNALLED, block_interrupts
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.server.cli.install.clients import ClientFile, Machine, find_clients, own_file
from blog_search_mcp.server.cli.install.run import install, show_entry, uninstall
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, tell
from blog_search_mcp.server.settings import CLIENTS, Settings

SAMPLE = 10
"""Newest posts whose titles are tried as the question."""


def set_up(settings: Settings, machine: Machine, client: str | None, name: str) -> int:
    """Tell clients of the server, ingest `settings.watch` and name a question.

    `client` is a word of CLIENTS, or `all` of those that are found; without one the person chooses
    of several. Returns the exit status. Raises BlogSearchError.
    """
    if settings.watch is None or not settings.watch.is_dir():
        raise UsageError(f"{settings.watch} is no folder. Name the one that holds the posts.")
    found = find_clients(machine)
    words = found if client == "all" else [client] if client else _choose_clients(found)
    files = [own_file(machine, word) for word in words]
    written: list[tuple[ClientFile, str]] = []
    refused: list[ClientSettingsError] = []

    def write_entries() -> None:
        for file in files:
            try:
                if entry := install(settings, name, file):
                    written.append((file, entry))
            except ClientSettingsError as error:
                tell(str(error), settings)
                refused.append(error)
        sys.stdout.flush()

    status = _ingest_beside(write_entries, settings)
    if status:
        if status < SIGNALLED and open_store(settings.index).stamp() is None:
            for file, entry in written:
                uninstall(file, entry)
        return status
    if not files:
        print_text("No client was found here; most take this entry, each in a file of its own.")
        print_text(show_entry(settings, name, own_file(machine, "claude-desktop")))
    print_text(_first_question(settings, [file.client for file in files]))
    return 1 if refused else 0


def _choose_clients(found: tuple[str, ...]) -> list[str]:
    """Ask which of several clients are meant. Raises UsageError if nobody can be asked."""
    if len(found) < 2:
        return [*found]
    if not sys.stdin.isatty():
        raise UsageError(
            f"There are several clients here: {', '.join(found)}. Say which with --client, or "
            "take all with --client all."
        )
    ask = "Shall {} use the blog?".format
    return [word for word in found if click.confirm(ask(CLIENTS[word]), default=True, err=True)]


def _ingest_beside(work: Callable[[], None], settings: Settings) -> int:
    """Begin an ingest, do `work`, wait for the ingest and return its status.

    The ingest is a process that shows its progress here. It begins first, since some clients start
    the server, which ingests too, as soon as they have the entry. Ctrl-C reaches both processes:
    the ingest answers it, and this one waits for that. SIGTERM is handed on.
    """
    from blog_search_mcp.index.posts.last_ingest import IngestOptions, read_any_last_ingest
    from blog_search_mcp.index.posts.next_ingest import ingest_arguments

    assert settings.watch is not None
    last = read_any_last_ingest(open_store(settings.index))
    options = last.options if last is not None else IngestOptions()
    arguments = ingest_arguments(settings.watch, settings.index, settings.embedder_url, options)
    program = [sys.executable, "-P", "-m", "blog_search_mcp.ingest", *arguments]
    with block_interrupts(signal.SIGTERM):
        ingest = subprocess.Popen(program, stdin=subprocess.DEVNULL)
        on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
        on_end = signal.signal(signal.SIGTERM, lambda *_: ingest.terminate())
    with ingest:
        try:
            work()
            status = ingest.wait()
        except BlogSearchError:
            ingest.terminate()
            raise
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
            signal.signal(signal.SIGTERM, on_end)
    if -status in (signal.SIGINT, signal.SIGTERM):  # before it handles them
        status = SIGNALLED - status
    return status if status == 0 or status >= SIGNALLED else 1


def _first_question(settings: Settings, clients: list[str]) -> str:
    """Show how to ask, with a title of the blog as the question."""
    title = _answered_title(settings)
    searched = command("search", "--index", settings.index, "--", title)
    who = ", ".join(clients) or "the client"
    asked = f"Ask {who}, for instance: What does my blog say about {escape_controls(title)}?"
    return f"{asked}\nIn the terminal: {escape_controls(searched)}"


def _answered_title(settings: Settings) -> str:
    """Return the title of a new post that a search for it finds first and surely, if there is one.

    Raises BlogSearchError.
    """
    from blog_search_mcp.index.types import Filters
    from blog_search_mcp.server.engine import engine_for_one
    from blog_search_mcp.server.format.results import one_line

    searcher = engine_for_one(settings)
    posts = searcher.listing().posts(Filters(), "newest", SAMPLE, 0).page
    for post in posts:
        answer = searcher.search(post.title, Filters(), limit=1, offset=0)
        is_first = bool(answer.hits) and answer.hits[0].post.source == post.source
        if is_first and answer.confidence == "high":
            return one_line(post.title)
    return one_line(posts[0].title)
