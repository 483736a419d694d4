"""The command `ingest`, which runs an ingest and prints its report."""

import gc
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.invocation import PACKAGE, Blog, Message
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.index.stores import Location
from blog_search_mcp.ingest import GC_THRESHOLD, STOPPED
from blog_search_mcp.ingest.last_ingest import blog_of, merge_options
from blog_search_mcp.ingest.signals import end_on_signals, end_process
from blog_search_mcp.server.cli.options import make_command
from blog_search_mcp.server.cli.terminal import FAILED, WRONG_USAGE, print_error, print_text
from blog_search_mcp.server.settings import read_absolute

if TYPE_CHECKING:
    from blog_search_mcp.ingest.plan import Job


@make_command(
    "ingest", epilog="Exit status: 0 done, 1 failed, 2 wrong usage, 130 or 143 ended by a signal."
)
@click.argument("content", type=read_absolute, required=False)
def ingest_command(
    content: Path | None,
    index: Location | None,
    embedder: str,
    model: str | None,
    embedder_url: str,
    rebuild: bool,
    as_json: bool,
    stop_with_stdin: bool,
    embeds: bool = True,
    on_searchable: Callable[[], object] = lambda: None,
    **options: Any,
) -> int:
    """Bring the index up to date with the posts.

    CONTENT and the options that the index keeps default to those of the last ingest.
    """
    end_on_signals(STOPPED)
    if stop_with_stdin:  # a server holds stdin open as long as it lives
        threading.Thread(target=_stop_with_stdin, daemon=True).start()
    gc.set_threshold(GC_THRESHOLD)
    # Hides the warning of multiprocessing's tracker when it removes semaphores of a killed run.
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")
    from blog_search_mcp.index.embedders.registry import choose_embedder
    from blog_search_mcp.ingest.plan import Job

    if index is None and content is None:
        from blog_search_mcp.server.cli.commands import locate_index

        index = locate_index()
    index = index or read_absolute(DEFAULT_FOLDER)
    folder = content or Path(blog_of(index).content)
    if not folder.is_absolute():
        raise click.UsageError(
            f"{index} names no folder of posts: give CONTENT. `{PACKAGE} doctor` looks for others."
        )
    job = Job(
        content=folder,
        index=index,
        choose=partial(choose_embedder, embedder, model, embedder_url),
        now=datetime.now(UTC),
        options=merge_options(index, **options),
        rebuild=rebuild,
        embeds=embeds,
        on_searchable=on_searchable,
    )
    return run_job(job, as_json)


def _stop_with_stdin() -> None:
    os.read(0, 1)
    end_process(signal.SIGTERM, STOPPED)


def run_job(job: "Job", as_json: bool) -> int:
    """Ingest; report on stderr and, with `as_json`, on stdout. Return the exit status."""
    from blog_search_mcp.ingest.pipeline import ingest
    from blog_search_mcp.ingest.report import Progress, format_report

    blog = Blog(str(job.index), str(job.content.absolute()))
    try:
        report = ingest(job, Progress(sys.stderr))
    except BlogSearchError as error:
        print_error(error.message.for_blog(blog))
        if as_json:
            print_text(json.dumps({"error": error.for_clients}))
        return WRONG_USAGE if isinstance(error, UsageError) else FAILED
    reason = Message(report.embedder_reason).for_blog(blog)
    report = replace(report, embedder_reason=reason)
    for name, value in job.options.model_dump(exclude_defaults=True).items():
        print_error(f"The index keeps --{name.replace('_', '-')} {value}.")
    print_error("\n".join(format_report(report)))
    if as_json:
        print_text(json.dumps(asdict(report)))
    return 0
