"""What is asked of a blog: queries from its posts or a file, and one run over a real index."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import import_module
from operator import attrgetter
from pathlib import Path

import pytest

from benchmarks.ablations import Ablation, ablated, read_ablation
from benchmarks.blog import posts_of
from benchmarks.corpora import REWRITTEN
from benchmarks.descriptions import is_copied, known_items, says_enough
from benchmarks.knobs import KNOBS
from benchmarks.labels import read_queries
from benchmarks.queries import KINDS, derive, foreign, is_identifier
from benchmarks.table import shown
from benchmarks.types import Estimate, Query
from benchmarks.wording import letters, words
from blog_search_mcp.index.analysis.query import analysed
from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.chunking import chunker
from blog_search_mcp.ingest.documents.read_post import ParsedPost
from tests.support.paths import ROOT

SOUP = """---
title: Onion soup for two
description: A slow weekend dinner that needs nothing but patience and a pan
---
Boil the onions with `salt_level=3` and `water`.

## How long to boil

Twenty minutes.

## Next steps
"""
KV = """---
title: What a KV cache keeps
description: Why the tenth token costs less than the first one did
---
It keeps keys and values; `--kv-cache` and `water` turn it on.

## 快取的大小

It grows with the context.
"""
FLYING = (
    "# Flying kites\n\nKites fly.\n\n## Release 1.2 of it\n\nA.\n\n## Release 1.3 of it\n\nB.\n"
)
KITES = "# Kites in autumn\n\nMore kites, and `kite.reel()`.\n\n## Release 2.0 of it\n\nC.\n"


def post(source: str, body: str = "", title: str = "", description: str = "") -> ParsedPost:
    described = Post(source, title or source, description=description)
    return ParsedPost(described, body, 1, None, None, "", ())


def asked(kind: str, posts: list[ParsedPost]) -> set[tuple[str, str]]:
    return {(query.text, query.source) for query in derive(posts, [kind], 100)}


def test_a_chinese_letter_counts_for_two_letters_and_half_a_word() -> None:
    assert (letters("Go 1.24, 快取"), words("Go 1.24, 快取")) == (9, 3.0)


def test_a_description_needs_four_words_and_twenty_letters_or_ten_chinese_ones() -> None:
    assert says_enough("Notes about kites and winds")
    assert not says_enough("Notes on a kite")
    assert not says_enough("Extraordinarily unremarkable kites")
    assert says_enough("放風箏的人在秋天想到")
    assert not says_enough("放風箏的人在秋天想")


def test_a_description_that_the_title_or_the_body_holds_is_a_copy() -> None:
    text = "How a kite stays up in the wind"
    assert is_copied(text, "How a kite stays up, in the wind!", "")
    assert is_copied(text, "", "I wondered *how a kite stays up* in the wind.")
    assert is_copied(text, "", "See how a kite stays up in the sky")
    assert not is_copied(text, "", "See how a kite stays up in that sky")


def test_a_description_that_two_posts_share_but_for_numbers_is_no_known_item() -> None:
    same = "The compiler team's plans for the spring of"
    own = post("own.md", description="What the *team* learned about kites")
    posts = [
        post("a.md", description=f"{same} 2024"),
        post("b.md", description=f"{same} 2025"),
        own,
    ]
    assert list(known_items(posts)) == [
        Query("description", "What the team learned about kites", "own.md")
    ]


def test_headings_are_those_that_one_post_alone_has() -> None:
    boiling = (
        "# Soup\n\n## How to *boil*\n\n## Release 1.2\n\n## Next steps\n\n## Salt\n\n## 煮湯的水\n"
    )
    frying = "## Release 1.3\n## HOW TO BOIL?\n## Frying an egg\n## 煮湯\n"
    assert asked("heading", [post("a.md", boiling, title="Soup"), post("b.md", frying)]) == {
        ("煮湯的水", "a.md"),
        ("Frying an egg", "b.md"),
    }


def test_a_heading_that_is_its_posts_title_is_a_title() -> None:
    posts = [post("a.md", "# Onion soup\n\n## Cutting onions\n", title="Onion soup")]
    assert asked("heading", posts) == {("Cutting onions", "a.md")}
    assert asked("title", posts) == {("Onion soup", "a.md")}


def test_identifiers_are_inline_code_that_no_other_post_holds_anywhere() -> None:
    posts = [
        post("a.md", "Use `read_chunk`, `TOP_K`, `a b` and `ok`.\n\n```\n`fenced_name`\n```\n"),
        post("b.md", "It has a top_k too; see `search_blog` and `search_blog`."),
    ]
    assert asked("identifier", posts) == {("read_chunk", "a.md"), ("search_blog", "b.md")}
    found = derive(posts, ["identifier"], 100)
    assert {query.evidence for query in found} == {"read_chunk", "search_blog"}


def test_an_identifier_is_one_name_with_a_letter() -> None:
    assert all(map(is_identifier, ["--top-k", "x[0]", "std::mem"]))
    assert not any(map(is_identifier, ["ok", "a b", "1234", "x" * 61]))


def test_titles_that_two_posts_share_are_not_asked() -> None:
    posts = [post(f"{n}.md", title=title) for n, title in enumerate(["A b", "A  B!", "C d", "E"])]
    assert asked("title", posts) == {("C d", "2.md")}


def test_the_sample_is_the_same_in_any_order_and_mostly_stays_when_the_blog_grows() -> None:
    posts = [post(f"{n}.md", title=f"Post number {n}") for n in range(200)]
    some = derive(posts, ["title"], 20)
    assert len(some) == 20
    assert derive(posts[::-1], ["title"], 20) == some
    assert derive(posts, ["title"], 30)[:20] == some
    grown = derive([*posts, post("new.md", title="A new one")], ["title"], 20)
    assert len(set(grown) & set(some)) >= 19


def test_a_traditional_blog_is_also_asked_in_simplified_characters() -> None:
    posts = [
        post("zh.md", description="推論引擎為何把鍵值快取放進記憶體裡面"),
        post("ja.md", description="東京の図書館で読んだ國の歴史についての覚え書き"),
        post("en.md", description="Notes about kites and winds in autumn"),
    ]
    assert derive(posts, ["simplified"], 9) == [
        Query("simplified", "推论引擎为何把键值快取放进记忆体里面", "zh.md")
    ]


def test_a_chinese_blog_is_also_asked_in_the_other_regions_words() -> None:
    posts = [
        post("tw.md", title="記憶體與軟體的關係"),
        post("cn.md", title="内存和软件的关系"),
        post("same.md", title="風箏與海的故事"),
        post("en.md", title="Notes about kites"),
    ]
    assert sorted(derive(posts, ["regional"], 9), key=attrgetter("source")) == [
        Query("regional", "记忆体和软体的关系", "cn.md"),
        Query("regional", "内存与软件的关系", "tw.md"),
    ]


def test_queries_of_another_blog_are_off_topic_only_if_this_one_nowhere_says_them() -> None:
    here = [post("a.md", "We talked about Onion-Soup today.", title="Kites")]
    told = [Query("title", text, "x.md") for text in ("Onion soup", "kites", "Ships at sea")]
    assert foreign(told, here) == [Query("title", "Ships at sea", "x.md")]


def test_a_file_of_queries_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(
        '{"query": "誰?", "source": "a.md"}\n\n'
        '{"query": "b", "source": "b.md", "also": ["c.md"], "evidence": "e", "type": "why"}\n',
        encoding="utf-8",
    )
    first, second = read_queries(path, "mine")
    assert first == Query("mine", "誰?", "a.md")
    assert second == Query("mine", "b", "b.md", ("c.md",), "e")
    assert second.acceptable == {"b.md", "c.md"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"query": "a", "source": "a.md"}\n{"query": "b"}', "line 2: source: Field required"),
        ('{"query": "a", "source": "a.md", "sources": []}', "line 1: sources: Extra inputs"),
        ("no json", "line 1: Invalid JSON"),
        ("\n", "holds no query"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=said):
        read_queries(path, "mine")


def test_numbers_are_shown_without_a_leading_zero() -> None:
    assert shown(Estimate(0.925, 0.85, 1.0)) == ".925 [dim]\\[.85, 1.00][/dim]"
    assert shown(Estimate(-0.0312, -0.1, 0.02), signed=True) == "-.031 [dim]\\[-.100, +.020][/dim]"
    assert shown(None) == "–"


@pytest.mark.parametrize("name", list(KNOBS))
def test_everything_that_can_be_varied_is_there_and_comes_back(name: str) -> None:
    before = values_of(name)
    value = KNOBS[name].without
    ablation = Ablation(name, 7 if value is None else value)
    with ablated([ablation]):
        assert values_of(name) == [ablation.value] * len(before)
    assert values_of(name) == before


def values_of(name: str) -> list[object]:
    knob = KNOBS[name]
    values = [getattr(import_module(knob.module), each) for each in knob.name.split()]
    return [getattr(value, knob.field) if knob.field else value for value in values]


def test_a_varied_constant_is_another_wherever_it_was_imported() -> None:
    body = "\n\n".join(f"Paragraph {n} " + "with words in it " * 12 for n in range(12))
    whole = len(chunker.chunks("a.md", body, 1, "A"))
    with ablated([read_ablation("chunk_most=60"), read_ablation("chunk_least=40")]):
        assert len(chunker.chunks("a.md", body, 1, "A")) > whole
    assert len(chunker.chunks("a.md", body, 1, "A")) == whole
    with ablated([read_ablation("stopword_weight=0.9")]):
        assert [word.weight for word in analysed("the").words] == [0.9]


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("nothing=1", "There is no 'nothing' to vary. Choose among header"),
        ("header=2", "header can only be switched off: write header=off."),
        ("meaning=off", "meaning takes a number, not 'off'."),
    ],
)
def test_what_cannot_be_varied_is_said(setting: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_ablation(setting)


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blog")
    for name, text in {"kv.md": KV, "soup.md": SOUP, "fly.md": FLYING, "kites.md": KITES}.items():
        (folder / "content").mkdir(exist_ok=True)
        (folder / "content" / name).write_text(text, encoding="utf-8")
    return folder


def command(module: str, blog: Path, *arguments: str | Path) -> str:
    run = subprocess.run(
        [
            *(sys.executable, "-m", module, blog / "content"),
            *("--index", blog / "index", "--json", *arguments),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
        encoding="utf-8",
    )
    return run.stdout


def test_a_whole_run_measures_every_kind_by_every_leg(blog: Path) -> None:
    other = blog / "other"
    other.mkdir()
    (other / "a.md").write_text("# Ships in the harbour\n\nThey sail.\n", encoding="utf-8")
    found = json.loads(command("benchmarks.quality", blog, "--off-topic", other))
    rows = {(row["kind"], row["leg"]): row for row in found["legs"]}
    kinds = [kind for kind in KINDS if kind not in REWRITTEN]
    assert list(rows) == [(kind, leg) for kind in kinds for leg in ("lexical", "dense", "hybrid")]
    counts = {kind: rows[kind, "hybrid"]["queries"] for kind in kinds}
    assert counts == {"description": 2, "heading": 2, "identifier": 3, "title": 4}
    assert rows["title", "lexical"]["hit_at_1"] == {"value": 1.0, "low": 1.0, "high": 1.0}
    assert rows["identifier", "lexical"]["evidence"]["value"] == 1.0
    assert (found["posts"], found["embedder"]) == (4, "embedded all-MiniLM-L6-v2")
    assert [row["kind"] for row in found["fusion"]] == kinds
    assert [(row["kind"], row["off_topic"]) for row in found["off_topic"]] == [
        (kind, 1) for kind in kinds
    ]
    assert found["command"].startswith("python -m benchmarks.quality ")


def test_a_blog_is_asked_in_the_language_of_its_translation(blog: Path, tmp_path: Path) -> None:
    other = tmp_path / "zh"
    other.mkdir()
    (other / "soup.md").write_text("---\ntitle: 兩人份的 salt_level\n---\n湯。\n", encoding="utf-8")
    (other / "more.md").write_text("---\ntitle: 只在這裡有的文章\n---\n湯。\n", encoding="utf-8")
    found = json.loads(command("benchmarks.quality", blog, "--asked-in", other))
    title = next(row for row in found["legs"] if row["kind"] == "title")
    assert (title["queries"], title["hit_at_1"]["value"]) == (1, 1.0)


def test_the_description_is_not_in_the_index_that_is_measured(blog: Path) -> None:
    queries = blog / "patience.jsonl"
    queries.write_text('{"query": "patience", "source": "soup.md"}\n', encoding="utf-8")
    found = json.loads(command("benchmarks.quality", blog, "--queries", queries))
    lexical = found["legs"][0]
    assert (lexical["kind"], lexical["leg"]) == ("patience", "lexical")
    assert (lexical["queries"], lexical["zero_results"]) == (1, 1)


def test_known_items_are_found_through_the_server_and_by_the_floor(blog: Path) -> None:
    queries = blog / "known.jsonl"
    lines = [{"query": "salt_level onions", "source": "soup.md"}, {"query": "?", "source": "kv.md"}]
    queries.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    found = json.loads(command("benchmarks.known_items", blog, queries))
    assert found["whole-post BM25"] == {"queries": 2, "hit@1": 0.5, "hit@5": 0.5}
    assert found["server"]["hit@1"] >= 0.5


def test_a_post_without_a_body_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "moved.md").write_text("---\ntitle: An old address\n---\n", encoding="utf-8")
    (tmp_path / "here.md").write_text("# A new address\n\nHere.\n", encoding="utf-8")
    assert [post.post.source for post in posts_of(tmp_path)] == ["here.md"]
