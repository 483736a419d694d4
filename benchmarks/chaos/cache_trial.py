"""The embedding cache broken in every way: what the next ingest said of it, and what it cost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.chaos import cache_damage
from benchmarks.chaos.fault import Fault
from benchmarks.chaos.trial import Trial


def cache_faults(trial: Trial) -> Iterator[Fault]:
    """Break the cache, then rebuild the index: a broken cache must cost embeddings only."""
    every = {
        **cache_damage.DAMAGED,
        **cache_damage.OTHER_COLUMNS,
        **cache_damage.FOREIGN,
        **cache_damage.LOST,
        **cache_damage.FLIPPED,
    }
    for made, damage in every.items():
        yield _fault(trial, made, damage)
    yield _locked(trial)


def _fault(trial: Trial, made: str, damage: Callable[[Path], None]) -> Fault:
    trial.restored()
    cache_damage.checkpointed(trial.layout.cache)
    damage(trial.layout.cache)
    return _rebuilt(trial, made)


def _rebuilt(trial: Trial, made: str) -> Fault:
    report = trial.ingested(rebuild=True)
    said = [line for line in report.warnings if "embedding" in line]
    answer = trial.said()
    lost = f"{report.embedded} embeddings, made anew" if report.embedded else "nothing"
    seen = " ".join((*said, f"Then: {answer or 'its answer'}"))
    return Fault("embeddings.db", made, 1, int(not answer), seen, lost)


def _locked(trial: Trial) -> Fault:
    trial.restored()
    command = [sys.executable, "-c", cache_damage.LOCKER, str(trial.layout.cache)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as locker:
        assert locker.stdin is not None
        assert locker.stdout is not None
        locker.stdout.readline()
        row = _rebuilt(trial, "locked by another program")
        locker.stdin.close()
    return row
