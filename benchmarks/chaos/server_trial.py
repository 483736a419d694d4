"""A server process whose index is damaged, before it starts and under its hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.chaos.damage import DAMAGES
from benchmarks.chaos.fault import Fault
from benchmarks.chaos.trial import Trial, through_a_server
from blog_search_mcp.index.store.manifest import REBUILD

FILES = ("vectors.faiss", "chunks.db", "lexical/chunks/meta.json", "manifest.json")
UNDER_ITS_HANDS = (
    "a bit flipped in its middle",
    "its second half cut off",
    "emptied",
    "all its bytes zero",
    "a folder in its place",
)


def server_faults(trial: Trial) -> Iterator[Fault]:
    """Damage, ask, rebuild and ask again, all through the same process."""
    for name in FILES:
        yield _before_the_start(trial, name)
    for made in UNDER_ITS_HANDS:
        yield _while_it_serves(trial, made)


def _before_the_start(trial: Trial, name: str) -> Fault:
    trial.restored()
    _damage(trial, name, "its second half cut off")
    said = through_a_server(trial, [lambda: trial.ingested(rebuild=True)])
    held = len(said) == 2 and _refused(said[0]) and not said[1]
    made = f"{name}: its second half cut off before the server starts"
    return Fault("a server process", made, 1, int(held), _shown(said))


def _while_it_serves(trial: Trial, made: str) -> Fault:
    """One process meets the damage in one file after another, each time mended in between."""
    trial.restored()
    steps: list[Callable[[], object]] = []
    for name in FILES:
        steps.append(lambda name=name: _damage(trial, name, made))  # type: ignore[misc]
        steps.append(lambda: trial.ingested(rebuild=True))
    said = through_a_server(trial, steps)
    refused, answered = said[1::2], said[0::2]
    held = sum(
        _refused(sentence) and not answer
        for sentence, answer in zip(refused, answered[1:], strict=False)
    )
    what = f"{made}, while the server has it open"
    return Fault("a server process", what, len(FILES), held, _shown(said))


def _damage(trial: Trial, name: str, made: str) -> None:
    path: Path = trial.generation / name
    DAMAGES[made](path, path)


def _refused(sentence: str) -> bool:
    """Whether the fault and its mend were said, be it beside an answer from what is open."""
    return "The index's " in sentence and sentence.endswith(REBUILD)


def _shown(said: list[str]) -> str:
    """What was answered, in turn; a repeated rebuild command is not shown again."""
    return "; ".join(sentence.removesuffix(f" {REBUILD}") or "its answer" for sentence in said)
