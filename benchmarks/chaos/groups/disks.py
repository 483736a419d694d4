"""A disk that is full or read-only: at every call that changes it, and as a real small disk."""

from __future__ import annotations

import errno
from collections import Counter

from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.small_disk import on_small_disks
from benchmarks.chaos.steps import Step, every, refused_from, steps, told

SWITCHED = "The index is up to date"
"""How the sentence begins if only the note of what was seen, for a faster look, is not kept."""

MEANINGS = {errno.ENOSPC: "full", errno.EROFS: "read-only"}


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Refuse every call of an ingest in turn, then give it disks of several sizes."""
    refused = tuple(_refused(error, options, say) for error in MEANINGS)
    return (*refused, *on_small_disks(options.work / "disks", say))


def _refused(error: int, options: Options, say: Say) -> Fault:
    folder = options.work / MEANINGS[error]
    tried = steps(folder, lambda number: refused_from(number, error), every)
    made = tried.steps
    say(f"{MEANINGS[error]} from {len(made)} of {tried.calls} calls on")
    return Fault(
        what=f"disk {MEANINGS[error]} during an ingest",
        made=f"{errno.errorcode[error]} at {tried.named} and all after it",
        runs=len(made),
        held=sum(held(step) for step in made),
        seen=_seen(made),
        lost="nothing" if all(step.serves != "neither" for step in made) else "answers",
    )


def held(step: Step) -> bool:
    """One sentence and the index as before; once it has switched, success or what it lacks."""
    refused = told(step) and step.serves == "before"
    last = (step.ran.said.splitlines() or [""])[-1]
    noted = last.startswith(SWITCHED) and step.ran.status == 1 and step.serves == "after"
    too_late = step.ran.status == 0 and step.serves == "after"
    return ((refused or noted) and step.mended) or too_late


def _seen(made: list[Step]) -> str:
    """The sentences, without the system's own words for the reason, and how often each."""
    last = [(step.ran.said.splitlines() or ["nothing"])[-1] for step in made if step.ran.status]
    heads = Counter(line.partition(": ")[0].partition(". ")[0] for line in last)
    said = "; ".join(f"“{head}…” {count}" for head, count in heads.most_common())
    done = sum(step.ran.status == 0 for step in made)
    return f"{said}; {done} had switched and succeeded" if done else said
