"""What the speed benchmark's rows about ingests stand on: a fixed embedder, a watched process."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed.fixed_embedder import FixedEmbedder
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.ingest_process import free_ingest, ran
from blog_search_mcp.index.store.generations import live_number, load_manifest
from blog_search_mcp.index.store.layout import Layout


def test_a_fixed_embedder_gives_a_text_one_unit_vector_in_every_process() -> None:
    one = FixedEmbedder(768)
    other: FixedEmbedder = pickle.loads(pickle.dumps(one))
    rows = one.embed_documents(["a leek", "a boat", "a leek"])
    assert rows.shape == (3, 768)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0)
    assert np.array_equal(rows[0], rows[2])
    assert not np.array_equal(rows[0], rows[1])
    assert np.array_equal(other.embed_query("a boat"), rows[1])


def test_a_fixed_embedder_passes_for_the_free_one() -> None:
    assert FixedEmbedder(768).identity == FreeEmbedder(768).identity


def test_an_ingest_is_timed_and_weighed_to_its_end(tmp_path: Path) -> None:
    content, index = tmp_path / "content", tmp_path / "index"
    content.mkdir()
    (content / "a.md").write_text("# Soup\n\nA leek.\n", encoding="utf-8")
    took = ran(free_ingest(content, index, 384), weighed=True)
    layout = Layout(index)
    assert load_manifest(layout, live_number(layout)).chunks == 1
    assert took.seconds > 0.0
    assert took.peak > 10.0 or not Path("/proc/self/smaps_rollup").exists()


def test_an_ingest_that_fails_is_no_figure(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        ran(free_ingest(tmp_path / "none", tmp_path / "index", 384))
