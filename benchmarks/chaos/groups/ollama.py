"""An Ollama that is busy, down, broken, updated or replaced: while a blog is ingested and asked."""

from __future__ import annotations

from benchmarks.chaos.fault import Fault, Options, Say
from benchmarks.chaos.ollama.play import good_index, plays


def faults(options: Options, say: Say) -> tuple[Fault, ...]:
    """Make every kind once: none is a matter of chance."""
    index = good_index(options.work / "good")
    rows = []
    for number, (kind, play) in enumerate(plays(index)):
        outcome = play(kind, options.work / f"{number:03}")
        for fault in outcome.faults:
            say(f"{kind.what}: {fault}")
        seen = outcome.seen.replace("\n", " ") or "nothing"
        held = int(not outcome.faults)
        rows.append(Fault(kind.what, kind.made, 1, held, seen, outcome.lost))
    return tuple(rows)
