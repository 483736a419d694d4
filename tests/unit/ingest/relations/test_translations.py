"""Translations of one post are found as one, in the language of the question."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from blog_search_mcp.index.search.diversity import collapse_translations
from blog_search_mcp.index.types import Post, Translation
from blog_search_mcp.ingest.relations.translations import find_translations
from tests.support.blog import Blog, MakeBlog
from tests.support.front import made

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
I18N = "i18n/zh-TW/docusaurus-plugin-content-"


def group(posts: Mapping[str, str]) -> list[dict[str, str]]:
    """Give the sources of each group and the languages that they stand for, of posts by source."""
    by_id = {
        n: Post(source, "T", language=spoken) for n, (source, spoken) in enumerate(posts.items())
    }
    return [{each.source: each.language for each in found} for found in find_translations(by_id)]


@pytest.mark.parametrize(
    ("posts", "groups"),
    [
        ({"a/index.en.md": "en", "a/index.zh.md": "zh"}, ["en", "zh"]),
        ({"post.md": "en", "post.pt-br.md": "pt"}, ["en", "pt-br"]),
        ({"README.md": "en", "README_cn.md": "zh"}, ["en", "zh-cn"]),
        ({"en/p/a.md": "en", "ja/p/a.mdx": "ja", "zh-tw/p/a.md": "zh"}, ["en", "ja", "zh-tw"]),
        ({"english/a.md": "en", "deutsch/a.md": "de"}, ["en", "de"]),
        ({"blog/a.md": "en", f"{I18N}blog/a.md": "zh"}, ["en", "zh-tw"]),
        ({"docs/a/b.md": "en", f"{I18N}docs/current/a/b.md": "zh"}, ["en", "zh-tw"]),
        ({"a.md": "en", "de/a.md": "de"}, ["en", "de"]),
        ({"de/README.md": "de", "README.md": "en"}, ["de", "en"]),
        ({"a.md": "en", "hr/a.md": "hr"}, ["en", "hr"]),
        # what shows no language is in that of the places like it
        ({"a.md": "", "de/a.md": "", "de/b.md": "de"}, ["und", "de", None]),
    ],
)
def test_translations_are_known_by_places_that_their_texts_bear_out(
    posts: dict[str, str], groups: list[str | None]
) -> None:
    [found] = group({"y.md": "en", **posts, "z/y.md": "fr"})
    assert found == {s: each for s, each in zip(posts, groups, strict=True) if each}


@pytest.mark.parametrize(
    "posts",
    [
        {"post.en.md": "en"},
        {"post.md": "en", "post.mdx": "en"},
        {"post.md": "en", "other.en.md": "en"},
        {"a/post.md": "de", "b/post.en.md": "en"},
        {"go/intro.md": "en", "id/intro.md": "en"},
        {"hr/index.md": "en", "it/index.md": "en", "index.md": "en"},
        {"be/notes.md": "de", "notes.md": "fr"},
        {"pt/a.md": "en", "a.md": "en", "pt/b.md": "en", "b.md": "en"},
        {"it/a.md": "", "a.md": "en", "it/b.md": "en", "it/c.md": "en"},
        {"meeting.hr.md": "en", "meeting.md": "en"},
        {"meeting.de.md": "de", "meeting.md": "de"},
        {"it-security/a.md": "en", "no-code/a.md": "en"},
        {"vue.js.md": "en", "vue.ts.md": "en"},
    ],
)
def test_posts_that_only_look_alike_are_no_translations(posts: dict[str, str]) -> None:
    assert group(posts) == []


def test_a_post_of_two_families_joins_them() -> None:
    posts = {"en/a.ja.md": "ja", "en/a.md": "en", "de/a.md": "de", "zh/a.md": "zh"}
    assert group(posts) == [posts]


DE = "Das Wasser ist heiß, und die Uhr wird gestellt, wenn die Blätter in der Kanne sind."
EN = "The water is hot, and the clock is set when the leaves are in the pot."


@pytest.mark.parametrize(
    ("posts", "languages"),
    [
        (
            {
                "hugo.yaml": "contentDir: c\nlanguages: {en: {}, de: {contentDir: c-de}}\n",
                "c/x/tea.md": "# Tea",
                "c-de/x/tea.md": "# Tee",
                "c/it/tea.md": EN,
            },
            {"c/x/tea.md": {"de": "c-de/x/tea.md"}, "c/it/tea.md": {}},
        ),
        (
            {
                "hugo.toml": 'baseURL = "/"\n'
                '[[module.mounts]]\nsource = "one"\ntarget = "content"\nlang = "en"\n'
                '[[module.mounts]]\nsource = "two"\ntarget = "content"\nlang = "fr"\n',
                "one/tea.md": "# Tea",
                "two/tea.md": "# Thé",
            },
            {"one/tea.md": {"fr": "two/tea.md"}},
        ),
        (
            {
                "mkdocs.yml": "plugins: [{i18n: {languages: [{locale: en}, {locale: pl}]}}]\n",
                "docs/tea.md": EN,
                "docs/tea.pl.md": "# Herbata",
            },
            {"docs/tea.md": {"pl": "docs/tea.pl.md"}},
        ),
        (
            {
                "_posts/2024-01-02-tea.md": f"---\nlang: en\nref: tea\n---\n{EN}",
                "_posts/2024-01-03-tee.md": f"---\nlang: de\nref: tea\n---\n{DE}",
            },
            {"_posts/2024-01-02-tea.md": {"de": "_posts/2024-01-03-tee.md"}},
        ),
        (
            {
                "hr/tea.md": EN,
                "pt/tea.md": "# Tea in PT\n\nOf the tea in the cup, this is the best.",
                "de/tea.md": DE,
            },
            {"hr/tea.md": {}, "pt/tea.md": {}, "de/tea.md": {}},
        ),
    ],
)
def test_a_place_is_a_language_where_the_site_or_the_text_says_so(
    tmp_path: Path, posts: dict[str, str], languages: dict[str, dict[str, str]]
) -> None:
    blog = made(tmp_path, posts)
    found = {
        hit["source"]: hit.get("translations") or {}
        for query in ("tea", EN)
        for hit in blog.tool("search_blog", query=query, top_k=20).facts["results"]
    }
    assert {source: found[source] for source in languages} == languages


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


def find(blog: Blog, query: str) -> list[tuple[str, Mapping[str, str]]]:
    """Give the source and the translations of each hit."""
    return [(hit.post.source, dict(hit.translations)) for hit in blog.search(query).hits]


def test_a_question_gets_the_post_in_its_language_as_posts_come_and_go(blog: MakeBlog) -> None:
    made = blog({"x.md": ENGLISH})
    made.write({"x.zh.md": CHINESE})
    assert made.ingest().embedded == 1
    assert find(made, "how can text in a document pose as instructions?") == [
        ("x.md", {"zh": "x.zh.md"})
    ]
    assert find(made, "文件裡的字句怎麼冒充指令？") == [("x.zh.md", {"en": "x.md"})]

    (made.content / "x.md").unlink()
    made.ingest()
    assert find(made, "prompt injection") == [("x.zh.md", {})]
