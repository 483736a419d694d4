"""`setup`, `install` and `uninstall`: an index of the posts, and its entry in clients' settings."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping

import click

from blog_search_mcp.index.command_line import FAILED, WRONG_USAGE
from blog_search_mcp.index.errors import (
    ClientSettingsError,
    IndexPlaceUnusable,
    IndexProblem,
    UsageError,
)
from blog_search_mcp.index.posts.last_ingest import (
    STOP_WITH_STDIN,
    IngestOptions,
    ingest_arguments,
    read_any_last_ingest,
)
from blog_search_mcp.index.signals import SIGNALLED
from blog_search_mcp.index.stores import open_store
from blog_search_mcp.server.cli.client_settings import (
    BACKUP,
    ClientFile,
    change_entry,
    choose_name,
    describe_entry,
    make_entry,
    name_of_ours,
    read_entries,
)
from blog_search_mcp.server.cli.terminal import escape_controls, print_text, tell
from blog_search_mcp.server.settings import Settings


def add_entry(settings: Settings, file: ClientFile, name: str, *, prints: bool) -> None:
    """Write or print the entry of a client, and tell what its index lacks.

    Raises BlogSearchError, also for a place where no index can be.
    """
    try:
        open_store(settings.index).current_number()
    except IndexPlaceUnusable:
        raise
    except IndexProblem as error:
        tell(str(error), settings)
    if prints:
        name = name or choose_name(read_entries(file), settings.index)
        print_text(describe_entry(file, name, make_entry(settings, file)))
    else:
        _write_entry(settings, file, name)


def remove_entry(file: ClientFile, name: str) -> None:
    """Remove our entry and print what was done. Raises UsageError or ClientSettingsError."""
    name = name or name_of_ours(read_entries(file))
    if change_entry(file, name, None):
        print_text(f"Took the entry {name!r} out of {file.path}.{_name_backup(file)}")
    else:
        print_text(f"There is no entry {name!r} in {file.path}; nothing was written.")


def _write_entry(settings: Settings, file: ClientFile, name: str) -> str:
    """Write our entry, print that, and return its name. Raises UsageError, ClientSettingsError."""
    name = name or choose_name(read_entries(file), settings.index)
    if change_entry(file, name, make_entry(settings, file)):
        written = f"Wrote the entry {name!r} to {file.path}.{_name_backup(file)}"
        print_text(f"{written} Restart {file.client} to use it.")
    else:
        print_text(f"The entry {name!r} in {file.path} is as it should be; nothing was written.")
    return name


def _name_backup(file: ClientFile) -> str:
    backup = file.path.with_name(file.path.name + BACKUP)
    return f" What it was before is in {backup.name} beside it." if backup.exists() else ""


def set_up(
    settings: Settings, clients: Mapping[str, ClientFile], chosen: str | None, name: str
) -> int:
    """Ingest `settings.watch`, tell clients of the server and name a question.

    `chosen` is a word of `clients`, or `all` of those that are used here; without one the person
    chooses of several. The entry is written while the ingest runs, which may take long: a client
    that is restarted meanwhile finds the server, and the server the index as soon as there is one.
    Returns the exit status. Raises BlogSearchError.
    """
    if settings.watch is None or not settings.watch.is_dir():
        raise UsageError(f"{settings.watch} is no folder. Name the one that holds the posts.")
    files = _choose_files(clients, chosen)
    with _start_ingest(settings) as ingest:
        written = _tell_clients(settings, files, name)
        on_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)  # which the ingest answers
        status = ingest.wait()
        signal.signal(signal.SIGINT, on_interrupt)
    if status in (FAILED, WRONG_USAGE) and open_store(settings.index).stamp() is None:
        for word, entry in written.items():
            remove_entry(clients[word], entry)
    if status:
        return SIGNALLED - status if status < 0 else status
    if not files:
        print_text("No client was found here; most take this entry, each in a file of its own.")
        add_entry(settings, clients["claude-desktop"], name, prints=True)
    names = ", ".join(file.client for file in files) or "the client"
    title = escape_controls(_newest_title(settings))
    print_text(f"Ask {names}, for instance: What does my blog say about “{title}”?")
    return FAILED if len(written) < len(files) else 0


def _choose_files(clients: Mapping[str, ClientFile], chosen: str | None) -> list[ClientFile]:
    """Ask which of several clients are meant. Raises UsageError if nobody can be asked."""
    used = [file for file in clients.values() if file.is_used]
    if chosen and chosen != "all":
        return [clients[chosen]]
    if chosen or len(used) < 2:
        return used
    if not sys.stdin.isatty():
        raise UsageError(
            f"There are several clients here: {', '.join(file.word for file in used)}. Say which "
            "with --client, or take all with --client all."
        )
    ask = "Shall {} use the blog?".format
    return [file for file in used if click.confirm(ask(file.client), default=True, err=True)]


def _start_ingest(settings: Settings) -> subprocess.Popen[bytes]:
    """Begin an ingest that shows its progress here, and ends with this process, by its stdin.

    It begins before the entry is written: some clients start the server, which ingests too, as
    soon as they have that.
    """
    assert settings.watch is not None
    last = read_any_last_ingest(open_store(settings.index))
    options = last.options if last is not None else IngestOptions()
    arguments = ingest_arguments(settings.watch, settings.index, settings.embedder_url, options)
    program = [sys.executable, "-P", "-m", "blog_search_mcp.ingest", *arguments, STOP_WITH_STDIN]
    return subprocess.Popen(program, stdin=subprocess.PIPE)


def _tell_clients(settings: Settings, files: list[ClientFile], name: str) -> dict[str, str]:
    """Write the entries, and return the name of each by its client's word; tell which cannot be."""
    written = {}
    for file in files:
        try:
            written[file.word] = _write_entry(settings, file, name)
        except ClientSettingsError as error:
            tell(str(error), settings)
    sys.stdout.flush()
    return written


def _newest_title(settings: Settings) -> str:
    """Return the title of the newest post. Raises BlogSearchError."""
    from blog_search_mcp.index.types import Filters
    from blog_search_mcp.server.engine import engine_for_one

    [newest] = engine_for_one(settings).listing().posts(Filters(), "newest", 1, 0).page
    return " ".join(newest.title.split())
