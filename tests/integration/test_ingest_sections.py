"""What sections pass down to the posts below them, as Hugo and Zola read their `_index.md`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import ContentError
from blog_search_mcp.index.posts.last_ingest import read_last_ingest
from blog_search_mcp.index.posts.left_out import read_folder
from tests.support.blog import Blog, MakeBlog

POST = "Words of a post.\n"
HIDES = "---\ncascade:\n  draft: true\n---\n"
OPEN = "---\ntitle: Open\n---\n"
HUGO = 'baseURL = "https://example.org/"\n'
ZOLA = 'base_url = "https://example.org"\n'


def indexed(made: Blog) -> list[str]:
    return sorted(made.manifest.posts)


def drafts(made: Blog, today: date | None = None) -> list[str]:
    """The sources that an ingest leaves out as drafts."""
    report = replace(made, today=today or made.today).ingest()
    assert {skipped.reason for skipped in report.skipped} <= {"draft"}
    return [skipped.source for skipped in report.skipped]


@pytest.mark.parametrize(
    "front",
    [
        "---\ncascade:\n  draft: true\n---\n",
        "---\ncascade:\n- draft: true\n---\n",
        "+++\n[cascade]\ndraft = true\n+++\n",
        "+++\n[[cascade]]\ndraft = true\n+++\n",
        '{"cascade": {"draft": true}}\n',
        "---\ncascade:\n  build:\n    list: never\n    render: never\n---\n",
        "---\ncascade:\n  _build: {render: never}\n---\n",
        "---\ncascade:\n  headless: true\n---\n",
        "---\ncascade:\n  params:\n    draft: true\n---\n",
        "---\ncascade:\n  _target:\n    path: /secret/**\n  draft: true\n---\n",
        "---\ncascade:\n- target:\n    path: '{/other/**,/secret/**}'\n  draft: true\n---\n",
        "---\ncascade:\n- target: {kind: page}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {environment: '{production,staging}'}\n  draft: true\n---\n",
        "---\ncascade: {draft: true\n  draft: true\n---\n",
    ],
)
def test_a_section_makes_drafts_of_all_posts_below_it(blog: MakeBlog, front: str) -> None:
    posts = ("secret/a.md", "secret/deep/b.md", "secret/bundle/index.md")
    made = blog({"open.md": POST, "secret/_index.md": front, **dict.fromkeys(posts, POST)})

    assert set(drafts(made)) >= set(posts)
    assert set(indexed(made)) <= {"open.md", "secret/_index.md"}


@pytest.mark.parametrize(
    "front",
    [
        "---\ndraft: true\n---\n",
        "---\ncascade:\n  draft: false\n---\n",
        "---\ncascade:\n- target: {environment: development}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {path: '/secret'}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {path: '/secre*'}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {kind: '{section,home}'}\n  draft: true\n---\n",
        "---\ncascade: true\n---\n",
    ],
)
def test_what_is_not_passed_down_to_a_post_leaves_it_public(blog: MakeBlog, front: str) -> None:
    made = blog({"secret/_index.md": front, "secret/a.md": POST, "secrets.md": POST})

    assert {"secret/a.md", "secrets.md"} <= set(indexed(made))


def test_a_post_and_a_nearer_section_have_the_last_word(blog: MakeBlog) -> None:
    made = blog(
        {
            "_index.md": HIDES,
            "a.md": POST,
            "own.md": "---\ndraft: false\n---\n" + POST,
            "near/_index.md": "---\ncascade:\n  draft: false\n---\n",
            "near/b.md": POST,
        }
    )

    assert drafts(made) == ["_index.md", "a.md"]
    assert indexed(made) == ["near/_index.md", "near/b.md", "own.md"]


def test_the_section_of_a_language_speaks_for_its_posts(blog: MakeBlog) -> None:
    made = blog(
        {
            "s/_index.md": OPEN,
            "s/_index.de.md": HIDES,
            "s/a.md": POST,
            "s/a.de.md": POST,
            "t/_index.md": HIDES,
            "t/a.fr.md": POST,
        }
    )

    assert drafts(made) == ["s/_index.de.md", "s/a.de.md", "t/_index.md", "t/a.fr.md"]


def test_a_change_of_the_section_alone_takes_its_posts_out_and_brings_them_back(
    blog: MakeBlog,
) -> None:
    made = blog({"open.md": POST, "s/_index.md": OPEN, "s/a.md": POST, "t/b.md": POST})
    assert indexed(made) == ["open.md", "s/_index.md", "s/a.md", "t/b.md"]

    made.write({"s/_index.md": HIDES})
    assert drafts(made) == ["s/_index.md", "s/a.md"]
    assert indexed(made) == ["open.md", "t/b.md"]

    made.write({"s/_index.md": OPEN})
    assert made.ingest().added == 2
    assert indexed(made) == ["open.md", "s/_index.md", "s/a.md", "t/b.md"]

    (made.content / "s/_index.md").unlink()
    report = made.ingest()
    assert (report.removed, report.changed, report.added) == (1, 0, 0)


def test_a_section_that_no_index_shows_still_speaks_for_its_posts(blog: MakeBlog) -> None:
    made = blog({"open.md": POST, ".blogignore": "_index.md\n", "s/_index.md": HIDES, "s/a.md": ""})

    assert drafts(made) == ["s/a.md"]


def test_a_day_that_a_section_passes_down_counts(blog: MakeBlog) -> None:
    made = blog({"open.md": POST, "s/_index.md": OPEN, "s/a.md": POST})
    made.write({"s/_index.md": "---\ncascade:\n  expiryDate: 2030-01-01\n---\n"})
    assert made.ingest().removed == 0

    later = replace(made, today=date(2030, 1, 2))
    later.ingest()
    assert indexed(later) == ["open.md"]

    made.write({"s/_index.md": "---\ncascade:\n  publishDate: 2031-01-01\n---\n"})
    assert {skipped.reason for skipped in later.ingest().skipped} == {"future"}
    replace(made, today=date(2031, 1, 1)).ingest()
    assert indexed(made) == ["open.md", "s/_index.md", "s/a.md"]


SITES: Mapping[str, tuple[str, str]] = {
    "a section above": ("content/_index.md", "---\ncascade:\n- target: {path: /posts/s/**}\n"),
    "the configuration": ("hugo.yaml", "cascade:\n- target: {path: '/posts/s/**'}\n"),
}


@pytest.mark.parametrize("place", SITES)
def test_what_stands_above_the_folder_of_the_site_counts_too(
    blog: MakeBlog, tmp_path: Path, place: str
) -> None:
    site = tmp_path / "site"
    made = replace(blog({"a.md": POST}), content=site / "content/posts")
    made.write({"open.md": POST, "s/a.md": POST, "../../hugo.toml": HUGO})
    made.ingest()
    assert indexed(made) == ["open.md", "s/a.md"]

    name, text = SITES[place]
    if name == "hugo.yaml":
        (site / "hugo.toml").unlink()
        text = "baseURL: https://example.org/\n" + text
    end = "---\n" if name != "hugo.yaml" else ""
    (site / name).write_text(f"{text}  draft: true\n{end}")
    assert drafts(made) == ["s/a.md"]


def test_nothing_below_a_draft_of_a_section_is_public_on_a_site_of_zola(
    blog: MakeBlog, tmp_path: Path
) -> None:
    made = replace(blog({"a.md": POST}), content=tmp_path / "site/content")
    section = {"s/_index.md": "+++\ndraft = true\n+++\n"}
    posts = {"open.md": POST, "s/a.md": "+++\ndraft = false\n+++\n", "s/t/b.md": POST}
    made.write({"../config.toml": ZOLA, **posts, "s/_index.md": "+++\n+++\n"})
    made.ingest()
    assert indexed(made) == ["open.md", "s/_index.md", "s/a.md", "s/t/b.md"]

    made.write(section)
    assert drafts(made) == ["s/_index.md", "s/a.md", "s/t/b.md"]

    made.write({"../config.toml": HUGO})
    assert drafts(made) == ["s/_index.md"]


def test_a_section_that_cannot_be_read_ends_the_ingest_and_keeps_the_index(blog: MakeBlog) -> None:
    made = blog({"open.md": POST, "s/_index.md": HIDES, "s/a.md": POST})
    (made.content / "s/_index.md").write_bytes(bytes(range(256)) * 9)

    with pytest.raises(ContentError) as error:
        made.ingest()

    assert str(error.value) == (
        "s/_index.md, which may keep back the posts below it, cannot be used: it is not text but "
        "a binary file. Correct or delete it."
    )
    assert indexed(made) == ["open.md"]


@pytest.mark.parametrize(
    "front",
    [
        "---\ncascade: {~: x, ? : y, target: {~: z}}\n---\n",
        f"+++\n[cascade]\ndraft = 0x{'f' * 4000}\nbuild = {{list = 0x{'f' * 4000}}}\n+++\n",
        "---\ncascade: [[[{draft: true}]], 1, null]\n---\n",
    ],
)
def test_values_of_no_sense_end_no_ingest(blog: MakeBlog, front: str) -> None:
    made = blog({"s/_index.md": front, "s/a.md": POST})

    assert "s/a.md" in indexed(made)


def test_a_section_of_more_entries_than_are_read_passes_on_that_it_is_a_draft(
    blog: MakeBlog,
) -> None:
    entries = "".join(f"- target: {{path: /{number}}}\n  draft: true\n" for number in range(101))
    made = blog({"open.md": POST, "s/_index.md": f"---\ncascade:\n{entries}---\n", "s/a.md": ""})

    assert drafts(made) == ["s/_index.md", "s/a.md"]


def test_a_server_knows_such_a_draft_as_one(blog: MakeBlog) -> None:
    made = blog({"open.md": POST, "s/_index.md": HIDES, "s/a.md": POST})
    made.write({"s/new.md": POST})
    last = read_last_ingest(made.store, made.store.current_number())

    folder = read_folder(last, None, indexed(made), made.today)

    found = [(each.post.source, each.reason) for each in folder.left_out]
    assert found == [("s/_index.md", "draft"), ("s/a.md", "draft"), ("s/new.md", "draft")]


def test_an_ingest_that_finds_nothing_changed_below_sections_writes_nothing(blog: MakeBlog) -> None:
    made = blog({"_index.md": "---\ncascade:\n  draft: false\n---\n", "a.md": POST})
    for path in made.content.iterdir():
        os.utime(path, ns=(0, 0))
    made.ingest()
    number = made.store.current_number()

    assert (made.ingest().changed, made.store.current_number()) == (0, number)
