"""The command line and the environment of an ingest, read once, as one frozen value."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TextIO

from blog_search_mcp.index.embedders.registry import Asked, choose
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.store.layout import DEFAULT_FOLDER
from blog_search_mcp.ingest.pipeline import Job, ingest
from blog_search_mcp.ingest.report import Report, as_json, as_lines, progress_on


@dataclass(frozen=True, slots=True)
class Settings:
    """What one run was asked to do."""

    content: Path
    index: Path
    embedder: Asked
    model: str | None
    """A model of Ollama's by name; `None` for the default."""
    embedder_url: str
    """Where the embedder's server answers, as given; empty for the embedder's default."""
    base_url: str
    """Where the blog is published; empty for what its site says."""
    permalink: str
    """How its links are made, likewise."""
    include_drafts: bool
    rebuild: bool
    json: bool
    index_descriptions: bool


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> Settings:
    """Read this run's settings; exits with status 2 and a sentence if they cannot be meant."""
    parser = _parser(environment)
    options = parser.parse_args(arguments)
    if options.model and options.embedder == "embedded":
        parser.error("--model names a model of Ollama's; the embedded embedder has one model.")
    return Settings(
        content=Path(options.content).expanduser(),
        index=Path(options.index).expanduser().absolute(),
        embedder="ollama" if options.model else options.embedder,
        model=options.model,
        embedder_url=options.embedder_url,
        base_url=options.base_url,
        permalink=options.permalink,
        include_drafts=options.include_drafts,
        rebuild=options.rebuild,
        json=options.json,
        index_descriptions=not options.no_descriptions,
    )


def _parser(environment: Mapping[str, str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blog-ingest",
        description="Bring the index up to date with a folder of Markdown posts.",
        epilog="Exit status: 0 done, 1 failed with nothing changed, 2 wrong usage, "
        "130 or 143 stopped by a signal.",
    )
    parser.add_argument("content", metavar="CONTENT", help="the folder that holds the posts")
    parser.add_argument(
        "--index",
        default=environment.get("BLOG_INDEX") or DEFAULT_FOLDER,
        metavar="DIR",
        help=f"the index folder (BLOG_INDEX; default {DEFAULT_FOLDER})",
    )
    parser.add_argument(
        "--embedder",
        choices=("auto", "ollama", "embedded"),
        default="auto",
        help="auto keeps the index's embedder, else takes Ollama if it answers (default auto)",
    )
    parser.add_argument(
        "--model", metavar="NAME", help="a model of Ollama's (default nomic-embed-text)"
    )
    parser.add_argument(
        "--embedder-url",
        default=environment.get("OLLAMA_HOST", ""),
        metavar="URL",
        help="where the embedder's server answers (OLLAMA_HOST; default http://127.0.0.1:11434)",
    )
    parser.add_argument(
        "--ollama-host", dest="embedder_url", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--base-url",
        default="",
        metavar="URL",
        help="where the blog is published (default: as its site's configuration says)",
    )
    parser.add_argument(
        "--permalink",
        default="",
        metavar="PATTERN",
        help="hugo, jekyll, hexo, zola, a pattern, or both as jekyll:/:year/:title/ "
        "(default: as its site's configuration says)",
    )
    parser.add_argument(
        "--include-drafts",
        action="store_true",
        help="index drafts, future-dated and expired posts too",
    )
    parser.add_argument(
        "--no-descriptions",
        action="store_true",
        help="leave descriptions out of the index; for measuring",
    )
    parser.add_argument(
        "--rebuild", action="store_true", help="make the index anew, from the posts and the cache"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON on stdout")
    return parser


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
            settings.embedder, settings.model, settings.embedder_url, existing
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
