import datetime as dt

import pytest

from blog_search_mcp.ingest.posts.metadata import (
    MAX_TAGS,
    describe_post,
    find_title,
    normalize_names,
    to_text,
    unread_date,
)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("C# in depth", "C# in depth"),
        (2024, "2024"),
        (dt.date(2024, 1, 2), "2024-01-02"),
        (["create", "your own"], "create, your own"),
        ({"en": "Hello", "zh": "你好"}, "Hello"),
        ({"en": "Hello", "name": "Named"}, "Named"),
        ("bell \x07 and \x1b[31mred", "bell and [31mred"),
        ("C1 \x9b31mred\x85line", "C1 31mred line"),
        ("a \u202etxt.exe\u202c and \u2067all\u2069", "a txt.exe and all"),
        ("\u05e9\u200f 1\u200e \u2764\ufe0f\u200d", "\u05e9\u200f 1\u200e \u2764\ufe0f\u200d"),
        (None, ""),
        ("   ", ""),
    ],
)
def test_any_value_is_one_line_of_text(value: object, expected: str) -> None:
    assert to_text(value) == expected


def test_characters_that_an_export_wrote_as_entities_are_read() -> None:
    fields: dict[str, object] = {
        "excerpt": "Ben &amp; Jerry&rsquo;s &#x201C;R&amp;D&#X201D; of AT&T",
        "tags": ["R&amp;D"],
    }
    post = describe_post(normalize_names(fields), "a.md")
    assert (post.description, post.tags) == ("Ben & Jerry’s “R&D” of AT&T", ("R&D",))


@pytest.mark.parametrize(
    ("source", "heading", "expected"),
    [
        ("a-post.md", "The heading", "The heading"),
        ("a-post.md", "", "a post"),
        ("notes/index.md", "", "notes"),
        ("blog/2019-05-14-big-news/index.zh-tw.md", "", "big news"),
        ("blog/big-news/index.cn.md", "", "big news"),
        ("kv-cache/_index.md", "", "kv cache"),
        ("2024-05-01.md", "", "2024-05-01"),
        ("202405011230 Zettel.md", "", "Zettel"),
        ("___.md", "", "___"),
        ("new\nline.md", "", "new line"),
    ],
)
def test_a_title_may_come_from_heading_or_name(source: str, heading: str, expected: str) -> None:
    assert describe_post({}, source, heading).title == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (dt.date(2024, 5, 1), "2024-05-01"),
        (dt.datetime(2024, 5, 1, 23, 59, tzinfo=dt.UTC), "2024-05-01"),
        (20240501, "2024-05-01"),
        ("May 1, 2024", "2024-05-01"),
        ("Sept. 3rd 2024", "2024-09-03"),
        ("Wed, 01 May 2024 10:00:00 +0000", "2024-05-01"),
        ("01-May-2024", "2024-05-01"),
        ("31.05.2024", "2024-05-31"),
        ("ngày 1 tháng 5 năm 2024", "2024-05-01"),
        ("١ مايو ٢٠٢٤", "2024-05-01"),
        ("1. svibnja 2024.", "2024-05-01"),
        ("1 Ogos 2024", "2024-08-01"),
        ("Dienstag, 5. März 2024", "2024-03-05"),
        ("mardi 13 février 2024", "2024-02-13"),
        ("1º de agosto de 2024", "2024-08-01"),
        ("14 giugno 2024", "2024-06-14"),
        ("7 MAYIS 2024", "2024-05-07"),
        ("2024. október 3.", "2024-10-03"),
        ("11. marraskuuta 2024", "2024-11-11"),
        ("9 сентября 2024 г.", "2024-09-09"),
        ("13:34 06/21/2024", "2024-06-21"),
        ("Wed May  1 10:00:00 CEST 2024", "2024-05-01"),
        ("1. Brumaire 2024", None),
        ([["2024-05-01"]], "2024-05-01"),
        ("2024-13-45", None),
        (["2024-05-01"], "2024-05-01"),
        (None, None),
    ],
)
def test_dates_are_read_in_many_forms_and_never_guessed(value: object, expected: str) -> None:
    assert describe_post({"date": value}, "a.md").date == expected


@pytest.mark.parametrize(
    ("fields", "source", "expected"),
    [
        ({"date": "nonsense", "pubDate": "2020-01-02"}, "a.md", "2020-01-02"),
        ({"publish_date": "2020-01-02"}, "a.md", "2020-01-02"),
        ({"date": "2021-01-01"}, "2020-01-02-a.md", "2021-01-01"),
        ({"path": "2019/05/14/post"}, "2020-01-02-a.md", "2019-05-14"),
        ({"published": True}, "2020-01-02-a.md", "2020-01-02"),
        ({}, "2019/05/14/a.md", "2019-05-14"),
        ({}, "blog/2021/08-26-welcome/index.md", "2021-08-26"),
        ({}, "2019/10/3-things.md", None),
        ({}, "202405011230-note.md", "2024-05-01"),
        ({"date": {"created": "2023-12-31"}}, "a.md", "2023-12-31"),
        ({"updated_at": "2024-02-28T17:49:35+09:00"}, "a.md", "2024-02-28"),
        ({"lastmod": "2024-02-28"}, "2023-01-02-a.md", "2023-01-02"),
        ({"Veröffentlicht am": "1. Mai 2024"}, "2023-01-02-a.md", "2024-05-01"),
        ({"first posted here": "2024-05-01", "lastmod": "2024-06-01"}, "a.md", "2024-05-01"),
    ],
)
def test_the_date_comes_from_the_best_place_that_has_one(
    fields: dict[str, object], source: str, expected: str | None
) -> None:
    assert describe_post(normalize_names(fields), source).date == expected


@pytest.mark.parametrize(
    ("fields", "source", "unread"),
    [
        ({"date": "03/01/2024"}, "a.md", "date: 03/01/2024"),
        ({"Date_of_talk": "2024-01-30"}, "a.md", "Date_of_talk: 2024-01-30"),
        ({"created-by": "ann2"}, "a.md", ""),
        ({"date": "03/01/2024"}, "2024-01-30-a.md", ""),
        ({"date": "03/01/2024", "created": "2024-01-30"}, "a.md", ""),
        ({"date": "git Last Modified"}, "a.md", ""),
        ({"date": "today"}, "a.qmd", ""),
    ],
)
def test_a_date_that_cannot_be_read_is_known_where_the_post_has_no_other(
    fields: dict[str, object], source: str, unread: str
) -> None:
    assert unread_date(fields, normalize_names(fields), source) == unread


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"tags": "a, b c，d"}, ("a", "b c", "d")),
        ({"category": "Machine Learning"}, ("Machine Learning",)),
        ({"tag": "a", "tags": ["b"], "keywords": ["c", "A"]}, ("b", "a", "c")),
        ({"taxonomies": {"tags": ["zola"], "categories": ["x"]}}, ("zola", "x")),
        ({"taxonomy": {"tag": ["grav"], "category": "x"}}, ("grav", "x")),
        ({"tags": "[[a b]], #[[c]], [[d#e|f]]"}, ("a b", "c", "f")),
        ({"tags": ["[[a/b]]", [["c"]]]}, ("a/b", "c")),
        ({"tags": [["a", ["b"]], {"name": "c"}, None, 3, ""]}, ("a", "b", "c", "3")),
        ({"tags": [{"permalink": "/a", "label": "A"}], "topics": "b"}, ("A", "b")),
        ({"tags": [str(n) for n in range(500)]}, tuple(str(n) for n in range(MAX_TAGS))),
    ],
)
def test_tags_are_gathered_in_order_without_repeats(
    fields: dict[str, object], expected: tuple[str, ...]
) -> None:
    assert describe_post(normalize_names(fields), "a.md").tags == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"pageTitle": "P", "post-title": "Q"}, "P"),
        ({"heading": "P"}, "P"),
        ({"title": "2024", "headline": "H"}, "2024"),
        ({"title": "", "Headline": "H"}, "H"),
        ({"title_en": "E", "title_de": "D", "lang": "de-at"}, "D"),
        ({"hide_title": "true", "subtitle": "S", "nav_title": "N", "标题": "水車"}, "水車"),
        ({"series_title": "S", "seoTitle": "E", "title_case": "x"}, ""),
    ],
)
def test_a_field_that_is_named_after_titles_stands_for_the_title(
    fields: dict[str, object], expected: str
) -> None:
    assert find_title(normalize_names(fields)) == expected


def test_words_are_those_that_mappings_and_lists_hold_for_readers() -> None:
    fields: dict[str, object] = {
        "hero": {"name": "Zephyr", "image": {"src": "/a.png", "alt": "No"}},
        "features": [{"title": "Overshot", "details": "falls three feet", "icon": "x"}],
        "blocks": [{"type": "faq", "items": [{"question": "How deep?", "open": "true"}]}],
    }
    words = describe_post(normalize_names(fields), "a.md").words
    said = "hero Zephyr · title Overshot · details falls three feet · question How deep?"
    assert words == said


@pytest.mark.parametrize(
    ("fields", "source", "expected"),
    [
        ({"lang": "EN-us"}, "a.zh.md", "en-us"),
        ({"language": "python"}, "a.zh.md", ""),
        ({"locale": "zh_TW.UTF-8"}, "a.md", "zh-tw"),
        ({}, "zh-tw/a.md", ""),
    ],
)
def test_the_language_is_a_known_code(
    fields: dict[str, object], source: str, expected: str
) -> None:
    assert describe_post(normalize_names(fields), source).language == expected
