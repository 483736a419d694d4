"""The commands for authors of the blog. Each prints facts, as JSON or (not `related`) as lines."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from datetime import date
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from blog_search_mcp.index.stores import open_store
from blog_search_mcp.ingest.last_ingest import blog_of, read_folder, read_last_ingest
from blog_search_mcp.server.author.tools import (
    MEETINGS,
    propose_links,
    read_corpus,
    read_subject,
    similar_facts,
)
from blog_search_mcp.server.cli.commands import with_settings
from blog_search_mcp.server.cli.ingest_command import ingest_command
from blog_search_mcp.server.cli.options import AUDIT_KINDS, make_command
from blog_search_mcp.server.cli.terminal import print_facts, print_json
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import present
from blog_search_mcp.server.settings import Settings, read_absolute

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Post
    from blog_search_mcp.server.author.broken_links import Finding
    from blog_search_mcp.server.author.corpus import Corpus
    from blog_search_mcp.server.author.draft import Draft

subject_argument = click.argument("subject", metavar="DRAFT.md|-|SOURCE")


def open_subject(settings: Settings, subject: str) -> tuple[Corpus, Draft]:
    """Open the index and read the text `subject`: stdin for `-`, a file, or else an indexed post.

    The source of a file is its path within the content folder, or its name if it lies outside.
    Raises OSError and BlogSearchError.
    """
    text, source, path = None, subject, Path(subject).expanduser()
    if subject == "-":
        text, source = sys.stdin.buffer.read(), ""
    elif path.is_file():
        text, file = path.read_bytes(), path.resolve()
        content = Path(blog_of(settings.index).content).resolve()
        is_inside = file.is_relative_to(content)
        source = file.relative_to(content).as_posix() if is_inside else file.name
    return read_subject(engine_for_one(settings, embeds=text is not None), text, source)


@make_command("similar")
@subject_argument
@with_settings
def print_similar_posts(settings: Settings, subject: str, limit: int, as_json: bool) -> None:
    """List posts that say the same as a file, stdin (-) or a post."""
    from blog_search_mcp.server.author.similar import find_similar

    similarity = find_similar(*open_subject(settings, subject), limit)
    facts = similar_facts(similarity, meetings=None if as_json else MEETINGS)
    print_facts(facts, settings, as_json=as_json)


@make_command("links")
@subject_argument
@with_settings
def print_links(settings: Settings, subject: str, limit: int, reverse: bool, as_json: bool) -> None:
    """Suggest where a draft or post could link to other posts."""
    facts = propose_links(*open_subject(settings, subject), limit, is_reverse=reverse)
    print_facts(facts, settings, as_json=as_json)


@make_command("related")
@with_settings
def print_related_posts(settings: Settings, limit: int) -> None:
    """Print each post's related posts as a data file for the site."""
    from blog_search_mcp.server.author.similar import find_related

    corpus = read_corpus(engine_for_one(settings, embeds=False))
    posts, others = corpus.posts, find_related(corpus, limit)
    print_json(
        {
            _url_path(posts[post]) or posts[post].source: [_describe_post(posts[at]) for at in near]
            for post, near in sorted(others.items(), key=lambda item: posts[item[0]].source)
            if near
        }
    )


def _url_path(post: Post) -> str | None:
    return (urlsplit(post.url).path or "/") if post.url else None


def _describe_post(post: Post) -> dict[str, str]:
    url = _url_path(post)
    return present({"source": post.source, "title": post.title, "date": post.date, "url": url})


@make_command("audit")
@click.argument("folder", type=read_absolute, required=False)
@with_settings
def print_audit(
    settings: Settings, folder: Path | None, limit: int, fail_on: tuple[str, ...], as_json: bool
) -> int:
    """List broken links, orphans, stale drafts and other faults.

    With a FOLDER of posts it needs no index, but finds no near-duplicates.
    """
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        if folder is not None:
            settings = replace(settings, index=Path(scratch, "index"))
            ingest = partial(click.get_current_context().invoke, ingest_command, embeds=False)
            if status := ingest(content=folder, index=settings.index, embedder="embedded"):
                return int(status)
        corpus = read_corpus(engine_for_one(settings, embeds=False))
        from blog_search_mcp.server.author.audit import audit

        sources = frozenset(post.source for post in corpus.posts.values())
        content = read_folder(read_last_ingest(open_store(settings.index)), sources)
        findings, notice = audit(corpus, content, date.today())
    write = asdict if as_json else _format_finding
    facts = {
        "posts": len(corpus.posts),
        "counts": {kind: len(findings[kind]) for kind in AUDIT_KINDS},
        "findings": {kind: [*map(write, findings[kind][:limit])] for kind in AUDIT_KINDS},
        "notice": notice or None,
    }
    print_facts(facts, settings, as_json=as_json)
    return int(any(findings[kind] for kind in AUDIT_KINDS if kind in fail_on))


def _format_finding(finding: Finding) -> str:
    """Return `SOURCE:LINE DETAIL`, or `SOURCE DETAIL` for a finding about a whole post."""
    line = f":{finding.line}" if finding.line else ""
    return f"{finding.source}{line} {finding.detail}".strip()


author = click.Group(
    "author",
    [print_similar_posts, print_links, print_related_posts, print_audit],
    help="For authors: compare drafts, find links, check the blog.",
)
