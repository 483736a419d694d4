"""The figures of the speed benchmark: bounds, medians, made posts, the table they end in."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.markdown import inserted
from benchmarks.speed import kinds, small
from benchmarks.speed.__main__ import NAMES, row_names
from benchmarks.speed.figure import Bound, Figure, Floor, figure, percentile
from benchmarks.speed.free_embedder import FreeEmbedder
from benchmarks.speed.machine import Machine
from benchmarks.speed.made_posts import RARE, made_posts, material_of
from benchmarks.speed.measured import in_turn
from benchmarks.speed.report import Report, as_markdown
from blog_search_mcp.index.embedders.onnx import IDENTITY
from blog_search_mcp.ingest.chunking.chunker import chunks
from tests.support.paths import ROOT

CONTENT = ROOT / "content"
TABLE = """\
Before.
<!-- speed -->

Commit `abc`, `python -m x`.

A processor, 2 cores, Linux, Python 3.11.7, faiss-cpu 1.15.1; load 0.5.

3,478 posts, 24,000 chunks, vectors of 768 numbers that cost nothing to make, unless a row says \
otherwise.

| What | Median | p95 | Floor | In floors | Floor of | To reach | Met | Runs | Row | Note |
| --- | --: | --: | --: | --: | --- | --- | --- | --- | --- | --- |
| start | 3 ms | 3 | 2 | 1.50 | a server | ≤ 1.05 × floor | no | 1 | `start` | by hand |
| exit | 1,234 ms | 1,234 | – | – | – | – | – | 1 | `exit` |  |

<!-- /speed -->
After.
"""
MACHINE = Machine("A processor", 2, "Linux", "3.11.7", "faiss-cpu 1.15.1", 0.5)


@pytest.mark.parametrize(
    ("bound", "shown", "limit"),
    [
        (Bound(1.05), "≤ 1.05 × floor", 10.5),
        (Bound(1.0), "≤ floor", 10.0),
        (Bound(1.0, 6.0), "≤ floor + 6 ms", 16.0),
        (Bound(plus=50.0), "≤ 50 ms", 50.0),
        (Bound(0.5), "≤ 0.5 × floor", 5.0),
        (Bound(), "≤ 0 ms", 0.0),
        (Bound(plus=2000.0, is_least=True), "≥ 2,000 ms", 2000.0),
    ],
)
def test_a_bound_is_told_and_kept_as_it_is_written(bound: Bound, shown: str, limit: float) -> None:
    assert bound.shown("ms") == shown
    assert bound.limit(10.0) == limit
    assert bound.holds(limit, 10.0)
    assert bound.holds(limit + 1.0, 10.0) is bound.is_least
    assert bound.holds(limit - 1.0, 10.0) is not bound.is_least


def test_a_figure_is_the_median_beside_the_median_of_its_floor() -> None:
    found = figure("start", "a thing", "ms", [3.0, 1.0, 20.0], Bound(1.5), ("least", [2.0, 4.0]))
    assert found == Figure(
        "start", "a thing", "ms", 3, 3.0, 20.0, Floor("least", 3.0), Bound(1.5), ""
    )
    assert found.is_met
    assert found.ratio == 1.0


@pytest.mark.parametrize(("share", "value"), [(0.95, 19), (0.5, 10), (1.0, 20), (0.01, 1)])
def test_a_percentile_is_the_smallest_value_that_enough_do_not_exceed(
    share: float, value: int
) -> None:
    assert percentile([float(n) for n in range(20, 0, -1)], share) == value


def test_works_are_done_in_turn_and_a_first_round_is_not_counted() -> None:
    done: list[str] = []
    taken = in_turn([lambda: done.append("a"), lambda: done.append("b")], 2)
    assert done == ["a", "b"] * 3
    assert [len(values) for values in taken] == [2, 2]


def test_made_posts_are_the_same_again_whatever_their_number() -> None:
    material = material_of(CONTENT)
    few, many = (list(made_posts(material, count, seed=1)) for count in (40, 60))
    assert many[:40] == few
    assert few != list(made_posts(material, 40, seed=2))
    assert len({source for source, _ in many}) == 60
    assert [source for source, _ in many if source.startswith(f"{RARE}/")] == [
        "rare/post-000050.md"
    ]


def test_made_posts_have_about_seven_chunks_as_a_blog_of_24_000_has() -> None:
    made = list(made_posts(material_of(CONTENT), 60, seed=1))
    assert 6.0 <= sum(len(chunks(source, text, 1, "")) for source, text in made) / 60 <= 8.0


def test_no_block_of_a_made_post_is_a_part_of_a_fence() -> None:
    assert all(
        block.count("\n```") % 2 == 1 for block in material_of(CONTENT).blocks if block[:3] == "```"
    )


def test_the_free_embedder_is_a_pure_function_of_the_text_whose_words_bring_texts_near() -> None:
    embedder = FreeEmbedder(768)
    rows = embedder.embed_documents(["one two three", "one two four", "five six seven"])
    assert rows.shape == (3, 768)
    assert (
        rows.tolist()
        == FreeEmbedder(768)
        .embed_documents(["one two three", "one two four", "five six seven"])
        .tolist()
    )
    assert rows[0] @ rows[0] == pytest.approx(1.0)
    assert rows[0] @ rows[1] > rows[0] @ rows[2] > 0.2


def test_the_server_opens_an_index_of_the_free_embedders_short_vectors_by_itself() -> None:
    assert FreeEmbedder(384).identity == IDENTITY


def test_only_rows_that_there_are_can_be_asked_for() -> None:
    assert row_names("start") == ("start",)
    with pytest.raises(Exception, match=f"'nothing' is none of {', '.join(NAMES)}"):
        row_names("start,nothing")


def test_a_figure_is_slow_if_it_is_half_as_much_again_as_its_floor_allows() -> None:
    bound = Bound(1.0, 6.0)
    assert not small.is_slow(figure("a", "a", "ms", [24.0], bound, ("least", [10.0])))
    assert small.is_slow(figure("a", "a", "ms", [24.1], bound, ("least", [10.0])))
    assert not small.is_slow(figure("a", "a", "ms", [24.1], Bound(plus=6.0)))
    assert not small.is_slow(figure("a", "a", "ms", [24.1], None, ("least", [1.0])))


def test_what_was_fast_once_in_three_runs_is_not_slow() -> None:
    taken = {
        "fast": iter([[1.0]]),
        "busy": iter([[9.0], [9.0], [1.0]]),
        "slow": iter([[9.0], [8.0], [7.0]]),
    }

    def measure(name: str) -> list[Figure]:
        return [figure(name, name, "ms", next(taken[name]), Bound(1.0), ("least", [1.0]))]

    assert [each.median for each in small.slow(tuple(taken), measure)] == [7.0]
    assert [list(rest) for rest in taken.values()] == [[], [], []]


def test_the_small_rows_are_rows() -> None:
    assert set(small.ROWS) <= set(NAMES)


def test_kinds_of_index_are_compared_by_what_is_as_near_whichever_it_is() -> None:
    rows = np.eye(4, dtype=np.float32)[[0, 0, 1, 2]]
    query = rows[:1]
    assert kinds.recall(rows, query, np.array([0]), np.array([1])) == 1.0
    assert kinds.recall(rows, query, np.array([0, 1]), np.array([1, -1])) == 0.5


def test_every_kind_of_index_finds_the_nearest_of_a_few_vectors() -> None:
    rows = FreeEmbedder(384).embed_documents([f"word{n} other{n}" for n in range(300)])
    queries = [rows[number : number + 1] for number in (0, 7, 299)]
    shown = kinds.table(rows, queries)
    assert [str(cell) for cell in shown.columns[0].cells] == [
        kind.name for kind in kinds.kinds(300)
    ]
    assert list(shown.columns[1].cells)[:2] == ["1.000", "1.000"]


def test_the_table_stands_between_its_own_marks() -> None:
    found = figure("start", "start", "ms", [3.0], Bound(1.05), ("a server", [2.0]), "by hand")
    alone = figure("exit", "exit", "ms", [1234.5])
    report = Report("abc", "python -m x", MACHINE, 24_000, 3_478, 768, (found, alone))
    before = "Before.\n<!-- speed -->\nold\n<!-- /speed -->\nAfter.\n"
    assert inserted(before, as_markdown(report), "speed") == TABLE
