"""The suites themselves: with a guard taken away, its trial has a row that says "not held"."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.errors import IndexBusy, IndexProblem
from blog_search_mcp.index.store import generations
from blog_search_mcp.index.store.disk import generation_name
from blog_search_mcp.index.store.generations import switch
from blog_search_mcp.index.types import Filters
from tests.reliability.ollama_at_ingest import AT_INGEST
from tests.reliability.test_lost_bits import (
    copy_unmodified,
    every_answer,
    make_whole,
    not_held,
)
from tests.support.blog import Blog
from tests.support.faults.ollama_stage import stage

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from blog_search_mcp.index.folder import FolderStore
    from blog_search_mcp.index.store.disk import Layout
    from blog_search_mcp.index.store.manifest import Manifest

    Trial = Callable[[Path, pytest.MonkeyPatch], list[str]]


def spoil(path: Path, place: int, count: int) -> None:
    """Change so many bytes and nothing that a system tells of the file."""
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(place)
        changed = bytes(byte ^ 0x01 for byte in file.read(count))
        file.seek(place)
        file.write(changed)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def trial_of_damage(name: str) -> Trial:
    def trial(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        whole = make_whole(folder / "whole")
        made = copy_unmodified(whole, folder, monkeypatch)
        path = made.files.folder / name
        if path.suffix == ".db":
            spoil(path, path.read_bytes().rindex(b" kite") + 1, 4)
        else:
            spoil(path, path.stat().st_size // 2, 256)
        return not_held(made, every_answer(whole), name)

    return trial


class Killed(BaseException):
    """The process ends here."""


def trial_of_kills(folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    rows, sync = [], generations._sync
    for last in ("", "manifest.json", "generations", "CURRENT.next"):
        made = Blog(folder / f"{last}-content", folder / f"{last}-index")
        made.write({"a.md": "# Soup\n\nAn onion.\n"})
        made.ingest()
        made.write({"b.md": "# Tea\n\nA leaf.\n"})

        def sync_or_die(path: Path, last: str = last) -> None:
            if path.name == last:
                raise Killed
            sync(path)

        def die(_manifest: Manifest) -> str:
            raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(generations, "_sync", sync_or_die)
            if last == "":
                patched.setattr(generations, "dumps", die)
            with pytest.raises(Killed):
                made.ingest()
        try:
            live = made.follow()
            reader = live.reader()
            if reader.problem is not None:
                rows.append(f"not held: killed at {last}: {reader.problem}")
            if not reader.search("onion", Filters(), limit=1, offset=0).hits:
                rows.append(f"not held: killed at {last}: nothing is found")
        except IndexProblem as error:
            rows.append(f"not held: killed at {last}: {error}")
    return rows


def trial_of_two_writers(folder: Path, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    made = Blog(folder / "content", folder / "index")
    made.write({"a.md": "# Soup\n\nAn onion.\n"})
    made.ingest()
    made.write({"a.md": "# Soup\n\nA leek.\n"})
    with generations.writer_lock(made.layout):
        try:
            made.ingest()
        except IndexBusy:
            return []
    return ["not held: two ingests wrote at once"]


def trial_of_order(folder: Path, _monkeypatch: pytest.MonkeyPatch) -> list[str]:
    (case,) = (case for case in AT_INGEST if case.what == "shuffled by one place")
    with stage(folder) as made:
        case.make(made)
        made.output()
        wrong = made.stored_vectors(True).wrong
    return [f"not held: {wrong} wrong vectors"] if wrong else []


class Anything(int):
    """A checksum that every text has."""

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False

    __hash__ = int.__hash__


def switch_at_once(layout: Layout, manifest: Manifest) -> None:
    layout.current.write_text(generation_name(manifest.generation) + "\n", "ascii")
    switch(layout, manifest)


def lock_nothing(store: FolderStore) -> AbstractContextManager[None]:
    store.layout.generations.mkdir(parents=True, exist_ok=True)
    return nullcontext()


def do_nothing(*_asked: object) -> None: ...


GUARDS: dict[str, tuple[str, object, Trial]] = {
    "the checksum of a text": (
        "index.store.catalog.text_crc",
        lambda *_asked: Anything(),
        trial_of_damage("texts.db"),
    ),
    "the checksum of vectors": (
        "index.vectors.memmap_store._Segment._check",
        do_nothing,
        trial_of_damage("vectors/000001.npy"),
    ),
    "the checksums of files at the opening": (
        "index.store.manifest.verify",
        do_nothing,
        trial_of_damage("chunks.db"),
    ),
    "the doctor's checksums": (
        "index.folder.FolderStore.verify",
        do_nothing,
        trial_of_damage("texts.db"),
    ),
    "the checksums of an ingest with nothing to do": (
        "index.folder.FolderStore.verify",
        do_nothing,
        trial_of_damage("chunks.db"),
    ),
    "the switch after all else": (
        "index.store.generations.switch",
        switch_at_once,
        trial_of_kills,
    ),
    "the lock of writers": (
        "index.folder.FolderStore.lock_writer",
        lock_nothing,
        trial_of_two_writers,
    ),
    "the order of embeddings": (
        "index.embedders.remote.batching._check_order",
        do_nothing,
        trial_of_order,
    ),
}
"""By what it is: where it stands, what is put there instead, and the trial that must see it."""


@pytest.mark.parametrize("guard", GUARDS)
def test_every_trial_holds_with_its_guard_and_says_not_held_without_it(
    guard: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, without, trial = GUARDS[guard]
    (tmp_path / "with").mkdir()
    assert trial(tmp_path / "with", monkeypatch) == []
    monkeypatch.setattr(f"blog_search_mcp.{place}", without)
    (tmp_path / "without").mkdir()
    rows = trial(tmp_path / "without", monkeypatch)
    assert rows
    assert all(row.startswith("not held: ") for row in rows)
