import json
from pathlib import Path

import pytest

from benchmarks.quality.blog import read_posts
from benchmarks.quality.corpora import Corpus, read_collections, read_corpora
from benchmarks.quality.queries import KINDS, is_short, is_specific
from benchmarks.quality.types import Query


def write_blog(folder: Path, posts: dict[str, str]) -> Path:
    for source, text in posts.items():
        (folder / "posts" / source).parent.mkdir(parents=True, exist_ok=True)
        (folder / "posts" / source).write_text(text, encoding="utf-8")
    return folder / "posts"


def post(title: str, body: str = "Some words of the body.") -> str:
    return f"---\ntitle: {json.dumps(title, ensure_ascii=False)}\n---\n\n{body}\n"


def asked(kind: str, content: Path) -> dict[str, Query]:
    return {query.text: query for query in KINDS[kind](read_posts(content))}


def test_titles_are_asked_as_they_stand_but_those_of_two_posts(tmp_path: Path) -> None:
    texts = {
        "a.md": post("RAG"),
        "b.md": post("How RAG works", "RAG"),
        "c.md": post("News"),
        "d.md": post("news"),
        "llm/knowledge-cards/e.md": post("Key value cache"),
    }
    found = asked("title", write_blog(tmp_path, texts))
    assert found == {
        "RAG": Query("title", "RAG", "a.md", parts=("short",)),
        "How RAG works": Query("title", "How RAG works", "b.md"),
        "Key value cache": Query(
            "title", "Key value cache", "llm/knowledge-cards/e.md", parts=("card",)
        ),
    }


def test_a_title_that_translations_share_is_asked_once_and_each_is_right(tmp_path: Path) -> None:
    content = write_blog(tmp_path, {"p.en.md": post("Hexo"), "p.de.md": post("Hexo")})
    [found] = asked("title", content).values()
    assert (found.source, found.also) == ("p.de.md", ("p.en.md",))
    assert found.acceptable == {"p.en.md", "p.de.md"}


@pytest.mark.parametrize("title", ["RAG", "KV Cache", "資料庫", "Token 預算", "front-end v1.2"])
def test_a_term_is_two_words_or_runs_of_letters(title: str) -> None:
    assert is_short(title)
    assert not is_short(f"{title} and more words")


def test_what_is_x_is_asked_in_the_language_of_the_post(tmp_path: Path) -> None:
    texts = {
        "en.md": post("Generics", "This is the post that says what the word is about."),
        "de.md": post("Schleifen", "Das ist der Beitrag, in dem es um die Schleifen geht."),
        "hant.md": post("向量", "這裡說明什麼是向量，以及為什麼檢索會用到這個東西。"),
        "hans.md": post("索引", "这里说明什么是索引，以及为什么查询会用到这个东西。"),
        "ja.md": post("キャッシュ", "この記事ではキャッシュについて説明します。"),
        "ru.md": post("Кэш", "Это статья о том, что такое кэш и как он работает."),
        "long.md": post("Why the loops of Go are as they are", "This is the post on loops."),
    }
    found = asked("definition", write_blog(tmp_path, texts))
    assert {query.source: text for text, query in found.items()} == {
        "en.md": "What is Generics?",
        "de.md": "Was ist Schleifen?",
        "hant.md": "什麼是 向量？",
        "hans.md": "什么是 索引？",
        "ja.md": "キャッシュ とは",
    }


def test_a_title_of_several_words_is_misspelled_in_the_middle_of_the_longest(
    tmp_path: Path,
) -> None:
    titles = ["How Generics work", "Letter by letter", "Kubernetes", "資料庫 of databases", "A b c"]
    texts = {f"{number}.md": post(title) for number, title in enumerate(titles)}
    assert asked("misspelled", write_blog(tmp_path, texts)) == {
        "How Genreics work": Query("misspelled", "How Genreics work", "0.md"),
        "Leter by letter": Query("misspelled", "Leter by letter", "1.md"),
        "資料庫 of datbaases": Query("misspelled", "資料庫 of datbaases", "3.md"),
    }


def test_inline_code_is_an_identifier_and_fenced_code_is_not(tmp_path: Path) -> None:
    body = "Use `load_all` here, or ``two``.\n\n```\n`not_this`\n```\n"
    content = write_blog(tmp_path, {"a.md": post("A", body), "b.md": post("B", "On `two`.")})
    assert asked("identifier", content) == {
        "load_all": Query("identifier", "load_all", "a.md", evidence="load_all")
    }


def read_one(folder: Path, questions: Path) -> Corpus:
    [corpus] = read_corpora([folder], questions, 10)
    return corpus


def test_questions_come_by_file_and_know_whether_they_are_in_the_posts_language(
    tmp_path: Path,
) -> None:
    text = post("向量資料庫", "這裡說明什麼是向量資料庫，以及為什麼檢索會用到這個東西。")
    write_blog(tmp_path / "corpora" / "blog", {"a.md": text})
    questions = tmp_path / "questions"
    questions.mkdir()
    first = {"query": "KV cache 的 token 為什麼要存？", "source": "a.md", "evidence": "檢索"}
    second = {"query": "What is a database of vectors and what is it for?", "source": "a.md"}
    (questions / "blog.jsonl").write_text(json.dumps(first) + "\n")
    (questions / "blog-2.jsonl").write_text(json.dumps(second) + "\n")
    (questions / "blog.absent.jsonl").write_text('{"query": "樹莓派？", "type": "absent"}\n')
    corpus = read_one(tmp_path / "corpora", questions)
    assert corpus.language == "zh"
    assert [query for query in corpus.queries if query.kind.startswith("question")] == [
        Query("question 2", second["query"], "a.md", language="en", parts=("other language",)),
        Query("question", first["query"], "a.md", evidence="檢索", language="zh"),
    ]
    unmarked = [query.text for query in corpus.queries if query.kind == "unmarked"]
    assert unmarked == [
        "What is a database of vectors and what is it for",
        "KV cache 的 token 為什麼要存",
    ]
    keywords = [query.text for query in corpus.queries if query.kind == "keywords"]
    assert keywords == ["database vectors", "KV cache token 要存"]
    near, *everyday = corpus.absent
    assert near == Query("absent", "樹莓派？")
    assert {query.kind for query in everyday} == {"everyday"}
    assert Query("everyday", "水煮蛋要煮幾分鐘？") in everyday
    assert (
        Query("everyday", "How long should I boil an egg?", parts=("other language",)) in everyday
    )


def test_off_topic_are_questions_and_specific_headings_of_blogs_in_the_language(
    tmp_path: Path,
) -> None:
    bodies = {
        "one": "This is a blog about the things that one can do at home.",
        "two": "This is what the owners of cats and of dogs have to know.\n\n## Overview of it\n\n",
        "zh": "這裡說明什麼是向量資料庫。",
    }
    bodies["two"] += "Text.\n\n## Grooming a long-haired cat\n\nText."
    for name, body in bodies.items():
        write_blog(tmp_path / "corpora" / name, {"a.md": post(f"Post of {name}", body)})
    (tmp_path / "questions").mkdir()
    for name, text in {"two": "How often does a cat need a brush?", "zh": "什麼是向量？"}.items():
        line = json.dumps({"query": text, "source": "a.md"})
        (tmp_path / "questions" / f"{name}.jsonl").write_text(line)
    corpora = read_corpora([tmp_path / "corpora"], tmp_path / "questions", 5)
    asked = [(query.text, query.parts) for query in corpora[0].off_topic(corpora, 5)]
    assert asked == [
        ("How often does a cat need a brush?", ("question",)),
        ("Grooming a long-haired cat", ("heading",)),
    ]


@pytest.mark.parametrize(
    ("heading", "specific"),
    [
        ("Grooming a long-haired cat", True),
        ("What is it for?", False),
        ("Known issues", False),
        ("向量資料庫的檢索", True),
        ("更新內容", False),
        ("KV cache 預算", True),
    ],
)
def test_a_heading_of_three_words_of_its_own_is_specific(heading: str, specific: bool) -> None:
    assert is_specific(heading) is specific


def test_a_judged_collection_is_posts_and_queries_with_all_that_is_relevant(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "ir" / "code"
    folder.mkdir(parents=True)
    documents = [
        {"id": "1", "title": 'A "title"', "text": "words"},
        {"id": "b/2", "title": "", "text": "def f():\n    # this"},
    ]
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, documents)))
    queries = [{"id": "q", "text": "a function"}, {"id": "unjudged", "text": "no"}]
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    judged = ["query-id\tdoc-id\trelevance", "q\tb/2\t1", "q\t1\t2", "q\t3\t0"]
    (folder / "qrels.tsv").write_text("\n".join(judged))
    [collection] = read_collections([tmp_path / "ir"], tmp_path / "cache", 5)
    assert collection.queries == [Query("judged", "a function", "b%2F2.md", ("1.md",))]
    posts = {found.post.source: found for found in read_posts(collection.content)}
    assert posts["1.md"].post.title == 'A "title"'
    assert posts["b%2F2.md"].body.text.strip() == "```\ndef f():\n    # this\n```"
