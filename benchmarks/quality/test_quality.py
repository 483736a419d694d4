"""Derived queries, and the measures of their answers."""

import json
import math
import sys
from pathlib import Path

import pytest

from benchmarks.quality import __main__ as quality
from benchmarks.quality import queries
from benchmarks.quality.blogs import read_judgements, read_questions, write_collection
from benchmarks.quality.metrics import MEASURES, average, gain, ndcg, rank_of
from benchmarks.quality.queries import Query, Text, select_foreign
from blog_search_mcp.index.errors import UsageError

POSTS = (
    Text("a.md", "RAG", "en", ("News of 2024", "Known issues"), "Use `load_all` or `two`."),
    Text("b.md", "How Generics work", "en", ("News of 2025", "What they cost"), "On `Two`."),
    Text("c.md", "向量", "zh-hant", ("為什麼檢索需要向量",), "說明。\n\n```\n`not_this`\n```\n"),
    Text("d.md", "rag", "de", (), "Kein Code."),
    Text("e.md", "Schleifen", "de", ("Overview",), "Der Beitrag."),
)


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        (queries.titles, {"RAG", "How Generics work", "向量", "Schleifen"}),
        (queries.definitions, {"What is RAG?", "什麼是 向量？", "Was ist Schleifen?"}),
        (queries.misspelled, {"How Genreics work"}),
        (queries.headings, {"What they cost", "為什麼檢索需要向量"}),
        (queries.identifiers, {"load_all"}),
        (queries.simplified, {"为什么检索需要向量"}),
    ],
)
def test_each_kind_is_made_of_the_posts(kind: queries.Kind, asked: set[str]) -> None:
    assert {query.text for query in kind(POSTS)} == asked


def test_every_post_with_a_title_is_right_and_one_alone_for_a_name_in_code() -> None:
    assert Query("title", "RAG", ("a.md", "d.md")) in queries.titles(POSTS)
    assert [*queries.identifiers(POSTS)] == [
        Query("identifier", "load_all", ("a.md",), evidence="load_all")
    ]


def test_what_a_post_says_word_for_word_is_not_asked_from_elsewhere() -> None:
    assert select_foreign(["kein code", "how they cost"], POSTS) == ["how they cost"]


def test_keywords_of_a_question_are_its_telling_words() -> None:
    asked = ("What is a database of vectors and what is it for?", "KV cache 的 token 為什麼要存？")
    keywords = [queries.reduce_to_keywords(text) for text in asked]
    assert keywords == ["database vectors", "KV cache token 要存"]


def test_questions_are_those_of_the_files_named_after_the_blog(tmp_path: Path) -> None:
    lines = {
        "cats.jsonl": '{"query": "one", "source": "a.md", "also": ["b.md"], "evidence": "1"}',
        "cats-2.jsonl": '{"query": "two", "source": "c.md", "type": "why"}',
        "cats.absent.jsonl": '{"query": "three"}',
        "catsup.jsonl": '{"query": "four", "source": "a.md"}',
    }
    for name, line in lines.items():
        (tmp_path / name).write_text(line)
    one = Query("question", "one", ("a.md", "b.md"), "1")
    two, three = Query("question", "two", ("c.md",)), Query("absent", "three")
    read = {names: [*read_questions(tmp_path, *names)] for names in (("cats",), ())}
    assert [each.asked for each in read["cats",]] == [two, three, one]
    assert {each.blog for each in read[()]} == {"cats", "catsup"}
    assert [each.asked for each in read_questions(tmp_path / "cats.jsonl", "dogs")] == [one]
    (tmp_path / "cats.jsonl").write_text('{"question": "one", "source": "a.md"}')
    with pytest.raises(UsageError, match=r"cats\.jsonl:1 "):
        list(read_questions(tmp_path / "cats.jsonl", "cats"))


def test_a_judged_collection_is_posts_and_queries_with_all_that_is_relevant(tmp_path: Path) -> None:
    documents = [
        {"id": "1", "title": 'A "title"', "text": "words"},
        {"id": "b/2", "title": "", "text": "def f():\n    # this"},
    ]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    asked = [{"id": "q", "text": "a function"}, {"id": "unjudged", "text": "no"}]
    (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, asked)))
    judged = ["query-id\tdoc-id\trelevance", "q\tb/2\t1", "q\t1\t2", "q\t3\t0"]
    (tmp_path / "qrels.tsv").write_text("\n".join(judged))
    assert [*read_judgements(tmp_path)] == [Query("judged", "a function", ("b%2F2.md", "1.md"))]
    posts = write_collection(tmp_path, tmp_path / "posts")
    assert {path.name: path.read_text() for path in posts.iterdir()} == {
        "1.md": '---\ntitle: "A \\"title\\""\n---\n\nwords\n',
        "b%2F2.md": "```\ndef f():\n    # this\n```\n",
    }


def test_figures_worked_by_hand() -> None:
    assert [rank_of(["b", "c"], sources) for sources in ("abc", "c", "a")] == [2, 1, math.inf]
    assert [gain(rank) for rank in (1, 3, 7, 11, math.inf)] == [1, 1 / 2, 1 / 3, 0, 0]
    assert ndcg([1, 3], 2) == pytest.approx(1.5 / (1 + 1 / math.log2(3)))
    measured = [{"hit@1": True, "low": True, "read": 30}, {"hit@1": False, "read": 50}]
    means = zip(MEASURES, average(measured), strict=True)
    known = {name: mean for name, mean in means if mean is not None}
    assert known == {"hit@1": 1 / 2, "low": 1, "read": 40}


@pytest.mark.slow  # three ingests
def test_one_command_measures_blogs_and_collections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    posts = {
        "cats": {"Purring": "The cat purrs at 25 hertz.", "Feeding a cat": "Feed it `kibble`."},
        "dogs": {"Barking": "The dog barks at night.", "How to walk a dog": "Walk it twice."},
    }
    for blog, texts in posts.items():
        (tmp_path / blog / "posts").mkdir(parents=True)
        for number, (title, body) in enumerate(texts.items()):
            text = f"# {title}\n\n{body}\n\n## On {title}\n\nMore.\n"
            (tmp_path / blog / "posts" / f"{number}.md").write_text(text)
    (tmp_path / "birds").mkdir()
    (tmp_path / "birds" / "corpus.jsonl").write_text(
        '{"id": "1", "title": "Wren", "text": "A small bird."}\n'
        '{"id": "2", "title": "Train", "text": "It runs on rails."}\n'
    )
    (tmp_path / "birds" / "queries.jsonl").write_text('{"id": "1", "text": "small birds"}')
    (tmp_path / "birds" / "qrels.tsv").write_text("query-id\tdoc-id\trelevance\n1\t1\t1\n")
    (tmp_path / "cats.jsonl").write_text(
        '{"query": "how fast do they purr?", "source": "0.md", "evidence": "at 25 hertz"}'
    )
    places = [tmp_path / "cats" / "posts", tmp_path / "dogs" / "posts", tmp_path / "birds"]
    monkeypatch.setattr(sys, "argv", ["quality", *map(str, places), "--questions", str(tmp_path)])
    assert quality.main() == 0
    said = capsys.readouterr().out
    assert "**cats: 2 posts**" in said
    assert "| question | 1 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |" in said
    assert "| judged | 1 | 1.000 | 1.000 | 1.000 | – | – |" in said
    assert "| elsewhere | 1 | – | – | – | – | – |" in said.partition("**dogs")[2]
