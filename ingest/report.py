"""Report an ingest: progress, counts, and the final report as lines of text."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.invocation import Invocation, Message, join_sentences, list_first
from blog_search_mcp.index.store.manifest import Manifest
from blog_search_mcp.ingest.last_ingest import LeftOut, name_skipped
from blog_search_mcp.ingest.plan import IN_CLOUD, Plan
from blog_search_mcp.ingest.posts.visibility import INCLUDED, VISIBILITY
from blog_search_mcp.ingest.posts.walk import SUFFIXES, Skipped

if TYPE_CHECKING:
    from blog_search_mcp.ingest.prepare import ParsedResult


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Numbers of added or changed posts with a link to their page, and without one."""

    linked: int
    unlinked: Mapping[str, int]
    """Number of posts without a link by reason, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a finished ingest."""

    generation: int
    posts: int
    chunks: int
    added: int
    changed: int
    removed: int
    embedded: int
    """Number of texts sent to the embedder, including refused ones."""
    without_vector: Mapping[str, str]
    """Reason why a text has no vector, keyed by the source of its post."""
    skipped: tuple[Skipped, ...]
    """Files that are not in the index; a reason outside VISIBILITY is a fault."""
    warnings: tuple[str, ...]
    """Sentences on the cache, unread files, problems of posts, and links that contradict URLs."""
    links: LinkCounts
    """Links of the posts that were added or changed."""
    embedder: str
    embedder_reason: str
    """Sentences that say why the embedder was chosen and how to get a better one."""
    seconds: float


class Counts:
    """Running counts of an ingest: the outcome of each file, and warnings."""

    def __init__(self, plan: Plan) -> None:
        self.due = dict(plan.unchanged)
        """Instant at which a post appears or expires without an edit, if any, by source."""
        self.with_parts: set[str] = set()
        """Sources of posts that include other files."""
        away = (source for source in plan.unchanged if plan.files[source].is_away)
        self.problems = [f"{source}: {IN_CLOUD}. The index has it as it was." for source in away]
        """Sentences for `Report.warnings`."""
        kinds = ", ".join(f"{number:,} {end}" for end, number in sorted(plan.others.items()))
        self.problems += [f"Not read, since it is not Markdown: {kinds}."] if kinds else []
        self.left_out: list[LeftOut] = []
        """Posts that are empty or not public."""
        self.embedded = 0
        self.without_vector: Mapping[str, str] = {}
        self._plan = plan
        self._before = plan.base.posts if plan.base else {}
        self._outcomes: dict[str, Skipped | str | None] = dict.fromkeys(plan.unchanged)
        """Outcome by source: `Skipped` for a file left out, `None` for an unchanged post, else the
        reason why a written post has no link (empty if it has one)."""
        self._outcomes |= {skip.source: skip for skip in plan.skipped}

    def count(self, result: "ParsedResult") -> None:
        """Count one file that was read."""
        self.due[result.source] = result.due
        self.with_parts |= {result.source} if result.has_parts else set()
        self.problems += result.problems
        self.left_out += filter(None, [result.left_out])
        self._outcomes[result.source] = result.skipped or (result.no_link if result.new else None)

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """Files that are not in the index, sorted by source."""
        outcomes = (self._outcomes[source] for source in sorted(self._outcomes))
        return tuple(outcome for outcome in outcomes if isinstance(outcome, Skipped))

    @property
    def removed(self) -> set[str]:
        """Sources to remove from the index: their files are gone, or are left out now."""
        left_out = {skipped.source for skipped in self.skipped}
        return {*self._plan.removed, *(left_out & self._before.keys())}

    def require_posts(self, content: Path) -> None:
        """Raise ContentError if the index would have no post."""
        if len(self.skipped) == len(self._outcomes):
            message = _describe_empty(content, self.skipped)
            raise ContentError(message, for_clients="There is no post to index.")

    def report(self, manifest: Manifest, advice: str, seconds: float) -> Report:
        """Make the report of the finished run; `advice` is a sentence on the embedder, or `""`."""
        written = {name: why for name, why in self._outcomes.items() if isinstance(why, str)}
        unlinked = Counter(filter(None, written.values()))
        choice = self._plan.choice
        return Report(
            generation=manifest.generation,
            posts=len(manifest.posts),
            chunks=manifest.chunks,
            added=len(written.keys() - self._before.keys()),
            changed=len(written.keys() & self._before.keys()),
            removed=len(self.removed),
            embedded=self.embedded,
            without_vector=self.without_vector,
            skipped=self.skipped,
            warnings=tuple(dict.fromkeys(self.problems)),
            links=LinkCounts(len(written) - unlinked.total(), dict(unlinked.most_common())),
            embedder=choice.embedder.identity.name,
            embedder_reason=join_sentences(choice.reason, advice),
            seconds=round(seconds, 3),
        )


def _describe_empty(content: Path, skipped: tuple[Skipped, ...]) -> str:
    """Return the message for a folder without a post to index; it names the first skipped files."""
    if not skipped:
        return f"No file below {content} ends in {', '.join(SUFFIXES)}. Give the folder of posts."
    advice = Message("Give the folder that holds the posts.")
    if any(file.reason in INCLUDED for file in skipped):
        include = Invocation(("ingest", "--include-drafts"))
        advice = Message(include, " indexes drafts, future and expired posts too.")
    sentence = f"No post to index below {content}: all {len(skipped):,} are left out."
    return join_sentences(sentence, name_skipped(skipped), advice)


def format_report(report: Report) -> list[str]:
    """Format the report as lines for people: first faults and warnings, last the counts."""
    skips = [(skip.source, skip.reason) for skip in report.skipped]
    faults = [f"skipped {source}: {why}" for source, why in skips if why not in VISIBILITY]
    without = [
        f"{source}: found by words, and not all of it by meaning, since a part of it has no vector "
        f"({reason}). It is tried again when the post changes, or with --rebuild."
        for source, reason in report.without_vector.items()
    ]
    listed = chain(*map(list_first, (faults, without, report.warnings)))
    links = report.links
    posts = links.linked + sum(links.unlinked.values())
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in links.unlinked.items())
    linked = f"Links to the published blog: for {links.linked:,} of {_plural(posts, 'post')} read."
    linked += f" Without one: {reasons}." if reasons else ""
    hidden = name_skipped(skip for skip in report.skipped if skip.reason in VISIBILITY)
    lines = (*listed, *filter(None, (hidden, linked if posts else "")))
    # A file's name may hold control characters.
    printable = ("".join(c if c.isprintable() else ascii(c)[1:-1] for c in line) for line in lines)
    numbers = ((report.added, "added"), (report.changed, "changed"), (report.removed, "removed"))
    changes = [f"{number:,} {word}" for number, word in numbers if number] or ["nothing changed"]
    kinds = Counter(why if why in VISIBILITY else "unreadable" for _, why in skips)
    parts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    changes += [f"{len(skips):,} skipped ({parts})"] if skips else []
    summary = (
        f"{_plural(report.posts, 'post')}, {_plural(report.chunks, 'chunk')}: "
        f"{', '.join(changes)}; {_plural(report.embedded, 'text')} embedded; "
        f"{report.seconds:.1f} s. {report.embedder_reason}"
    )
    return [*printable, summary]


def _plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


LINES, SILENCE, BLINK = 10, 15.0, 0.1
"""A stage has up to LINES evenly spaced lines. One more is due SILENCE seconds after the last, or
BLINK seconds after the last on a terminal."""


class Progress:
    """Progress of a run, printed on a stream (if any) at each tenth of a stage and after SILENCE.

    On a terminal a stage has one line, which is rewritten up to ten times a second.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._is_terminal = stream is not None and stream.isatty()
        self.start("", 1)

    def say(self, sentence: str, *, goes_on: bool = False) -> None:
        """Print a sentence on its own line; with `goes_on`, a terminal prints the next one over it.

        CR takes a terminal to the line's start, and ESC [K deletes the rest of the line.
        """
        if self._stream is not None:
            begin = "\r\x1b[K" if self._is_terminal else ""
            end = "" if goes_on and self._is_terminal else "\n"
            print(f"{begin}{sentence}", file=self._stream, flush=True, end=end)

    def start(self, stage: str, total: int, done: int = 0) -> None:
        """Begin a stage of `total` steps; `done` of them were done before."""
        self._stage, self._total, self._first, self._done = stage, max(total, 1), done, done
        self._started = self._printed = time.monotonic()

    def advance(self, steps: int) -> None:
        """Count `steps` more as done; print a line if one is due."""
        lines, now = self._done * LINES // self._total, time.monotonic()
        self._done += steps
        is_due = self._done * LINES // self._total > lines or now > self._printed + SILENCE
        if is_due or (self._is_terminal and now > self._printed + BLINK):
            self._printed = now
            counts = f"{self._done:,} of {self._total:,} ({self._done / self._total:.0%})"
            line = f"{self._stage}: {counts if self._total > 1 else 'done'}{self._rate()}"
            self.say(line, goes_on=self._done < self._total)

    def _rate(self) -> str:
        """Return the speed of the stage and its time left, in words; `""` if unknown."""
        rate = (self._done - self._first) / max(time.monotonic() - self._started, 1e-9)
        remaining = self._total - self._done
        if not (rate and remaining > 0):
            return ""
        seconds = remaining / rate
        time_left = f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:,.0f} min"
        return f", {rate:,.1f} a second, {time_left} left"
