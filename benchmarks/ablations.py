"""`NAME=VALUE` in, the program changed in that one respect while a block runs.

A constant is set wherever it was imported, so that one line on the command
line answers what it is worth. Nothing of this is reachable from the program.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType

from benchmarks.knobs import KNOBS
from blog_search_mcp.index.errors import UsageError

_STEPS = (
    "blog_search_mcp.ingest.prepare",
    "blog_search_mcp.ingest.pipeline",
    "blog_search_mcp.index.search.search",
)
"""What imports every user of a value: one imported later would keep what was varied."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """One thing varied."""

    name: str
    value: object

    @property
    def reshapes(self) -> bool:
        """Whether an index must be made for it."""
        return KNOBS[self.name].reshapes


def read_ablation(setting: str) -> Ablation:
    """Read `NAME=VALUE`: a number, `off` or `on`. Raises UsageError."""
    name, _, value = setting.partition("=")
    if name not in KNOBS:
        raise UsageError(f"There is no {name!r} to vary. Choose among {', '.join(KNOBS)}.")
    knob = KNOBS[name]
    if knob.without is not None:
        if value != knob.switch:
            way = knob.switch
            raise UsageError(f"{name} can only be switched {way}: write {name}={way}.")
        return Ablation(name, knob.without)
    try:
        return Ablation(name, float(value) if "." in value else int(value))
    except ValueError as error:
        raise UsageError(f"{name} takes a number, not {value!r}.") from error


@contextmanager
def ablated(ablations: Iterable[Ablation]) -> Iterator[None]:
    """Everything varied until the block ends."""
    with ExitStack() as stack:
        stack.callback(_forget)
        for ablation in ablations:
            for undo in _applied(ablation):
                stack.callback(undo)
        _forget()
        yield


def _forget() -> None:
    """Empty what remembers results, which may have been other ones."""
    for module in _modules():
        for value in vars(module).values():
            if getattr(value, "__module__", None) == module.__name__ and hasattr(
                value, "cache_clear"
            ):
                value.cache_clear()


def _modules() -> list[ModuleType]:
    """Every module of the program that is loaded."""
    return [module for name, module in sys.modules.items() if name.startswith("blog_search_mcp.i")]


def _applied(ablation: Ablation) -> list[Callable[[], None]]:
    """Vary one thing; how to take it back."""
    knob = KNOBS[ablation.name]
    for step in _STEPS:
        import_module(step)
    home = import_module(knob.module)
    if knob.field:
        value = getattr(home, knob.name)
        before = getattr(value, knob.field)
        object.__setattr__(value, knob.field, ablation.value)
        return [partial(object.__setattr__, value, knob.field, before)]
    named = [(name, getattr(home, name)) for name in knob.name.split()]
    users = [
        (module, name, value)
        for name, value in named
        for module in _modules()
        if getattr(module, name, None) is value
    ]
    for module, name, _ in users:
        setattr(module, name, ablation.value)
    return [partial(setattr, *user) for user in users]
