"""Report an ingest: progress while it runs, then its numbers as lines or as JSON."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, TextIO, get_args

from blog_search_mcp.index.commands import list_first
from blog_search_mcp.index.posts.visibility import HiddenReason
from blog_search_mcp.index.posts.walk import Skipped

if TYPE_CHECKING:
    import rich.progress

    from blog_search_mcp.index.types import Contradiction


@dataclass(frozen=True, slots=True)
class WithoutVector:
    """A chunk of which the embedder refused a window; its words are in the index."""

    source: str
    first_line: int
    last_line: int
    heading: str
    """The innermost above the chunk; empty if there is none."""
    reason: str


@dataclass(frozen=True, slots=True)
class EmbeddingCounts:
    """The result of embedding in one run."""

    texts: int = 0
    """Texts passed to the embedder."""
    without_vector: tuple[WithoutVector, ...] = ()
    warnings: tuple[str, ...] = ()
    """Sentences on a cache that failed."""


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Which of the posts that were read know their page on the site."""

    linked: int = 0
    unlinked: Mapping[str, int] = field(default_factory=dict)
    """Posts without a link by the reason, the commonest first."""


@dataclass(frozen=True, slots=True)
class Report:
    """One finished ingest."""

    generation: int
    posts: int
    chunks: int
    added: int
    changed: int
    removed: int
    embedded: int
    """Texts passed to the embedder; the others were in the cache or unchanged."""
    without_vector: tuple[WithoutVector, ...]
    """Chunks that this run could not embed whole."""
    skipped: tuple[Skipped, ...]
    """Files that are not in the index; the reason is one of VISIBILITY or a fault."""
    warnings: tuple[str, ...]
    """Sentences on the embedder, the cache and posts that are in the index nevertheless."""
    links: LinkCounts
    """Of the posts that were added or changed."""
    embedder: str
    embedder_reason: str
    """Which embedder, why, and how to get a better one, in sentences."""
    seconds: float


VISIBILITY = get_args(HiddenReason)
"""Reasons that the author gave; every other one is a fault and reported with its file."""


INCLUDED = ("draft", "future", "expired", "hidden")
"""Those of which `--include-drafts` takes the posts all the same."""


def as_json(report: Report) -> str:
    """Format the report on one line of ASCII, which any stdout can encode."""
    return json.dumps(asdict(report))


def as_lines(report: Report) -> list[str]:
    """Format the report for people: a line for each of the first faults, then every number."""
    faults = [
        f"skipped {skipped.source}: {skipped.reason}"
        for skipped in report.skipped
        if skipped.reason not in VISIBILITY
    ]
    without = [_describe_unembedded(chunk) for chunk in report.without_vector]
    listed = map(list_first, (faults, without, report.warnings))
    links = _describe_links(report.links)
    return [*map(_escape, (*chain(*listed), *links)), _summarize(report)]


def _escape(line: str) -> str:
    """Escape control characters, which a file's name may hold."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in line
    )


def _describe_unembedded(chunk: WithoutVector) -> str:
    under = f' under "{chunk.heading}"' if chunk.heading else ""
    return (
        f"{chunk.source}, lines {chunk.first_line} to {chunk.last_line}{under}: found by words "
        f"alone, since a part of it has no vector ({chunk.reason}). It is tried again when the "
        "post or the embedding server changes."
    )


def _describe_links(links: LinkCounts) -> list[str]:
    """Describe how many posts have a link and why others have none; nothing if none was read."""
    without = sum(links.unlinked.values())
    if not (links.linked or without):
        return []
    posts = _count(links.linked + without, "post")
    counts = f"Links to the published blog: for {links.linked:,} of {posts} read."
    if not without:
        return [counts]
    reasons = [f"{count:,} {reason}" for reason, count in links.unlinked.items()]
    listed = "; ".join(reasons if len(reasons) > 1 else links.unlinked)
    return [f"{counts} {'The others' if links.linked else 'Why none'}: {listed}."]


def describe_contradiction(found: Contradiction | None) -> Iterator[str]:
    """Describe that posts are linked at other addresses than those that were made for them."""
    if found is not None:
        yield (
            f"Of {_count(found.linked, 'post')} that others link to, {found.elsewhere:,} are "
            f"linked elsewhere than at the address made for them, as {found.href} for {found.url}. "
            "Say with --permalink how the site makes its addresses, or leave --base-url out to "
            "have none."
        )


def describe_unknown(fields: Mapping[str, str]) -> Iterator[str]:
    """Describe fields that look as if they kept posts back, with a post that has each."""
    for name, source in sorted(fields.items()):
        yield (
            f"{source}: it is not known whether its field “{name}” keeps a post from readers, so "
            "it does not. If it should, add `draft: true`, or name the post in a .blogignore."
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _summarize(report: Report) -> str:
    numbers = ((report.added, "added"), (report.changed, "changed"), (report.removed, "removed"))
    changes = [f"{number:,} {word}" for number, word in numbers if number] or ["nothing changed"]
    reasons = Counter(
        skip.reason if skip.reason in VISIBILITY else "unreadable" for skip in report.skipped
    )
    parts = ", ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
    changes += [f"{len(report.skipped):,} skipped ({parts})"] if reasons else []
    return (
        f"{_count(report.posts, 'post')}, {_count(report.chunks, 'chunk')}: {', '.join(changes)}; "
        f"{_count(report.embedded, 'text')} embedded; {report.seconds:.1f} s. "
        f"{report.embedder_reason}"
    )


LINES = 10
"""Plain lines that a stage prints at most."""


def describe_rate(done: int, left: int, seconds: float) -> str:
    """Describe how many steps a second were done in this time, and how long the others take so.

    Empty before anything can be said.
    """
    if done <= 0 or seconds <= 0.0:
        return ""
    rate, remaining = done / seconds, left * seconds / done
    speed = f"{rate:,.0f} a second" if rate >= 10.0 else f"{rate:.1f} a second"
    if not left:
        return speed
    time_left = f"{remaining:.0f} s" if remaining < 100.0 else f"{remaining / 60:,.0f} min"
    return f"{speed}, {time_left} left"


class Progress:
    """Shows how far a run is; this one shows nothing."""

    def say(self, sentence: str) -> None:
        """Show a sentence that stays."""

    def start(self, stage: str, total: int, done: int = 0) -> None:
        """Begin a stage of `total` steps, so many of them done; the one before is over."""

    def advance(self, steps: int) -> None:
        """Count so many more steps as done."""


class PlainProgress(Progress):
    """Prints a line at every tenth of a stage, for logs and pipes."""

    def __init__(self, stream: TextIO, now: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._now = now
        self._stage, self._total, self._done = "", 0, 0
        self._first, self._started = 0, 0.0

    def say(self, sentence: str) -> None:
        """Print the sentence on a line."""
        self._stream.write(f"{sentence}\n")
        self._stream.flush()

    def start(self, stage: str, total: int, done: int = 0) -> None:
        """Begin a stage without a line."""
        self._stage, self._total, self._done = stage, total, done
        self._first, self._started = done, self._now()

    def advance(self, steps: int) -> None:
        """Print a line if another tenth is full."""
        lines = self._done * LINES // max(self._total, 1)
        self._done += steps
        if self._done * LINES // max(self._total, 1) > lines:
            seconds = self._now() - self._started
            rate = describe_rate(self._done - self._first, self._total - self._done, seconds)
            share = f"{self._done:,} of {self._total:,} ({self._done / max(self._total, 1):.0%})"
            said = ", ".join(filter(None, (share, rate))) if self._total > 1 else "done"
            self.say(f"{self._stage}: {said}")


class BarProgress(Progress):
    """A bar on a terminal."""

    def __init__(self, bar: rich.progress.Progress) -> None:
        self._bar = bar

    def say(self, sentence: str) -> None:
        """Print the sentence above the bar."""
        self._bar.console.print(sentence, markup=False, highlight=False)

    def start(self, stage: str, total: int, done: int = 0) -> None:
        """Replace the bar by one for this stage."""
        for task in self._bar.task_ids:
            self._bar.remove_task(task)
        self._task = self._bar.add_task(stage, total=total, completed=done, rate="")
        self._total, self._done, self._first = total, done, done
        self._started = time.monotonic()

    def advance(self, steps: int) -> None:
        """Move the bar."""
        self._done += steps
        seconds = time.monotonic() - self._started
        rate = describe_rate(self._done - self._first, self._total - self._done, seconds)
        self._bar.update(self._task, advance=steps, rate=rate)


@contextmanager
def progress_on(stream: TextIO) -> Iterator[Progress]:
    """Show progress on `stream` for this block: a bar on a terminal, else lines."""
    if not stream.isatty():
        yield PlainProgress(stream)
        return
    from rich import progress as rich
    from rich.console import Console

    columns = (
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TaskProgressColumn(),
        rich.TextColumn("{task.fields[rate]}"),
    )
    with rich.Progress(*columns, console=Console(file=stream), transient=True) as bar:
        yield BarProgress(bar)
