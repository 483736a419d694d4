"""What becomes of outcomes: rows, targets and the document that holds the numbers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.table import Table

from benchmarks.ablations import ablated, read_ablation
from benchmarks.corpora import Corpus, corpora_in, off_topic_for
from benchmarks.knobs import SETTINGS
from benchmarks.markdown import inserted, markdown
from benchmarks.provenance import command
from benchmarks.run import outcome_of
from benchmarks.summary import ablation_rows
from benchmarks.targets import Floor, Reached, reached
from benchmarks.types import (
    AblationRow,
    Estimate,
    FusionRow,
    LegRow,
    Measurement,
    OffTopicRow,
    Outcome,
    Query,
)
from blog_search_mcp.index.analysis.tokenizer import spelled, stem, terms
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.lexical.documents import PADDING
from blog_search_mcp.index.types import Answer, Chunk, Hit, Post
from blog_search_mcp.ingest.documents.read_post import ParsedPost
from tests.support.paths import ROOT


def sure(value: float) -> Estimate:
    return Estimate(value, value, value)


def chunk(source: str, index: int, text: str) -> Chunk:
    return Chunk(source, index, text, text, (), 1, 1)


def test_a_translation_of_the_wanted_post_counts_as_the_post() -> None:
    hits = (
        Hit(Post("b.md", "B"), chunk("b.md", 0, "Boats."), 0.9, ""),
        Hit(
            Post("a.zh.md", "A"),
            chunk("a.zh.md", 0, "一隻海象在岸上"),
            0.8,
            "",
            translations=(("en", "a.md"),),
        ),
    )
    answer = Answer(hits, total=2, offset=0, confidence="low", certainty=0.4)
    wanted = Query("question", "walrus", "a.md", evidence="海象")
    assert outcome_of(answer, wanted) == Outcome(2, 2, True, 0.4, is_low=True)
    assert outcome_of(answer, Query("question", "walrus", "c.md")).rank is None


def test_evidence_may_stand_in_the_neighbour_that_is_read_with_a_hit() -> None:
    first, second = chunk("a.md", 0, "It begins."), chunk("a.md", 1, "A walrus came.")
    wanted = Query("question", "walrus", "a.md", evidence="A walrus")
    for beside, found in [(second, True), (None, False)]:
        hit = Hit(Post("a.md", "A"), first, 0.9, "", beside=beside)
        assert outcome_of(Answer((hit,), 1, 0, "high", 1.2), wanted).evidence is found


def test_an_ablation_is_compared_query_by_query_within_its_kind() -> None:
    queries = [Query(kind, str(n), "a.md") for n, kind in enumerate(["title", "heading", "title"])]
    before = [Outcome(rank, 9, None, 0.0) for rank in (1, 1, 3)]
    varied = [Outcome(rank, 9, None, 0.0) for rank in (3, 1, None)]
    assert list(ablation_rows("meaning=0", queries, before, varied)) == [
        AblationRow("meaning=0", "title", 2, 0.5, 0.25, sure(-0.5)),
        AblationRow("meaning=0", "heading", 1, 1.0, 1.0, sure(0.0)),
    ]


def test_every_setting_of_the_table_can_be_given_alone() -> None:
    for setting in SETTINGS:
        for part in setting.split():
            assert read_ablation(part).name in part


def test_no_result_from_before_is_remembered_while_something_is_varied() -> None:
    assert stem("Cafés", "english") == "cafe"
    with ablated([read_ablation("folding=off")]):
        assert stem("Cafés", "english") == "café"
        assert spelled("快取", "zh").stems == " ".join(term.stem for term in terms("快取"))
        assert spelled("記憶", "zh").stems == "記憶"
    assert stem("Cafés", "english") == "cafe"


def leg_row(kind: str, hit_at_1: float, hit_at_5: float, evidence: float | None = None) -> LegRow:
    found = None if evidence is None else sure(evidence)
    return LegRow(kind, "hybrid", 9, 0, sure(hit_at_1), sure(hit_at_5), sure(0.0), sure(0.0), found)


def test_targets_are_met_or_not_by_the_unrounded_number() -> None:
    measured = Measurement(
        commit="",
        command="",
        posts=3,
        chunks=9,
        embedder="e",
        legs=(leg_row("question", 0.76, 0.9199, 0.8), leg_row("title", 0.1, 0.1)),
        fusion=(FusionRow("title", "dense", sure(-0.0051)),),
        off_topic=(
            OffTopicRow("question", 9, 9, sure(0.96), 0.5, 0.0, 1.0),
            OffTopicRow("title", 9, 9, sure(0.2), 0.5, 0.0, 1.0),
        ),
        ablations=(),
    )
    floors = {("rust-blog", "question"): Floor(0.68, 0.84)}
    found = reached({"rust-blog": measured}, floors)
    assert found == [
        Reached("rust-blog", "question, hit@1", 0.68, 0.76, 0.76),
        Reached("rust-blog", "question, hit@5", 0.84, 0.92, 0.9199),
        Reached("rust-blog", "question, evidence", None, 0.8, 0.8),
        Reached("rust-blog", "title, hybrid less dense, nDCG@10", None, -0.005, -0.0051, True),
        Reached("rust-blog", "question, AUROC", None, 0.95, 0.96),
    ]
    assert [target.met for target in found] == [True, False, True, False, True]


def test_a_table_becomes_markdown() -> None:
    table = Table("kind", title="left out")
    table.add_column("hit@5", justify="right")
    table.add_row("title", ".925 [dim]\\[.85, 1.00][/dim]", end_section=True)
    table.add_row("heading", "–")
    assert markdown(table).splitlines() == [
        "| kind | hit@5 |",
        "| --- | --: |",
        "| title | .925 [.85, 1.00] |",
        "| heading | – |",
    ]


def test_numbers_take_the_place_of_the_old_ones_and_of_nothing_else() -> None:
    marked = "# Quality\n\n<!-- measured -->\n{}<!-- /measured -->\n\nNotes.\n"
    assert inserted(marked.format("old\n"), "new\n") == marked.format("\nnew\n\n")
    with pytest.raises(UsageError, match="lacks the lines <!-- measured --> and"):
        inserted("# Quality\n", "new")


def test_a_command_can_be_pasted_into_a_shell() -> None:
    assert command("benchmarks.quality", ["my posts", "--json"]) == (
        "python -m benchmarks.quality 'my posts' --json"
    )


def corpus(name: str, language: str) -> Corpus:
    body = {"en": "the boats and the sea", "zh": "船在海上"}[language]
    posts = [ParsedPost(Post("a.md", name), body, 1, None, None, "", ())]
    return Corpus(name, Path(name), posts, ())


def test_off_topic_queries_come_from_the_next_blog_of_the_same_language() -> None:
    blogs = [corpus("a", "en"), corpus("b", "zh"), corpus("c", "en")]
    others = {blog.name: off_topic_for(blog, blogs) for blog in blogs}
    assert others == {"a": blogs[2], "b": blogs[2], "c": blogs[0]}
    assert off_topic_for(blogs[0], blogs[:1]) is None


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    posts = {
        "kitchen": "# Onion soup\n\n## How to boil it\n\nBoil the onions with `salt_level=3`.\n",
        "harbour": "# Ships at sea\n\n## Where they land\n\nThey sail to `quay_9`.\n",
    }
    for name, text in posts.items():
        (folder / name / "posts").mkdir(parents=True)
        (folder / name / "posts" / "a.md").write_text(text, encoding="utf-8")
    line = json.dumps({"query": "warm dinner of onions", "source": "a.md"})
    (folder / "kitchen" / "known_items.jsonl").write_text(line, encoding="utf-8")
    return folder


def test_what_somebody_wrote_down_comes_before_what_is_made_of_the_posts(corpora: Path) -> None:
    harbour, kitchen = corpora_in(corpora, None, 9)
    derived = ["heading", "identifier", "title"]
    assert [query.kind for query in harbour.queries] == derived
    assert [query.kind for query in kitchen.queries] == ["description", *derived]
    assert kitchen.written == ("description",)
    with pytest.raises(UsageError, match="holds no blog"):
        corpora_in(corpora / "kitchen", None, 9)


def test_one_run_measures_every_blog_and_renews_the_document(corpora: Path, tmp_path: Path) -> None:
    document = tmp_path / "quality.md"
    document.write_text("# Q\n<!-- measured -->\n<!-- /measured -->\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.dev_blogs", corpora, "--write", document],
        cwd=ROOT,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    assert document.read_text(encoding="utf-8") == (
        f"# Q\n<!-- measured -->\n\n{done.stdout.strip()}\n\n<!-- /measured -->\n"
    )
    assert "```\npython -m benchmarks.dev_blogs CORPORA\n```" in done.stdout
    assert "**kitchen against queries of harbour**" in done.stdout
    assert str(corpora) not in done.stdout


def test_what_is_varied_first_is_varied_nowhere_afterwards() -> None:
    program = """
from benchmarks.ablations import ablated, read_ablation
with ablated([read_ablation("padding=0")]):
    from blog_search_mcp.index.lexical import writer as lexical_writer
    print(lexical_writer.PADDING)
print(lexical_writer.PADDING)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", str(PADDING)]
