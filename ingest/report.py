"""Report an ingest: progress while it runs, its counts, and these as lines or as JSON."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, get_args

from blog_search_mcp.index.commands import TO_INGEST, list_first
from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.posts.last_ingest import (
    MAX_NAMES,
    LeftOut,
)
from blog_search_mcp.index.posts.visibility import INCLUDED, HiddenReason
from blog_search_mcp.index.posts.walk import SUFFIXES, Skipped

if TYPE_CHECKING:
    from blog_search_mcp.index.embedders.registry import Choice
    from blog_search_mcp.index.store.manifest import Manifest
    from blog_search_mcp.index.types import Contradiction
    from blog_search_mcp.ingest.plan import Plan
    from blog_search_mcp.ingest.prepare import ParsedResult


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
    without_vector: Mapping[str, str]
    """By source of a post that this run could not embed whole, why."""
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


class Counts:
    """What becomes of the files of a plan and of its texts, counted as it happens."""

    def __init__(self, plan: Plan) -> None:
        self.due = dict(plan.unchanged)
        """By source, the instant at which the same bytes will be treated differently, if any."""
        self.problems: list[str] = []
        """Sentences on the cache and on posts that are in the index nevertheless."""
        self.contradiction: Contradiction | None = None
        """Of the addresses of posts, where most were read."""
        self.removed = list(plan.removed)
        """Sources to remove that are not added again."""
        self.left_out: list[LeftOut] = []
        """Posts that are not public."""
        self.embedded = 0
        self.without_vector: Mapping[str, str] = {}
        self._before = plan.base.posts if plan.base else {}
        self._skipped = list(plan.skipped)
        self._written: set[str] = set()
        self._kept = len(plan.unchanged)
        self._linked = 0
        self._unlinked: Counter[str] = Counter()
        self._unknown: dict[str, str] = {}

    def count(self, result: ParsedResult) -> None:
        """Count one file that was read."""
        source = result.source
        self.due[source] = result.due
        self.problems += result.problems
        for name in result.unknown:
            self._unknown.setdefault(name, source)
        self.left_out += filter(None, [result.left_out])
        if result.skipped is not None:
            self._skip(result.skipped)
        elif result.new is None:
            self._kept += 1
        else:
            self._written.add(source)
            self._linked += not result.no_link
            self._unlinked.update(filter(None, [result.no_link]))

    def refuse(self, skipped: Skipped) -> None:
        """Count a post that the index did not take, though it was kept or read before."""
        self._skip(skipped)
        self._kept -= skipped.source not in self._written
        self._written.discard(skipped.source)

    def _skip(self, skipped: Skipped) -> None:
        self._skipped.append(skipped)
        self.removed += [skipped.source] if skipped.source in self._before else []

    def is_change(self, result: ParsedResult) -> bool:
        """Whether a file requires a new generation."""
        return result.new is not None or (
            result.skipped is not None and result.source in self._before
        )

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files that are not in the index, sorted by source."""
        return tuple(sorted(self._skipped, key=lambda skipped: skipped.source))

    def require_posts(self, content: Path) -> None:
        """Raise ContentError if no post would be left."""
        if not (self._kept or self._written):
            raise ContentError(
                _describe_empty(content, self.skipped), for_clients="There is no post to index."
            )

    def report(self, manifest: Manifest, choice: Choice, advice: str, seconds: float) -> Report:
        """Make the report of the finished run; `advice` is on the embedder."""
        return Report(
            generation=manifest.generation,
            posts=len(manifest.posts),
            chunks=manifest.chunks,
            added=len(self._written - self._before.keys()),
            changed=len(self._written & self._before.keys()),
            removed=len(self.removed),
            embedded=self.embedded,
            without_vector=self.without_vector,
            skipped=self.skipped,
            warnings=(
                *dict.fromkeys(self.problems),
                *_describe_unknown(self._unknown),
                *_describe_contradiction(self.contradiction),
            ),
            links=LinkCounts(self._linked, dict(self._unlinked.most_common())),
            embedder=choice.embedder.identity.name,
            embedder_reason=" ".join(filter(None, (choice.reason, advice))),
            seconds=round(seconds, 3),
        )


def _describe_empty(content: Path, skipped: Sequence[Skipped]) -> str:
    """Describe why a folder has no post to index, with the first files that were left out."""
    advice = "Give the folder that holds the posts."
    if not skipped:
        endings = " or ".join((", ".join(SUFFIXES[:-1]), SUFFIXES[-1]))
        return f"No file below {content} ends in {endings}. {advice}"
    if any(file.reason in INCLUDED for file in skipped):
        advice = (
            f"`{TO_INGEST} --include-drafts` indexes drafts, future-dated and expired posts too."
        )
    reasons = ((file.source, file.reason.partition(";")[0]) for file in skipped[:MAX_NAMES])
    named = ", ".join(f"{source} ({reason})" for source, reason in reasons)
    more = f" and {len(skipped) - MAX_NAMES:,} more" if len(skipped) > MAX_NAMES else ""
    files = "the only post is" if len(skipped) == 1 else f"all {len(skipped):,} are"
    return f"No post to index below {content}: {files} left out, {named}{more}. {advice}"


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
    without = [
        f"{source}: found by words, and not all of it by meaning, since a part of it has no vector "
        f"({reason}). It is tried again when the post changes, or with --rebuild."
        for source, reason in report.without_vector.items()
    ]
    listed = map(list_first, (faults, without, report.warnings))
    links = _describe_links(report.links)
    return [*map(_escape, (*chain(*listed), *links)), _summarize(report)]


def _escape(line: str) -> str:
    """Escape control characters, which a file's name may hold."""
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in line
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


def _describe_contradiction(found: Contradiction | None) -> Iterator[str]:
    """Describe that posts are linked at other addresses than those that were made for them."""
    if found is not None:
        yield (
            f"Of {_count(found.linked, 'post')} that others link to, {found.elsewhere:,} are "
            f"linked elsewhere than at the address made for them, as {found.href} for {found.url}. "
            "Say with --permalink how the site makes its addresses, or leave --base-url out to "
            "have none."
        )


def _describe_unknown(fields: Mapping[str, str]) -> Iterator[str]:
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
"""Lines that a stage prints at most."""


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
    """Tells on a stream how far a run is, in a line at every tenth of a stage; on none nothing."""

    def __init__(
        self, stream: TextIO | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._stream = stream
        self._now = now
        self._stage, self._total, self._done = "", 0, 0
        self._first, self._started = 0, 0.0

    def say(self, sentence: str) -> None:
        """Print the sentence on a line."""
        if self._stream is not None:
            self._stream.write(f"{sentence}\n")
            self._stream.flush()

    def start(self, stage: str, total: int, done: int = 0) -> None:
        """Begin a stage of `total` steps, so many of them done; the one before is over."""
        self._stage, self._total, self._done = stage, total, done
        self._first, self._started = done, self._now()

    def advance(self, steps: int) -> None:
        """Count so many more steps as done; print a line if another tenth is full."""
        lines = self._done * LINES // max(self._total, 1)
        self._done += steps
        if self._done * LINES // max(self._total, 1) > lines:
            seconds = self._now() - self._started
            rate = describe_rate(self._done - self._first, self._total - self._done, seconds)
            share = f"{self._done:,} of {self._total:,} ({self._done / max(self._total, 1):.0%})"
            said = ", ".join(filter(None, (share, rate))) if self._total > 1 else "done"
            self.say(f"{self._stage}: {said}")
