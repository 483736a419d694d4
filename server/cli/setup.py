"""`blog-search-mcp setup`: from a folder of posts to an answer in a client, in one command.

The entry is written while the ingest runs, which may take long: a client that is restarted
meanwhile finds the server, and the server the index as soon as there is one.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys

from blog_search_mcp.index.commands import command
from blog_search_mcp.index.errors import BlogSearchError, ClientSettingsError, UsageError
from blog_search_mcp.index.signals import SIGNALLED, block_interrupts
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.server.cli.install.clients import ClientFile, Machine, find_clients, own_file
from blog_search_mcp.server.cli.install.entries import describe_entry
from blog_search_mcp.server.cli.install.run import Installed, install, plan_entry, uninstall
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, tell
from blog_search_mcp.server.settings import CLIENTS, Settings

SAMPLE = 10
"""Newest posts whose titles are tried as the question."""


def set_up(
    settings: Settings, machine: Machine, client: str | None, name: str, *, agrees: bool
) -> int:
    """Tell clients of the server, ingest and name a question; return the exit status.

    `client` is a word of CLIENTS; without one those found are told, of several those that the
    person chooses or with `agrees` all. Raises BlogSearchError.
    """
    content = settings.watch
    assert content is not None
    if not content.is_dir():
        raise UsageError(f"{content} is no folder. Name the one that holds the posts.")
    words = (client,) if client else _choose_clients(find_clients(machine), agrees)
    files = [own_file(machine, word) for word in words]
    to_paste = None if files else _entry_to_paste(settings, name, machine)
    installed, status = _install_and_ingest(settings, name, files)
    if status:
        if status < SIGNALLED and open_store(settings.index).stamp() is None:
            _take_back(installed)
        return status
    if to_paste:
        print_text(to_paste)
    print_text(_first_question(settings, [file.client for file in files]))
    return 1 if None in installed.values() else 0


def parse_choice(line: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Read an answer such as `1, 3`; nothing means all, `None` is returned for what means none."""
    numbers = re.split(r"[\s,]+", line.strip()) if line.strip() else range(1, len(words) + 1)
    chosen = [words[int(n) - 1] for n in numbers if str(n).isdecimal() and 0 < int(n) <= len(words)]
    return tuple(dict.fromkeys(chosen)) if len(chosen) == len(numbers) else None


def _choose_clients(found: tuple[str, ...], agrees: bool) -> tuple[str, ...]:
    """Return words of CLIENTS. Raises UsageError if nobody can be asked."""
    if len(found) < 2 or agrees:
        return found
    if not sys.stdin.isatty():
        raise UsageError(
            f"There are several clients here: {', '.join(found)}. Say which with --client, or take "
            "all with --yes."
        )
    for number, word in enumerate(found, 1):
        sys.stderr.write(f"{number}. {CLIENTS[word]}\n")
    while True:
        sys.stderr.write("Which of them shall use the blog? Numbers, or Enter for all: ")
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise UsageError("No client was chosen. Say which with --client.")
        if chosen := parse_choice(line, found):
            return chosen


def _install(settings: Settings, name: str, file: ClientFile) -> Installed | None:
    """Write the entry; tell what to paste, and return `None`, where the file must be left alone."""
    try:
        installed = install(settings, name, file)
    except ClientSettingsError as error:
        tell(str(error), settings)
        return None
    print_text(installed.report)
    sys.stdout.flush()
    return installed


def _entry_to_paste(settings: Settings, name: str, machine: Machine) -> str:
    file = own_file(machine, "claude-desktop")
    entry = describe_entry(file, *plan_entry(settings, name, file))
    found = "No client was found here; most of them take this entry, each in a file of its own."
    return f"{found}\n{entry}"


def _install_and_ingest(
    settings: Settings, name: str, files: list[ClientFile]
) -> tuple[dict[ClientFile, Installed | None], int]:
    """Begin the ingest, write the entries, and wait; return what became of both.

    The ingest is a process that shows its progress here. It begins first, since some clients start
    the server, which ingests too, as soon as they have the entry. Ctrl-C reaches both processes:
    the ingest answers it, and this one waits for that. SIGTERM is handed on.
    """
    from blog_search_mcp.index.content.last_ingest import IngestOptions, read_any_last_ingest
    from blog_search_mcp.index.content.next_ingest import ingest_arguments

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
            installed = {file: _install(settings, name, file) for file in files}
            status = ingest.wait()
        except BlogSearchError:
            ingest.terminate()
            raise
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
            signal.signal(signal.SIGTERM, on_end)
    if -status in (signal.SIGINT, signal.SIGTERM):  # the second, which it does not wait for
        status = SIGNALLED - status
    return installed, status if status == 0 or status >= SIGNALLED else 1


def _take_back(installed: dict[ClientFile, Installed | None]) -> None:
    """Remove the entries that were written for an index that cannot be made."""
    for file, entry in installed.items():
        if entry is not None and entry.written:
            print_text(uninstall(file, entry.name))


def _first_question(settings: Settings, clients: list[str]) -> str:
    """Show how to ask, with a title of the blog as the question."""
    title = _answered_title(settings)
    searched = command("search", "--index", settings.index, "--", title)
    who = _join(clients) if clients else "the client"
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


def _join(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
