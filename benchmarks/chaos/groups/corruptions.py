"""Every file of an index in every state a disk may leave it in, and what a reader is told.

A row is one kind of file and one kind of damage; the command in the sentence is followed once
for each row. All but the last rows run in this process, which therefore also shows that no
damage reached FAISS.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from benchmarks.chaos import manifest_damage
from benchmarks.chaos.cache_trial import cache_faults
from benchmarks.chaos.damage import (
    ANOTHERS,
    CURRENT,
    DAMAGES,
    NOT_FOR_THE_SUPERUSER,
    Damage,
    class_of,
    files_by_kind,
)
from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.server_trial import server_faults
from benchmarks.chaos.trial import Trial, others_of, trial_in
from blog_search_mcp.index.content.walk import walk
from blog_search_mcp.index.store.manifest import REBUILD
from blog_search_mcp.ingest.plan import SUFFIXES

Make = Callable[[], object]
Edit = Callable[[str], str]

POSTS = 2
"""Posts of the blog that are copied: enough for several pages of the cache, and few, since a
rebuild follows each damage."""

_SENTENCE = re.compile(
    r"The index's [^.]\S* .*\. " + re.escape(REBUILD) + r"|The index has format .* this program "
    r"reads \d+\. (Update blog-search-mcp, or rebuild|Rebuild): `.* --rebuild` with the same "
    r"--index\.|There is no index in index/ yet\. Make one: `python -m ingest CONTENT`\."
)
_DRAWN = re.compile(r"[0-9a-f]{32}(\.\d+)?")


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Damage everything there is."""
    trial = trial_in(options.work / "trial", _largest(options.blog))
    rows: list[Fault] = []
    for made in (
        _generation(trial, others_of(options.work / "other")),
        _current(trial),
        _manifests(trial),
        cache_faults(trial),
        server_faults(trial),
    ):
        rows += made
        say(f"{sum(row.runs for row in rows)} damages, {len(rows)} kinds")
    return tuple(rows)


def outcome(trial: Trial, what: str, made: str, damages: Sequence[Make]) -> Fault:
    """Make each of the damages to a whole index and mend the last; one row of what came of it."""
    told = []
    for damage in damages:
        trial.restored()
        damage()
        told.append(trial.said())
    trial.ingested(rebuild=True)
    after = trial.said()
    unheld = [said or "its answer" for said in told if not _SENTENCE.fullmatch(said)]
    held = 0 if after else len(told) - len(unheld)
    seen = _DRAWN.sub("…", (unheld or told)[0]) + (f" Rebuilt: {after}" if after else "")
    return Fault(what, made, len(told), held, seen)


def _largest(blog: Path) -> list[Path]:
    files = sorted(walk(blog, SUFFIXES).files, key=lambda file: -file.size)
    return [file.path for file in files[:POSTS]]


def _generation(trial: Trial, others: Mapping[str, Path]) -> Iterator[Fault]:
    """Every kind of file in a generation, and every damage to it."""
    damages = {**DAMAGES, **(NOT_FOR_THE_SUPERUSER if os.geteuid() else {})}
    kinds: dict[str, list[str]] = {}
    for kind in files_by_kind(trial.generation):
        kinds.setdefault(class_of(kind), []).append(kind)
    for what, members in kinds.items():
        for made, damage in damages.items():
            trial.restored()
            damaged = [
                partial(_damaged, trial, kind, damage, others.get(kind, trial.whole))
                for kind in members
                if made != ANOTHERS or _differs(trial, kind, others)
            ]
            if damaged:
                yield outcome(trial, what, made, damaged)


def _damaged(trial: Trial, kind: str, damage: Damage, other: Path) -> None:
    damage(files_by_kind(trial.generation)[kind], other)


def _differs(trial: Trial, kind: str, others: Mapping[str, Path]) -> bool:
    """Whether the other generation has such a file and another one: else it is no damage."""
    own = files_by_kind(trial.generation)[kind]
    return kind in others and others[kind].read_bytes() != own.read_bytes()


def _current(trial: Trial) -> Iterator[Fault]:
    for made, damage in CURRENT.items():
        yield outcome(trial, "CURRENT", made, [partial(damage, trial.layout.current)])


def _manifests(trial: Trial) -> Iterator[Fault]:
    """Manifests that are whole but wrong, each with a right seal where it has one."""
    edits: dict[str, Edit] = {
        **{
            made: partial(manifest_damage.resealed, change=change)
            for made, change in {
                **manifest_damage.IMPOSSIBLE,
                **manifest_damage.UNSEALED,
            }.items()
        },
        **{
            made: partial(manifest_damage.of_format, number=number)
            for made, number in manifest_damage.FORMATS.items()
        },
        **manifest_damage.TEXTS,
    }
    for made, edit in edits.items():
        yield outcome(trial, "manifest.json", made, [partial(_edited, trial, edit)])


def _edited(trial: Trial, edit: Edit) -> None:
    path = trial.generation / "manifest.json"
    path.write_text(edit(path.read_text("utf-8")), "utf-8")
