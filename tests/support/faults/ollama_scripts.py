"""Ways to break a stage's server: each returns what to do to the stage before its next run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.support.faults.ollama_stage import Stage
from tests.support.ollama.faults import Answer, Fault
from tests.support.ollama_standin import OllamaStandIn

LASTING = 1000
"""Requests, more than any run here makes."""


@dataclass(frozen=True, slots=True)
class Case:
    """One way for a server to fail, and what people may see of it."""

    what: str
    made: str
    """How it is made, in words."""
    make: Callable[[Stage], object]
    seen: str = ""
    """A pattern in the ingest's output or the search's notice; empty if there is none."""
    lost: int = 0
    """Windows of text that have no vector after the run."""
    needs_rebuild: bool = False
    """Whether `--rebuild` ends the refusal, rather than another run once the server is well."""


MANY = {
    f"walks/{number}.md": f"# Walk {number}\n\nThis walk of {number} miles goes past {number} "
    "farms, over a hill and back along the river.\n"
    for number in range(2, 42)
}
"""So many posts that they need a second batch."""


def once(*faults: Fault) -> Callable[[Stage], None]:
    """The batch fails with each of these in turn, then is well."""
    return lambda stage: stage.server.faults.extend(
        [*[None] * (stage.canaries + stage.checks), *faults]
    )


def first(*faults: Fault) -> Callable[[Stage], None]:
    """The next requests for a vector fail in turn."""
    return lambda stage: stage.server.faults.extend(faults)


def always(fault: Fault) -> Callable[[Stage], None]:
    """Every request for a vector fails."""
    return lambda stage: stage.server.faults.extend([fault] * LASTING)


def once_described(fault: Fault) -> Callable[[Stage], None]:
    """The fingerprint texts are embedded well, and every request for a vector after them fails."""
    return lambda stage: stage.server.faults.extend([*[None] * stage.canaries, *[fault] * LASTING])


def on(pattern: str, fault: Fault, **state: object) -> Callable[[Stage], None]:
    """Every request with such a text."""

    def make(stage: Stage) -> None:
        for name, value in state.items():
            setattr(stage.server, name, value)
        stage.server.on_text[pattern] = fault

    return make


def with_state(**state: object) -> Callable[[Stage], None]:
    """The server is another: `with_state(version="0.33.1")`."""

    def make(stage: Stage) -> None:
        for name, value in state.items():
            setattr(stage.server, name, value)

    return make


def in_version(version: str, make: Callable[[Stage], None]) -> Callable[[Stage], None]:
    """The same in another version of Ollama."""

    def made(stage: Stage) -> None:
        stage.server.version = version
        make(stage)

    return made


def at_route(path: str, fault: Fault) -> Callable[[Stage], None]:
    """Every request to another route than /api/embed fails."""
    return lambda stage: stage.server.elsewhere.update({path: fault})


def in_second_batch(fault: Fault) -> Callable[[Stage], None]:
    """The first batch and what is asked after it are well."""

    def make(stage: Stage) -> None:
        stage.write(MANY)
        well = stage.canaries + stage.checks + 1 + stage.after
        stage.server.faults.extend([*[None] * well, *[fault] * LASTING])

    return make


def goes_down(stage: Stage) -> None:
    """The server closes its port while it is asked for the second batch."""
    in_second_batch(lambda _server, _answer: stage.stop())(stage)


def restarts(stage: Stage) -> None:
    """The server closes its port while it is asked, and soon opens it again."""

    def restart(_server: OllamaStandIn, _answer: Answer) -> None:
        stage.stop()
        stage.start()

    once(restart)(stage)


def wrong_in_batches(rows: list[list[float]]) -> list[list[float]]:
    """Good unit vectors in a batch, of other texts; alone each text has its own."""
    return [[-number for number in row] for row in rows] if len(rows) > 1 else rows
