"""What the next generation has in common with the one before: files that no ingest changes.

Most vectors and texts, and tantivy's segments, are written once. The next generation has them
under its own name without copying a byte (hard links): a generation stays whole when another is
deleted, and what was forced to disk and sealed once stays so. Where the file system knows no
links they are copied, sealed and verified like anything else.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from blog_search_mcp.index.store.checksums import LARGE, lies_as_sealed, verify_some, verifying
from blog_search_mcp.index.store.layout import GenerationFiles
from blog_search_mcp.index.store.manifest import Manifest, Seal

WRITTEN_ANEW = 0.1
"""Share of the chunks that have come, or gone, since the shared files were written, beyond which
they are written anew: until then as much of them may be copied by each ingest, or lie idle."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came from the generation before."""

    seals: Mapping[str, Seal]
    """By name, of the files that are there as they were sealed."""
    is_whole: Callable[[], None]
    """Waits until all others, and the small ones, are verified; raises IndexBroken."""
    verify_shared: Callable[[], None]
    """Verifies vectors and texts, before they are copied from; raises IndexBroken."""


@contextmanager
def taking_over(
    before: GenerationFiles | None, files: GenerationFiles, base: Manifest | None
) -> Iterator[Taken]:
    """Put what is shared into the new folder, and verify all else of `before` in the meantime.

    Nobody has written to it since it was sealed, as far as times tell. Raises OSError.
    """
    if before is None or base is None:
        yield Taken({}, lambda: None, lambda: None)
        return
    seals = take_over(before, files, base.files)
    shared = [name for name in seals if not name.startswith(files.lexical.name)]
    large = [name for name, seal in seals.items() if seal.size >= LARGE]
    with verifying(before, base, large) as is_whole:
        yield Taken(seals, is_whole, partial(verify_some, before, base, shared))


def take_over(
    before: GenerationFiles, files: GenerationFiles, seals: Mapping[str, Seal]
) -> dict[str, Seal]:
    """Put every such file of `before` into the new folder; the seals of those that still hold.

    They do if nobody wrote to the file since. Raises OSError.
    """
    held = {}
    for name in filter(lambda name: is_shared(files, name), seals):
        path = files.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        _link(before.folder / name, path)
        if lies_as_sealed(path, seals[name]):
            held[name] = seals[name]
    return held


def is_shared(files: GenerationFiles, name: str) -> bool:
    """Whether a file of this name is written once and never changed."""
    if name.startswith(f"{files.lexical.name}/"):
        return not name.endswith(".json")
    return name in (files.vectors.name, files.texts.name)


def _link(earlier: Path, later: Path) -> None:
    try:
        os.link(earlier, later)
    except OSError:  # as much as to say that this file system has none; else copying fails too
        shutil.copyfile(earlier, later)
