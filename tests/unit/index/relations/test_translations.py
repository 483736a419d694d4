"""Translations of one post are found as one, in the language of the question."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.relations.translations import group_sources, name_languages
from blog_search_mcp.index.search.diversify import collapse_translations
from blog_search_mcp.index.types import Filters, Hit, Translation, Translations
from tests.support.blog import Blog, MakeBlog

ENGLISH = """---
title: Prompt injection from documents
tags: [security]
---
A retrieval tool hands text to a language model, and the text can pose as instructions.
"""
CHINESE = """---
title: 來自文件的提示注入
tags: [資安]
---
檢索工具把文字交給語言模型（prompt injection），文件裡的字句就可能冒充指令。
"""
OTHER = """---
title: How to measure latency
---
A histogram of how long a tool takes tells more than a mean. 延遲要用直方圖來看。
"""
PAIR = {"n/x/index.en.md": ENGLISH, "n/x/index.zh.md": CHINESE, "n/latency.md": OTHER}


@pytest.mark.parametrize(
    ("sources", "group"),
    [
        (["a/index.en.md", "a/index.zh.md"], {"a/index.en.md": "en", "a/index.zh.md": "zh"}),
        (["post.md", "post.pt-br.md"], {"post.md": "", "post.pt-br.md": "pt-br"}),
        (["post.mdx", "post.en.md"], {"post.mdx": "", "post.en.md": "en"}),
        (["_index.de.md", "_index.fr.md"], {"_index.de.md": "de", "_index.fr.md": "fr"}),
        (
            ["en/p/a.md", "zh-tw/p/a.md", "ja/p/a.mdx"],
            {"en/p/a.md": "en", "ja/p/a.mdx": "ja", "zh-tw/p/a.md": "zh-tw"},
        ),
        (
            ["_posts/en/2024-01-02-a.md", "_posts/es/2024-01-02-a.md"],
            {"_posts/en/2024-01-02-a.md": "en", "_posts/es/2024-01-02-a.md": "es"},
        ),
        (["en/a/index.md", "zh/a/index.md"], {"en/a/index.md": "en", "zh/a/index.md": "zh"}),
        (
            ["blog/a.md", "i18n/zh-TW/docusaurus-plugin-content-blog/a.md"],
            {"blog/a.md": "", "i18n/zh-TW/docusaurus-plugin-content-blog/a.md": "zh-tw"},
        ),
    ],
)
def test_translations_are_known_by_their_place(sources: list[str], group: dict[str, str]) -> None:
    assert group_sources(["b.md", *sources, "z/y.md"]) == [group]


@pytest.mark.parametrize(
    "sources",
    [
        ["post.md"],
        ["post.en.md"],
        ["post.md", "post.mdx"],
        ["post.md", "other.en.md"],
        ["a/post.md", "b/post.en.md"],
        ["go/intro.md", "id/intro.md"],
        ["id/intro.md", "intro.md"],
        ["id/users.md", "it/servers.md"],
        ["cs/index.md", "it/index.md"],
        ["it-security/a.md", "no-code/a.md"],
        ["vue.js.md", "vue.ts.md"],
        ["2024/en/a.md", "2025/zh/a.md"],
        [".en.md", ".zh.md"],
    ],
)
def test_posts_that_only_look_alike_are_no_translations(sources: list[str]) -> None:
    assert group_sources(sources) == []


def test_a_language_folder_that_shares_a_post_shares_its_landing_page_too() -> None:
    assert group_sources(["en/_index.md", "zh/_index.md", "en/a.md", "zh/a.md", "it/b.md"]) == [
        {"en/_index.md": "en", "zh/_index.md": "zh"},
        {"en/a.md": "en", "zh/a.md": "zh"},
    ]


def test_a_default_language_may_lie_beside_the_folders_of_the_others() -> None:
    assert group_sources(
        ["a.md", "b.md", "c.md", "en/a.md", "en/b.md", "index.md", "en/index.md"]
    ) == [
        {"en/a.md": "en", "a.md": ""},
        {"en/b.md": "en", "b.md": ""},
        {"en/index.md": "en", "index.md": ""},
    ]
    assert group_sources(["p/a.md", "p/b.md", "p/en/a.md", "p/de/b.md"]) == [
        {"p/en/a.md": "en", "p/a.md": ""},
        {"p/de/b.md": "de", "p/b.md": ""},
    ]


def test_a_key_in_the_front_matter_makes_translations_of_posts_anywhere(blog: MakeBlog) -> None:
    keyed = "---\ntitle: {0}\ntranslationKey: injection\nlang: {1}\n---\nPrompt injection. {0}\n"
    made = blog(
        {
            "a/one.md": keyed.format("One", "en"),
            "b/two.md": keyed.format("Zwei", "de"),
            "b/three.md": keyed.format("Drei", "de"),
            "c.md": OTHER,
        }
    )
    hits = found(made.reader(), "what is prompt injection?")
    assert [place(hit) for hit in hits] == [("a/one.md", {"de": "b/three.md"}), ("b/two.md", {})]


def test_a_source_is_in_one_group_and_a_suffix_says_more_than_a_folder() -> None:
    sources = ["en/a.md", "en/a.ja.md", "zh/a.md", "de/a.md"]
    assert group_sources(sources) == [
        {"en/a.md": "", "en/a.ja.md": "ja"},
        {"de/a.md": "de", "zh/a.md": "zh"},
    ]


def test_what_the_place_leaves_unsaid_is_what_is_spoken_unless_another_post_is_in_it() -> None:
    group = {"a.md": "", "a.en.md": "en"}
    assert name_languages(group, {"a.md": "zh-tw"}) == {"a.md": "zh-tw", "a.en.md": "en"}
    assert name_languages(group, {"a.md": "en"}) == {"a.md": "und", "a.en.md": "en"}


def grouped(*languages: str) -> Translations:
    """Posts 1, 2, … in these languages, translations of one another."""
    return Translations(
        [[Translation(number, f"{code}.md", code) for number, code in enumerate(languages, 1)]]
    )


@pytest.mark.parametrize(
    ("languages", "scores", "query", "shown"),
    [
        (("en", "zh"), {1: 0.2, 2: 0.9}, "what is it?", {1: 0.9}),
        (("en", "zh"), {1: 0.9, 2: 0.2}, "這是什麼", {2: 0.9}),
        (("en", "zh"), {1: 0.5, 2: 0.6}, "was ist das?", {2: 0.6}),
        (("en", "zh"), {2: 0.6}, "what is it?", {2: 0.6}),
        (("en", "zh"), {1: 0.5, 2: 0.6}, "IndexFlatIP", {1: 0.6}),
        (("en", "zh"), {1: 0.3, 2: 0.6}, "IndexFlatIP", {2: 0.6}),
        (("de", "zh"), {1: 0.5, 2: 0.6}, "IndexFlatIP", {2: 0.6}),
        (("zh-cn", "zh-tw"), {1: 0.6, 2: 0.5}, "這是什麼", {2: 0.6}),
        (("zh-hans", "zh-hant"), {1: 0.5, 2: 0.6}, "这是什么", {1: 0.6}),
        (("zh", "zh-cn"), {1: 0.5, 2: 0.6}, "這是什麼", {2: 0.6}),
        (("en-us", "und"), {1: 0.5, 2: 0.6}, "what is it?", {1: 0.6}),
        (("de", "fr"), {1: 0.5, 2: 0.5}, "what is it?", {1: 0.5}),
        (("en", "zh"), {3: 0.4, 1: 0.5, 2: 0.6}, "what is it?", {3: 0.4, 1: 0.6}),
        ((), {1: 0.5, 2: 0.6}, "what is it?", {1: 0.5, 2: 0.6}),
    ],
)
def test_a_group_has_its_best_score_and_one_language(
    languages: tuple[str, ...], scores: dict[int, float], query: str, shown: dict[int, float]
) -> None:
    assert collapse_translations(scores, grouped(*languages), query) == shown


def found(reader: IndexReader, query: str, filters: Filters | None = None) -> list[Hit]:
    return list(reader.search(query, filters or Filters(), limit=20, offset=0).hits)


def place(hit: Hit) -> tuple[str, Mapping[str, str]]:
    return hit.post.source, dict(hit.translations)


def test_a_question_in_either_language_gets_the_post_in_it_and_the_other_one_named(
    blog: MakeBlog,
) -> None:
    reader = blog(PAIR).reader()
    english = found(reader, "how can text in a document pose as instructions?")
    chinese = found(reader, "文件裡的字句怎麼冒充指令？")
    assert place(english[0]) == ("n/x/index.en.md", {"zh": "n/x/index.zh.md"})
    assert place(chinese[0]) == ("n/x/index.zh.md", {"en": "n/x/index.en.md"})
    assert "n/x/index.zh.md" not in [hit.post.source for hit in english]
    assert "n/x/index.en.md" not in [hit.post.source for hit in chinese]


def test_a_filter_applies_before_a_language_is_chosen(blog: MakeBlog) -> None:
    reader = blog(PAIR).reader()
    query = "how can text pose as prompt injection?"
    [hit] = found(reader, query, Filters(tag="資安"))
    assert place(hit) == ("n/x/index.zh.md", {"en": "n/x/index.en.md"})


def both(made: Blog) -> dict[str, Mapping[str, str]]:
    """What a query in both languages finds, and with which translations."""
    hits = found(made.reader(), "how can text pose as instructions, 文件冒充指令?")
    return dict(place(hit) for hit in hits)


def test_a_group_follows_its_posts_as_they_come_and_go(blog: MakeBlog) -> None:
    made = blog({"x.md": ENGLISH})
    assert both(made) == {"x.md": {}}

    made.write({"x.zh.md": CHINESE})
    assert made.ingest().embedded == 1
    assert both(made) == {"x.md": {"zh": "x.zh.md"}}

    (made.content / "x.md").unlink()
    assert made.ingest().embedded == 0
    assert both(made) == {"x.zh.md": {}}
