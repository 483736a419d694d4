"""`python -m benchmarks.load CONTENT`: many clients over HTTP, and what is refused meanwhile.

A real `blog-server --http` serves CONTENT by the embedded embedder, on loopback, with a token.
The status is 1 if a call failed or something was refused otherwise than it must be.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import tempfile
from pathlib import Path

import anyio

from benchmarks.load.clients import Asked, Seen, ask
from benchmarks.load.refusals import Answers, refused
from benchmarks.load.report import MARKED, Load, as_data, as_markdown
from benchmarks.options import count, folder, report_failure
from benchmarks.provenance import command_line, read_commit
from benchmarks.quality.blog import Embedding, build_index, read_posts
from benchmarks.quality.queries import derive_queries
from benchmarks.served import served
from benchmarks.speed.machine import this_machine
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.ingest.report import progress_on
from blog_search_mcp.server.http.app import PATH

LIMIT = 200
"""Queries of a kind."""


def main() -> int:
    """Run it; the exit status."""
    options = _parser().parse_args()
    try:
        load = _measured(options)
    except BlogSearchError as error:
        return report_failure(error)
    said = as_markdown(load)
    sys.stdout.write(json.dumps(as_data(load), indent=2) + "\n" if options.json else said)
    if options.write:
        text = options.write.read_text("utf-8")
        options.write.write_text(MARKED.sub(rf"\g<1>{said}\g<2>", text), "utf-8")
    sys.stderr.writelines(f"{error}\n" for error in [*load.alone.errors, *load.together.errors])
    return 0 if load.holds else 1


def _measured(options: argparse.Namespace) -> Load:
    posts = read_posts(options.content)
    queries = [query.text for query in derive_queries(posts, ("title", "heading"), LIMIT)]
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as made, progress_on(sys.stderr) as progress:
        build_index(options.content, Path(made), Embedding(), progress)
        server = ["server", "--index", made, "--http"]
        began = _children_seconds()
        with served(server, {"BLOG_SERVER_TOKEN": token}) as url:
            anyio.run(_ready, Asked(url + PATH, token, queries))
        start = _children_seconds()
        with served(server, {"BLOG_SERVER_TOKEN": token}) as url:
            asked = Asked(url + PATH, token, queries)
            anyio.run(_ready, asked)
            alone, together, answers = anyio.run(_asked, asked, options.clients, options.seconds)
            machine = str(this_machine())
        used = _children_seconds() - start - (start - began)
    return Load(
        command=command_line("benchmarks.load", sys.argv[1:]),
        commit=read_commit(),
        machine=machine,
        posts=len(posts),
        clients=options.clients,
        seconds=options.seconds,
        alone=alone,
        together=together,
        cpu_seconds=used,
        answers=answers,
    )


async def _ready(asked: Asked) -> None:
    """Ask a first question, which waits for the index and the model."""
    await ask(asked, 1, 0.0)


async def _asked(asked: Asked, clients: int, seconds: float) -> tuple[Seen, Seen, Answers]:
    alone = await ask(asked, 1, seconds / 6)
    answers: dict[str, Answers] = {}

    async def refuse() -> None:
        answers["all"] = await refused(asked.url, asked.token, seconds)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(refuse)
        together = await ask(asked, clients, seconds)
    return alone, together, answers["all"]


def _children_seconds() -> float:
    """Processor seconds of the processes that were started and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load", description=__doc__)
    parser.add_argument("content", type=folder, metavar="CONTENT", help="the folder of posts")
    parser.add_argument("--clients", type=count, default=32, help="(default 32)")
    parser.add_argument("--seconds", type=count, default=60, help="(default 60)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    parser.add_argument("--write", type=Path, metavar="FILE", help="put the tables into this file")
    return parser


if __name__ == "__main__":
    sys.exit(main())
