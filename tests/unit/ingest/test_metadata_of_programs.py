"""Front matter as programs and people write it, with what each post then has."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.front import made

DAY = {"date": "2023-02-14"}
POSTS: list[tuple[str, dict[str, Any]]] = [
    ("---\ndate created: Tuesday, February 14th 2023, 7:08:09 pm\n---\nA hen.", DAY),
    ("---\npublishedDate: 2023-02-14\n---\nA hen.", DAY),
    ("---\ncreated_time: 2023-02-14T09:00:00.000Z\n---\nA hen.", DAY),
    ("---\ncreation-date: 20230214090000\n---\nA hen.", DAY),
    ("---\npost_date: 2023. 2. 14.\n---\nA hen.", DAY),
    ("---\ncreated: 1676365200000\n---\nA hen.", DAY),
    ("---\n发布日期: 2023年2月14日\n---\nA hen.", DAY),
    ("---\nдата: 2023 年 2 月 14 日\n---\nA hen.", DAY),
    ("---\ndate: 14/02/2023\n---\nA hen.", DAY),
    ("---\ndate: 02/14/2023\n---\nA hen.", DAY),
    ("---\ndate: 02/03/2023\n---\nA hen.", {"date": None}),
    ("---\nlast_update:\n  date: 2023-02-14\n---\nA hen.", DAY),
    # One line that YAML does not take costs that line, or nothing.
    (
        "---\ntitle: Hens: a short guide\ndate: 2023-02-14\ntags: [hens, eggs]\n---\nA hen.",
        {"title": "Hens: a short guide", **DAY, "tags": ["hens", "eggs"]},
    ),
    (
        "---\nauthor: @bea\ntitle: Hens\ntags:\n  - hens\n  - @eggs\n---\nA hen.",
        {"title": "Hens", "tags": ["hens", "@eggs"]},
    ),
    ("---\ntitle: 'Bea's hens'\ndate: 2023-02-14\n---\nA hen.", {"title": "Bea's hens", **DAY}),
    ("---\ntags:\n\t- hens\n\t- eggs\ntitle: [1] Hens\n---\nA hen.", {"title": "[1] Hens"}),
    ("---\ntitle: Hens\ntags: [hens, eggs\n---\nA hen.", {"tags": ["hens", "eggs"]}),
    ("---\ntitle: *Hens*\ndate:2023-02-14\n---\nA hen.", {"title": "Hens", **DAY}),
    (
        '+++\ntitle = Hens\ndate = 2023-02-14\ntags = ["hens"]\n[extra]\ntitle = "no"\n+++\nA hen.',
        {"title": "Hens", **DAY, "tags": ["hens"]},
    ),
    # A block that a program pushed down when it wrote one of its own.
    (
        "---\nid: hens\n---\n\n---\ntitle: Hens\ntags: [hens]\ndate: 2023-02-14\n---\nA hen.",
        {"title": "Hens", "tags": ["hens"], **DAY},
    ),
    ("---\nid: 7\ntitle: a-hen\n---\n+++\ntitle = 'Hens'\n+++\nA hen.", {"title": "Hens"}),
    (
        "export const title = 'Hens';\nexport const tags = ['a']\n\nA",
        {"title": "Hens", "tags": ["a"]},
    ),
    ("---\nseo:\n  title: Hens\n---\nA hen.", {"title": "Hens"}),
    ("---\nlinkTitle: A hen\n---\n# Hens\n\nA hen.", {"title": "Hens"}),
    # One tag of several words.
    ("---\ntags: guinea fowl\n---\nA hen.", {"tags": ["guinea fowl"]}),
    ("---\ntags: guinea fowl, hens\n---\nA hen.", {"tags": ["guinea fowl", "hens"]}),
    ("---\ntags: '#fowl #hens/old'\n---\nA hen.", {"tags": ["fowl", "hens/old"]}),
    ("---\ntags: [#fowl, #hens]\n---\nA hen.", {"tags": ["fowl", "hens"]}),
    ("---\ntags: '[[fowl]] [[old hens]]'\n---\nA hen.", {"tags": ["fowl", "old hens"]}),
    # Whole blocks as generators and editors have them.
    (
        '+++\ntitle = "Hens"\ndate = 2023-02-14T10:00:00+08:00\npublishDate = 2023-02-15\n'
        'tags = ["hens"]\ncategories = ["系統"]\n+++\nA hen.',
        {"title": "Hens", **DAY, "tags": ["hens", "系統"]},
    ),
    ("---\nlayout: post\ntags: [hens]\ncategory: Notes\n---\nA hen.", {"tags": ["hens", "Notes"]}),
    (
        "---\ndate: 2023-02-14 03:04:05\ncategories:\n- [Web, Static]\ntags: [hens]\n---\nA hen.",
        {**DAY, "tags": ["hens", "Web", "Static"]},
    ),
    (
        "---\ntags:\n  - '#fowl'\n  - Hens\n---\n#hens #eggs/old and `#code` in #2024: a hen.",
        {"tags": ["fowl", "Hens", "eggs/old"]},
    ),
]


@pytest.fixture(scope="module")
def posts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """All of them in one blog."""
    named = {f"{number}.md": text for number, (text, _) in enumerate(POSTS)}
    return made(tmp_path_factory.mktemp("blog"), named).posts()


@pytest.mark.parametrize("number", range(len(POSTS)))
def test_a_post_has_what_its_author_wrote(number: int, posts: dict[str, dict[str, Any]]) -> None:
    post, expected = posts[f"{number}.md"], POSTS[number][1]
    assert {name: post.get(name) for name in expected} == expected


def test_what_is_pushed_down_is_no_text_and_what_keeps_back_holds(tmp_path: Path) -> None:
    posts = {
        "a.md": "---\nid: 7\n---\n---\ntitle: A\nsummary: zebra\n---\nA hen.",
        "b.md": "---\npublish: false\n---\n---\ntitle: B\npublish: true\n---\nA hen.",
        "e.md": "---\nid: 7\n---\n\n---\nlayout: post\npublished: false\n---\nA hen.",
        "c.md": "---\ntitle: C: c\ndraft: true\n---\nA hen.",
        "d.md": "---\ntitle: D\n---\n\n---\nNote: the zebra left.\n---\nA hen.",
        "f.md": "---\nid: 7\n---\n<!-- x -->\nTitle: zebra\n\nA hen.",
        "f.meta": ".. title: Hens\n.. tags: eggs\n",
    }
    blog = made(tmp_path, posts)
    titles = {source: post["title"] for source, post in blog.posts().items()}
    assert titles == {"a.md": "A", "d.md": "D", "f.md": "Hens"}
    assert "zebra" in blog.tool("read_chunk", source="d.md", chunk_index=0).text
    assert "zebra" not in blog.tool("read_chunk", source="a.md", chunk_index=0).text


@pytest.mark.parametrize(
    ("site", "tags"),
    [
        ({}, ["guinea fowl"]),
        ({"hugo.toml": "title = 'x'\n"}, ["guinea fowl"]),
        ({"_config.yml": "url: https://x.example\nsource_dir: .\n"}, ["guinea fowl"]),
        ({"_config.yml": "url: https://x.example\n"}, ["guinea", "fowl"]),
        ({".obsidian/app.json": "{}"}, ["guinea", "fowl"]),
    ],
)
def test_tags_are_split_as_the_program_does(
    site: dict[str, str], tags: list[str], tmp_path: Path
) -> None:
    text = "---\ntitle: Hens\ntags: guinea fowl\n---\nA hen.\n"
    folder = "content/" if "hugo.toml" in site else ""
    post = made(tmp_path, {**site, f"{folder}a.md": text}).posts()[f"{folder}a.md"]
    assert post["tags"] == tags


def test_a_tag_holds_those_below_it(tmp_path: Path) -> None:
    texts = {
        "a": "A hen. #birds/fowl",
        "b": "A hen. #birds",
        "c": "A hen. #birdsong",
        "d": "A hen.",
    }
    blog = made(tmp_path, {f"{name}.md": text for name, text in texts.items()})
    assert set(blog.sources("hen", "--tag", "Birds")) == {"a.md", "b.md"}
    assert blog.sources("hen", "--tag", "birds/fowl") == ["a.md"]
    assert set(blog.sources("hen", "--tag", "#birds/")) == {"a.md", "b.md"}


OTHER_FIELDS = [
    ("due: 2031-05-17\nstatus: waiting\nrating: 4", "due 2031-05-17 · status waiting · rating 4"),
    ("Review On: 2031-05-17 08:30:00", "reviewon 2031-05-17 08:30:00"),
    ("project: [[Henhouse]]\nhelpers: [Ida, 3, Per]", "project Henhouse · helpers Ida, 3, Per"),
    ("cover alt: oats\nog_description: hay bale", "coveralt oats · ogdescription hay bale"),
    ("score: 4/5\nprice: 2.50\nextra:\n  grain: oats", "score 4/5 · price 2.50 · grain oats"),
    ("api-token: zebu\nAPI Key: zebu\nDB.Passwd: zebu\nmy_Secret: zebu\nCredential_Id: zebu", ""),
    ("oauth: zebu\nMot de passe: zebu\n密码: zebu\nKennwort: zebu\nsecretKey: [zebu]", ""),
    ("layout: zebu\ntoc: true\nmath: 3\nweight: 9\npermalink: /zebu\nid: 12\ncss: zebu", ""),
    ("pinned: true\nlastmod: 2031-05-17\nreplaced_by: zebu\nbox:\n  depth: 3", ""),
]
"""Fields of front matter, and what a read has of them."""


def test_what_else_the_front_matter_says_is_read_and_found(tmp_path: Path) -> None:
    posts = {
        f"{number}.md": f"---\ntitle: A hen\n{fields}\n---\nA hen number{number}.\n"
        for number, (fields, _) in enumerate(OTHER_FIELDS)
    }
    posts["long.md"] = f"---\nmany: [{', '.join(f'oat{n}' for n in range(900))}]\n---\nA hen.\n"
    blog = made(tmp_path, posts)
    for number, (_, said) in enumerate(OTHER_FIELDS):
        place = blog.tool("read_chunk", source=f"{number}.md").text.splitlines()
        assert [line for line in place if line.startswith("fields")] == [f"fields: {said}"][
            : bool(said)
        ]
    assert len(blog.tool("read_chunk", source="long.md").text) < 600
    assert blog.sources("waiting")[:1] == ["0.md"]
    assert blog.sources("henhouse")[:1] == ["2.md"]
    assert blog.sources("zebu") == []


@pytest.mark.parametrize("site", [".obsidian/app.json", "pelicanconf.py", "quartz.config.ts"])
def test_braces_are_words_where_no_template_runs(tmp_path: Path, site: str) -> None:
    text = "# 帳單 {{ .Sum }}\n\nWrite {{ invoice_total }} where {% if paid %} stands, {{date}}.\n"
    blog = made(tmp_path, {site: "{}", "a.md": text})
    assert blog.sources("invoice_total") == ["a.md"]
    preview = blog.tool("search_blog", query="invoice_total").text
    assert all(w in preview for w in ("{{ invoice_total }}", "{% if paid %}", "{{date}}"))
    assert blog.posts()["a.md"]["title"] == "帳單 {{ .Sum }}"
