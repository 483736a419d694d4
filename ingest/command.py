"""One ingest as a command: settings in, a report and an exit status out.

Progress and the report go to stderr, so that stdout is free for `--json`.
"""

from __future__ import annotations

from datetime import date
from typing import TextIO

from index.embedder.choose import choose
from index.errors import BlogSearchError, UsageError
from ingest.pipeline import Job, ingest
from ingest.progress import progress_on
from ingest.report import Report, as_json, as_lines
from ingest.settings import Settings

DONE, FAILED, WRONG_USAGE = 0, 1, 2


def run(settings: Settings, out: TextIO, err: TextIO) -> int:
    """Ingest as `settings` say, reporting on `err` and, for `--json`, on `out`."""
    try:
        with progress_on(err) as progress:
            report = ingest(_job(settings), progress)
    except UsageError as error:
        return _fail(err, str(error), WRONG_USAGE)
    except BlogSearchError as error:
        return _fail(err, str(error), FAILED)
    _print(report, settings.json, out, err)
    return DONE


def _job(settings: Settings) -> Job:
    return Job(
        content=settings.content,
        index=settings.index,
        choose=lambda existing: choose(
            settings.embedder, settings.model, settings.ollama_host, existing
        ),
        today=date.today(),
        include_drafts=settings.include_drafts,
        rebuild=settings.rebuild,
        base_url=settings.base_url,
        permalink=settings.permalink,
        index_descriptions=settings.index_descriptions,
    )


def _print(report: Report, json: bool, out: TextIO, err: TextIO) -> None:
    err.write("\n".join(as_lines(report)) + "\n")
    if json:
        out.write(as_json(report) + "\n")


def _fail(err: TextIO, message: str, status: int) -> int:
    err.write(message + "\n")
    return status
