import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.quality import order_checks
from benchmarks.quality.order_checks import Batch, measure
from blog_search_mcp.ingest.embedding import BATCH

TOPICS = ("pears and cider", "bees and hives", "clocks and dials", "bread and dough")


def batch(seed: int) -> Batch:
    """Sixteen texts of four topics, with vectors that fit them."""
    rng = np.random.default_rng(seed)
    rows = np.eye(4, dtype=np.float32)[[n % 4 for n in range(16)]]
    rows += rng.normal(0.0, 0.05, rows.shape).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Batch([f"{TOPICS[n % 4]} {TOPICS[n % 4][:4]}{seed}" for n in range(16)], rows)


def test_exchanges_are_counted_by_whether_they_are_seen_and_checked() -> None:
    found = measure([batch(seed) for seed in range(12)], 10)
    assert found.batches == 12
    assert 0.7 < found.of_checked <= found.of_every
    assert 1 / 12 <= found.checked <= 0.5


def test_nothing_is_found_where_there_is_no_full_batch() -> None:
    assert measure([], 10) == order_checks.Found(0, 0.0, 0.0, 0.0)


def test_a_folder_is_embedded_and_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    posts = tmp_path / "pets" / "posts"
    posts.mkdir(parents=True)
    for number in range(BATCH):
        (posts / f"{number}.md").write_text(f"# Pet {number}\n\nIt eats {'fish ' * number}.\n")
    monkeypatch.setattr(sys, "argv", ["order_checks", str(posts), "--runs", "1"])
    assert order_checks.main() == 0
    [row] = capsys.readouterr().out.splitlines()[2:]
    assert row.startswith("| pets | 1 | ")
    assert row.endswith(" | .031 | .031 |")
