"""Translations of one post are found as one, in the language of the question."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.relations.translations import group_sources, name_languages
from blog_search_mcp.index.search.diversify import collapse_translations
from blog_search_mcp.index.types import Filters, Translation
from tests.support.blog import MakeBlog

ENGLISH = """---
title: Prompt injection from documents
---
A retrieval tool hands text to a language model, and the text can pose as instructions.
"""
CHINESE = """---
title: 來自文件的提示注入
---
檢索工具把文字交給語言模型（prompt injection），文件裡的字句就可能冒充指令。
"""
I18N = "i18n/zh-TW/docusaurus-plugin-content-blog/a.md"


@pytest.mark.parametrize(
    "groups",
    [
        [{"a/index.en.md": "en", "a/index.zh.md": "zh"}],
        [{"post.md": "", "post.pt-br.md": "pt-br"}],
        [{"post.mdx": "", "post.en.md": "en"}],
        [{"en/p/a.md": "en", "ja/p/a.mdx": "ja", "zh-tw/p/a.md": "zh-tw"}],
        [{"blog/a.md": "", I18N: "zh-tw"}],
        # a shared post shows that a folder is a language, so that landing pages are shared too
        [{"en/_index.md": "en", "zh/_index.md": "zh"}, {"en/a.md": "en", "zh/a.md": "zh"}],
        # the default language beside the folders of the others
        [
            {"a.md": "", "en/a.md": "en"},
            {"b.md": "", "en/b.md": "en"},
            {"index.md": "", "en/index.md": "en"},
        ],
        # a suffix says more than a folder
        [{"en/a.md": "", "en/a.ja.md": "ja"}, {"de/a.md": "de", "zh/a.md": "zh"}],
    ],
)
def test_translations_are_known_by_their_place(groups: list[dict[str, str]]) -> None:
    sources = [source for group in groups for source in group]
    assert group_sources(["y.md", *sources, "z/y.md"]) == groups


@pytest.mark.parametrize(
    "sources",
    [
        ["post.en.md"],
        ["post.md", "post.mdx"],
        ["post.md", "other.en.md"],
        ["a/post.md", "b/post.en.md"],
        ["go/intro.md", "id/intro.md"],
        ["cs/index.md", "it/index.md"],
        ["it-security/a.md", "no-code/a.md"],
        ["vue.js.md", "vue.ts.md"],
    ],
)
def test_posts_that_only_look_alike_are_no_translations(sources: list[str]) -> None:
    assert group_sources(sources) == []


def test_what_the_place_leaves_unsaid_is_what_is_spoken_unless_another_post_is_in_it() -> None:
    group = {"a.md": "", "a.en.md": "en"}
    assert name_languages(group, {"a.md": "zh-tw"}) == {"a.md": "zh-tw", "a.en.md": "en"}
    assert name_languages(group, {"a.md": "en"}) == {"a.md": "und", "a.en.md": "en"}


@pytest.mark.parametrize(
    ("languages", "scores", "query", "shown"),
    [
        (("en", "zh"), {1: 0.2, 2: 0.9}, "what is it?", {1: 0.9}),
        (("en", "zh"), {1: 0.9, 2: 0.2}, "這是什麼", {2: 0.9}),
        (("en", "zh"), {1: 0.5, 2: 0.6}, "IndexFlatIP", {1: 0.6}),
        (("en", "zh"), {1: 0.3, 2: 0.6}, "IndexFlatIP", {2: 0.6}),
        (("zh-cn", "zh-tw"), {1: 0.6, 2: 0.5}, "這是什麼", {2: 0.6}),
        (("zh-hans", "zh-hant"), {1: 0.5, 2: 0.6}, "这是什么", {1: 0.6}),
        (("en", "zh"), {3: 0.4, 1: 0.5, 2: 0.6}, "what is it?", {3: 0.4, 1: 0.6}),
    ],
)
def test_a_group_has_its_best_score_and_one_language(
    languages: tuple[str, ...], scores: dict[int, float], query: str, shown: dict[int, float]
) -> None:
    members = enumerate(languages, 1)
    group = tuple(Translation(number, f"{code}.md", code) for number, code in members)
    groups = dict.fromkeys((each.post for each in group), group)
    assert collapse_translations(scores, groups, query) == shown


def find(reader: IndexReader, query: str) -> list[tuple[str, Mapping[str, str]]]:
    """Give the source and the translations of each hit."""
    hits = reader.search(query, Filters(), limit=20, offset=0).hits
    return [(hit.post.source, dict(hit.translations)) for hit in hits]


def test_a_key_in_the_front_matter_makes_translations_of_posts_anywhere(blog: MakeBlog) -> None:
    keyed = "---\ntitle: {0}\ntranslationKey: injection\nlang: {1}\n---\nPrompt injection. {0}\n"
    posts = {"a/one.md": ("One", "en"), "b/two.md": ("Zwei", "de"), "b/three.md": ("Drei", "de")}
    made = blog({source: keyed.format(*words) for source, words in posts.items()})
    assert find(made.reader(), "what is prompt injection?") == [
        ("a/one.md", {"de": "b/three.md"}),
        ("b/two.md", {}),
    ]


def test_a_question_gets_the_post_in_its_language_as_posts_come_and_go(blog: MakeBlog) -> None:
    made = blog({"x.md": ENGLISH})
    made.write({"x.zh.md": CHINESE})
    assert made.ingest().embedded == 1
    assert find(made.reader(), "how can text in a document pose as instructions?") == [
        ("x.md", {"zh": "x.zh.md"})
    ]
    assert find(made.reader(), "文件裡的字句怎麼冒充指令？") == [("x.zh.md", {"en": "x.md"})]

    (made.content / "x.md").unlink()
    made.ingest()
    assert find(made.reader(), "prompt injection") == [("x.zh.md", {})]
