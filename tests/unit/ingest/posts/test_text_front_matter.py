"""Front matter in each dialect: the fields, where the body begins, and what broken blocks cost."""

import datetime as dt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.ingest.posts.front_matter import MAX_CHARACTERS, MAX_DEPTH, split_front_matter

YAML = """\
---
title: 1.10
date: 2024-01-02
at: 12:30
draft: no
empty:
none: ~
tags: [a, 7]
base: &base {x: y}
nested: {<<: *base, z: 1}
---
Body
"""
TOML = '+++\ntitle = "T"\ndate = 2024-01-02\ndraft = true\n[extra]\nx = 1\n+++\nBody\n'


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            YAML,
            {
                "title": "1.10",
                "date": "2024-01-02",
                "at": "12:30",
                "draft": "no",
                "empty": None,
                "none": None,
                "tags": ["a", "7"],
                "base": {"x": "y"},
                "nested": {"x": "y", "z": "1"},
            },
        ),
        (TOML, {"title": "T", "date": dt.date(2024, 1, 2), "draft": True, "extra": {"x": 1}}),
        ('{\n"title": "T",\n"tags": ["a"]\n}\nBody\n', {"title": "T", "tags": ["a"]}),
        ('---json\n{"title": "T"}\n---\nBody\n', {"title": "T"}),
        ("---toml\ntitle = 'T'\n---\nBody\n", {"title": "T"}),
        (
            "---js\n{\n  title: \"A: js\", // it\n  tags: ['a'],\n}\n---\nBody\n",
            {"title": "A: js", "tags": ["a"]},
        ),
        ("---\ntitle: T\n...\nBody\n", {"title": "T"}),
        ("\n---  \ntitle: T\n---\t\nBody\n", {"title": "T"}),
        ("---\n---\nBody\n", {}),
        ("---\nsummary: |\n  one\n  ---\n---\nBody\n", {"summary": "one\n---\n"}),
        ("-----\ntitle: T\n------\nBody\n", {"title": "T"}),
        ("title: T\ndate: x\n-----\nBody\n", {"title": "T", "date": "x"}),
        (';;;\n"title": "水車",\n"draft": true\n;;;\nBody\n', {"title": "水車", "draft": True}),
        ('"title":"T",\n"tags": [\n"a"\n]\n;;;\nBody\n', {"title": "T", "tags": ["a"]}),
        ('---json\n{"title": "T;", "tags": ["a",],}\n---\nBody\n', {"title": "T;", "tags": ["a"]}),
        (
            "--- javascript\nconst title = `It's`;\nlet draft = true;\n---\nBody\n",
            {"title": "It's", "draft": "true"},
        ),
        ("--- yml\ntitle: T\n---\nBody\n", {"title": "T"}),
        ('{"title": "T", "x": {\n"y": 1\n}\n}\nBody\n', {"title": "T", "x": {"y": 1}}),
        ('{"title": oops,\n"draft": true}\nBody\n', {"title": "oops", "draft": "true"}),
        ("<!--\n+++\ntitle = 'T'\n+++\n-->\nBody\n", {"title": "T"}),
        ("<!-- by Ann -->\n<!--\nlint\n-->\n\n---\ntitle: T\n---\nBody\n", {"title": "T"}),
        ('{/* by Ann */}\n{"title": "T"}\nBody\n', {"title": "T"}),
        ("id: 7\npublished: false\n---\nBody\n", {"id": "7", "published": "false"}),
        (
            "<!--\n.. title: T: t\n.. slug: t\n.. status:\n-->\nBody\n",
            {"title": "T: t", "slug": "t", "status": ""},
        ),
        (
            "<!--\n  .. title: T\n  .. tags: a, Private\n-->\nBody\n",
            {"title": "T", "tags": "a, Private", "private": "true"},
        ),
        (
            "% The *T*\n  of it\n% Ann; Bo\n% May 1\nBody\n",
            {"title": "The *T* of it", "author": "Ann; Bo", "date": "May 1"},
        ),
        ("% T\n%\n% 1. Mai\nBody\n", {"title": "T", "author": "", "date": "1. Mai"}),
        (
            "---\u00a0\ntitle:\u00a0T\ntags:\n\u00a0\u00a0-\u3000a\n---\nBody\n",
            {"title": "T", "tags": ["a"]},
        ),
        ("+++\ntitle\u00a0=\u2009'T'\n+++\nBody\n", {"title": "T"}),
    ],
)
def test_each_dialect_gives_the_fields_and_the_body(text: str, fields: dict[str, object]) -> None:
    front = split_front_matter(text)
    assert (front.fields, front.body, front.problem) == (fields, "Body\n", None)
    assert front.first_line == text.count("\n")


def test_lines_of_names_and_values_are_fields_where_they_are_sure() -> None:
    alone = split_front_matter("Title: T\n\nBody\n")
    assert (alone.fields, alone.body) == ({"Title": "T"}, "\nBody\n")
    front = split_front_matter("Lang: fr\nBase Header Level: 2\nStatus: draft\n# Body\n")
    assert (front.fields["Status"], front.fields["Base Header Level"]) == ("draft", "2")
    assert front.body == "# Body\n"
    front = split_front_matter("Title: T\nAuthors: Ann\n         Bob\n\nBody\n")
    assert (front.fields, front.body) == ({"Title": "T", "Authors": "Ann Bob"}, "\nBody\n")


@pytest.mark.parametrize(
    ("text", "fields", "keeps_body"),
    [
        ("---\ntitle: a: b\ndraft: true\n---\nBody", {"title": "a: b", "draft": "true"}, False),
        ("---\nx: 1\n  'draft' : True # no\n---\nBody", {"x": "1", "draft": "True"}, False),
        ("---\ntitle = 'x'\ndraft = true\n---\nBody", {"draft": "true"}, False),
        ("---\nA long sentence here: x\ndraft: yes\n---\nBody", {"draft": "yes"}, False),
        ("---\n- title: x\npublished: false\n---\nBody", {"published": "false"}, False),
        ("---\na: b: c\ndate: 2999-01-01\n---\nBody", {"a": "b: c", "date": "2999-01-01"}, False),
        (
            "---js\n{\n title: \"T\",\n x: a ? 'b' : 'c',\n draft: true,\n}\n---\nBody",
            {"title": "T", "x": "a ? 'b' : 'c',", "draft": "true"},
            False,
        ),
        ("---\ntitle: T\ndraft: true\n\nBody", {"draft": "true"}, True),
        ('{\n"draft": true,\n"title": oops\n', {"draft": "true"}, True),
        ("---\na: b: c\nmy draft: true\n---\nBody", {"a": "b: c", "my draft": "true"}, False),
        ("---\ntitle: @home\n---\nBody", {"title": "@home"}, False),
        ("---\ntitle: {{ .Name }}\n---\nBody", {"title": "{{ .Name }}"}, False),
        ('---\ntitle: "\x07"\n---\nBody', {"title": "\x07"}, False),
        ("---\nself: &x [*x]\n---\nBody", {"self": "&x [*x]"}, False),
        (f"---\na: &a b\nc: [{'*a, ' * 5000}]\n---\nBody", {"a": "b"}, False),
        (f"---\nx: {'[' * 60_000}{']' * 60_000}\n---\nBody", {}, False),
        (f"---\nx: {'a' * MAX_CHARACTERS}\n---\nBody", {}, False),
        ("+++\ntitle = T\n+++\nBody", {"title": "T"}, False),
        (f"+++\nweight = 0x{'f' * 4000}\n+++\nBody", {}, False),
        (f"+++\na = {'[' * 50_000}{']' * 50_000}\n+++\nBody", {}, False),
        (f"+++\n{'.'.join(['a'] * (MAX_DEPTH + 1))} = 1\n+++\nBody", {}, False),
        (f'{{"a": {"[" * 50_000}{"]" * 50_000}}}\nBody', {}, False),
        ("+++\ntitle = 'T'\n\nBody", {}, True),
    ],
)
def test_a_broken_line_costs_itself_and_is_told(
    text: str, fields: dict[str, object], *, keeps_body: bool
) -> None:
    front = split_front_matter(text)
    assert (front.fields, front.body) == (fields, text if keeps_body else "Body")
    assert front.problem


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nA paragraph between two breaks: with a colon.\n\n---\n\nMore.\n",
        "---\njust text\n---\nBody",
        "---\n- a\n- b\n---\nBody",
        "---\n# A heading\n---\nBody",
        "---\n*text* that is no YAML: at all: really\n---\nBody",
        "---\n\nOnly a break.\n",
        "-----\n\nOne between two longer breaks: with a colon.\n\n-----\nBody",
        ";;; a remark\n\nBody",
        "<!-- Ann: title -->\nBody",
        "% TODO: more\n\n# T\n\nBody",
        "% one\n% two\n\n(here)=\n# T\n",
        "```js\nexport const metadata = {\n  draft: true,\n}\n```\n",
        "An item.\n\nid: 7\ntype_: 1",
        "---js\nprocess.exit()\n---\nBody",
        "title: T\n---\nBody",
        "Note: all of it\nTitle: none\n\nBody",
        "Date: to be said\n\nBody",
        "{{< figure >}}\n",
        '{"a": 1} is how JSON begins\n',
    ],
)
def test_what_only_looks_like_front_matter_stays_text(text: str) -> None:
    front = split_front_matter(text)
    assert (front.fields, front.body, front.first_line, front.problem) == ({}, text, 1, None)


EXPORTS = [
    "export const info = {{{}}}",
    "import A from './a'\nimport {{\n B\n}} from 'b'\n\nexport const frontMatter = {{\n  {}\n}}",
    "export const dynamic = 'force-static'\nexport const meta: Meta = {{\n  {}\n}} as const;",
    "export const article = createArticle({{\n  {}\n}})",
    "export const postMeta = {{\n  x: `it's`,\n  {}\n}} satisfies Meta",
    "<A />\n\nexport let post = {{\n  x: {{\n    y: `z`\n  }},\n  {}\n  }}",
]


@pytest.mark.parametrize("export", EXPORTS)
def test_an_object_that_mdx_exports_is_front_matter(export: str) -> None:
    pairs = "title: 'It\\'s \"T\"', date: new Date('2099-01-02'), tags:['a'], published: !1, // no"
    text = export.format(pairs if "\n  {}" in export else pairs[:-7]) + "\n\nBody\n"
    front = split_front_matter(text)
    read = {name: front.fields.get(name) for name in ("title", "date", "tags", "published")}
    expected = {"title": 'It\'s "T"', "date": "2099-01-02", "tags": ["a"], "published": "not 1"}
    assert (read, front.body, front.problem) == (expected, text, None)


ITEM = "id: 0a1b2c3d4e5f60718293a4b5c6d7e8f9\nparent_id: x\ncreated_time: 2024-05-01\nis_todo: 0\n"


@pytest.mark.parametrize(
    ("text", "fields", "body"),
    [
        ("T\n\nOne: 1\n\nTwo\n\n{}type_: 1", {"title": "T", "joplin_type": "1"}, "\nOne: 1\n\nTwo"),
        ("T\n\n{}type_: 2\n", {"title": "T", "joplin_type": "2"}, ""),
        ("{}type_: 5", {"title": "", "joplin_type": "5"}, ""),
    ],
)
def test_what_joplin_syncs_has_its_fields_at_the_end(
    text: str, fields: dict[str, str], body: str
) -> None:
    front = split_front_matter(text.format(ITEM))
    assert (front.fields, front.body) == (fields | {"created_time": "2024-05-01"}, body)
    assert front.first_line == 2


def test_tags_of_a_programming_language_build_nothing(tmp_path: Path) -> None:
    target = tmp_path / "pwned"
    text = f'---\ntitle: !!python/object/apply:os.system ["touch {target}"]\n---\nBody'
    assert split_front_matter(text).fields == {"title": [f"touch {target}"]}
    assert not target.exists()


LINE = st.sampled_from(["---", "+++", "...", "", "a: b", "a = 1", "- x", "text", "{", " --- "])


@given(st.lists(LINE, max_size=9), st.booleans())
@settings(max_examples=100)
def test_the_body_is_the_file_from_its_first_line_on(lines: list[str], ends: bool) -> None:
    text = "\n".join(lines) + ("\n" if ends else "")
    front = split_front_matter(text)
    assert text.endswith(front.body)
    if front.body:
        assert front.body == "\n".join(text.split("\n")[front.first_line - 1 :])
    if not front.fields and front.problem is None:
        dropped = text.removesuffix(front.body)
        assert dropped.strip("-+. \n") == ""
