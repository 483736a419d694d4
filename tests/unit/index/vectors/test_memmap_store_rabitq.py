"""The prefilter, judged by the exact search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from blog_search_mcp.index.vectors import memmap_store as rabitq
from blog_search_mcp.index.vectors.memmap_store import (
    CANDIDATES,
    MemmapStore,
    map_codes,
    propose_rows,
)
from tests.unit.index.vectors.written import unit_rows, write

COUNT = 12_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("many"), 1, np.arange(COUNT), unit_rows(COUNT, 1))


def test_rows_are_proposed_once_each_in_their_order(folder: Path) -> None:
    proposed = propose_rows(map_codes(folder / "000001.rabitq"), unit_rows(1, 0)[0])
    assert len(proposed) == CANDIDATES
    assert np.unique(proposed).tolist() == proposed.tolist()


def test_it_loses_hardly_any_of_the_nearest_twenty(folder: Path) -> None:
    store, rows, lost = MemmapStore(folder), unit_rows(COUNT, 1), 0
    for query in unit_rows(50, 4):
        cosines = rows @ query
        found = store.search(query, 20)
        lost += len(set(np.argsort(-cosines)[:20].tolist()) - found.keys())
        assert found == pytest.approx({each: cosines[each] for each in found}, abs=1e-6)
    assert lost <= 10  # of 1,000: .99


def test_deleted_vectors_are_not_found_and_later_ones_are(folder: Path, tmp_path: Path) -> None:
    rows, new = unit_rows(COUNT, 1), unit_rows(3, 7)
    ids = np.arange(COUNT, COUNT + 3)
    following = MemmapStore(write(tmp_path, 2, ids, new, folder, range(1000)))
    assert (tmp_path / "vectors" / "000001.rabitq").samefile(folder / "000001.rabitq")
    assert min(following.search(rows[0], 150)) >= 1000
    assert next(iter(following.search(new[1], 1))) == COUNT + 1


def test_few_vectors_have_no_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rabitq, "CANDIDATES", 1)
    folder = write(tmp_path, 1, np.arange(500), unit_rows(500, 1))
    assert list(folder.glob("*.rabitq")) == []
    assert len(MemmapStore(folder).search(unit_rows(1, 2)[0], 20)) == 20
