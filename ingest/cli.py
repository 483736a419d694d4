"""The command line of an ingest: options and environment read once, the report printed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TextIO

from blog_search_mcp.index.command_line import (
    FAILED,
    WRONG_USAGE,
    CommandLine,
    read_index,
    read_path,
)
from blog_search_mcp.index.commands import Blog, complete_commands
from blog_search_mcp.index.embedders.registry import AUTO, KINDS, choose_embedder
from blog_search_mcp.index.errors import BlogSearchError, UsageError
from blog_search_mcp.index.posts.last_ingest import IngestOptions, option_words
from blog_search_mcp.index.posts.next_ingest import STOP_WITH_STDIN
from blog_search_mcp.index.store.disk import DEFAULT_FOLDER
from blog_search_mcp.ingest.pipeline import ingest
from blog_search_mcp.ingest.plan import Job
from blog_search_mcp.ingest.report import as_json, as_lines, progress_on

DONE = 0


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """One run of the command."""

    job: Job
    json: bool
    """Whether the report is also printed as JSON on stdout."""
    stops_with_stdin: bool = False
    """Whether it stops when stdin ends, as it does if the server that started it has ended."""


def read_settings(arguments: Sequence[str], environment: Mapping[str, str]) -> IngestSettings:
    """Read the settings; exit with status 2 and a sentence if they make no sense."""
    given = make_parser(environment).read(arguments)
    job = Job(
        content=given.content,
        index=given.index,
        choose=partial(
            choose_embedder,
            given.embedder,
            given.model,
            given.embedder_url,
            prefixes=_pair_prefixes(given.document_prefix, given.query_prefix),
        ),
        now=datetime.now(UTC),
        options=IngestOptions(
            include_drafts=given.include_drafts,
            base_url=given.base_url,
            permalink=given.permalink,
        ),
        rebuild=given.rebuild,
    )
    return IngestSettings(job, given.json, given.stop_with_stdin)


def _pair_prefixes(document: str | None, query: str | None) -> tuple[str, str] | None:
    return None if document is None and query is None else (document or "", query or "")


def make_parser(environment: Mapping[str, str]) -> CommandLine:
    """Make the parser of `blog-ingest`; `environment` has the defaults."""
    parser = CommandLine(
        prog="blog-ingest",
        description="Bring the index up to date with a folder of Markdown posts.",
        epilog="Exit status: 0 done, 1 failed with nothing changed, 2 wrong usage, "
        "130 or 143 stopped by a signal.",
    )
    parser.add_argument(
        "content", metavar="CONTENT", type=read_path, help="the folder that holds the posts"
    )
    parser.add_argument(
        "--index",
        type=read_index,
        default=environment.get("BLOG_INDEX") or DEFAULT_FOLDER,
        metavar="DIR",
        help="the index folder, or milvus://HOST:PORT/NAME with its token in MILVUS_TOKEN "
        f"(BLOG_INDEX; default {DEFAULT_FOLDER})",
    )
    _add_embedder_options(parser, environment)
    _add_site_options(parser)
    parser.add_argument(
        "--include-drafts",
        action="store_true",
        help="index drafts, future-dated and expired posts too",
    )
    parser.add_argument(
        "--rebuild", action="store_true", help="make the index anew, from the posts and the cache"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON on stdout")
    parser.add_argument(STOP_WITH_STDIN, action="store_true", help=argparse.SUPPRESS)
    parser.add_version()
    return parser


def _add_embedder_options(parser: CommandLine, environment: Mapping[str, str]) -> None:
    parser.add_argument(
        "--embedder",
        choices=KINDS,
        default=AUTO,
        help="auto keeps the index's embedder; a new index gets Ollama if it answers and the posts "
        "are in English, else a model of the package; openai is any server with "
        "/v1/embeddings (default auto)",
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help="a model of the embedder's (default: Ollama's nomic-embed-text, or in the package the "
        "one for the posts' languages)",
    )
    parser.add_argument(
        "--embedder-url",
        default=environment.get("EMBEDDER_URL") or environment.get("OLLAMA_HOST", ""),
        metavar="URL",
        help="where the embedder's server answers (EMBEDDER_URL, OLLAMA_HOST; default "
        "http://127.0.0.1:11434); for openai with its /v1",
    )
    parser.add_argument(
        "--document-prefix",
        metavar="TEXT",
        help="what a server's model wants before each text (default: as its card says)",
    )
    parser.add_argument(
        "--query-prefix", metavar="TEXT", help="what it wants before each query, likewise"
    )
    parser.add_argument(
        "--ollama-host", dest="embedder_url", default=argparse.SUPPRESS, help=argparse.SUPPRESS
    )


def _add_site_options(parser: CommandLine) -> None:
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
        help="hugo, jekyll, hexo, zola, mkdocs, quarto, a pattern, or both as "
        "jekyll:/:year/:title/ (default: as its site's configuration says)",
    )


def run(settings: IngestSettings, out: TextIO, err: TextIO) -> int:
    """Ingest, print the report on `err` and for `--json` on `out`, and return the exit status."""
    job = settings.job
    blog = Blog(str(job.index), str(job.content.absolute()), option_words(job.options))
    try:
        with progress_on(err) as progress:
            report = ingest(job, progress)
    except BlogSearchError as error:
        err.write(f"{complete_commands(str(error), blog)}\n")
        if settings.json:
            out.write(json.dumps({"error": error.for_clients}) + "\n")
        return WRONG_USAGE if isinstance(error, UsageError) else FAILED
    report = replace(
        report,
        embedder_reason=complete_commands(report.embedder_reason, blog),
        warnings=tuple(complete_commands(warning, blog) for warning in report.warnings),
    )
    err.write("\n".join(as_lines(report)) + "\n")
    if settings.json:
        out.write(as_json(report) + "\n")
    return DONE
