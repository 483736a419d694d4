"""What a generation's vectors share with those before, and what they write anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from blog_search_mcp.index.vectors.memmap_store import read_directory
from tests.support.blog import load_rows
from tests.unit.index.vectors.written import DIMENSION, unit_rows, write


def generation(folder: Path, number: int, base: Path | None, *, ids: range, gone: range) -> Path:
    rows = unit_rows(len(ids), number)
    return write(folder / str(number), number, np.asarray(ids, np.int64), rows, base, list(gone))


def files(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_ino for path in folder.iterdir()}


def sizes(folder: Path) -> list[int]:
    return [len(np.load(path)) for path in sorted(folder.glob("*.npy"))]


def test_a_small_change_writes_a_segment_of_its_own_and_links_the_others(tmp_path: Path) -> None:
    first = generation(tmp_path, 1, None, ids=range(100), gone=range(0))
    second = generation(tmp_path, 2, first, ids=range(100, 105), gone=range(10, 15))
    assert files(first)["000001.npy"] == files(second)["000001.npy"]
    assert sizes(second) == [100, 5]


def test_a_deletion_alone_writes_no_rows(tmp_path: Path) -> None:
    first = generation(tmp_path, 1, None, ids=range(100), gone=range(0))
    second = generation(tmp_path, 2, first, ids=range(0), gone=range(5))
    assert files(second).keys() == files(first).keys()
    assert sizes(second) == [100]


def test_what_is_deleted_as_soon_as_it_is_added_does_not_count(tmp_path: Path) -> None:
    first = generation(tmp_path, 1, None, ids=range(100), gone=range(0))
    second = generation(tmp_path, 2, first, ids=range(100, 105), gone=range(102, 104))
    directory, (ids, rows) = read_directory(second), load_rows(second)
    assert ids.tolist() == [*range(102), 104]
    np.testing.assert_allclose(directory.total, rows.sum(axis=0, dtype=np.float64))


def test_segments_are_merged_once_as_many_rows_have_come_after_them(tmp_path: Path) -> None:
    base, found = None, []
    for number in range(1, 9):
        ids = range(number * 100, number * 100 + (64 if number == 1 else 4))
        base = generation(tmp_path, number, base, ids=ids, gone=range(0))
        found.append(sizes(base))
    assert found[:5] == [[64], [64, 4], [64, 8], [64, 8, 4], [64, 16]]
    assert found[5:] == [[64, 16, 4], [64, 16, 8], [64, 16, 8, 4]]


def test_all_are_merged_once_a_tenth_is_deleted(tmp_path: Path) -> None:
    first = generation(tmp_path, 1, None, ids=range(100), gone=range(0))
    second = generation(tmp_path, 2, first, ids=range(100, 105), gone=range(10))
    third = generation(tmp_path, 3, second, ids=range(0), gone=range(10, 20))
    assert (sizes(second), sizes(third)) == ([100, 5], [85])
    assert files(third).keys() == {"000003.npy", "directory.npz"}


def test_rows_are_a_file_that_numpy_reads(tmp_path: Path) -> None:
    rows = unit_rows(300, 1)
    folder = write(tmp_path, 1, np.arange(300), rows)
    np.testing.assert_array_equal(np.load(folder / "000001.npy"), rows)
    assert np.load(folder / "000001.npy").dtype == np.float32
    assert (folder / "000001.npy").stat().st_size == 128 + 300 * DIMENSION * 4
