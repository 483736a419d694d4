"""What sections pass down to the posts below them, as Hugo and Zola read their `_index.md`."""

import json
from pathlib import Path

import pytest

from tests.support.front import Blog, made

POST = "Words of a post.\n"
HIDES = "---\ncascade:\n  draft: true\n---\n"
OPEN = "---\ntitle: Open\n---\n"
BELOW = ("secret/a.md", "secret/deep/b.md", "secret/bundle/index.md")


def drafts(blog: Blog) -> list[str]:
    """The sources that an ingest leaves out as drafts."""
    ran = blog.ingest("--json")
    assert ran.status == 0, ran.err
    return [skip["source"] for skip in json.loads(ran.out)["skipped"] if skip["reason"] == "draft"]


@pytest.mark.parametrize(
    "front",
    [
        *("---\ncascade:\n  draft: true\n---\n", "---\ncascade:\n- draft: true\n---\n"),
        *("+++\n[cascade]\ndraft = true\n+++\n", "+++\n[[cascade]]\ndraft = true\n+++\n"),
        '{"cascade": {"draft": true}}\n',
        "---\ncascade:\n  build:\n    list: never\n    render: never\n---\n",
        *("---\ncascade:\n  headless: true\n---\n", "---\ncascade: {params: {draft: true}}\n---\n"),
        "---\ncascade:\n  _target:\n    path: /secret/**\n  draft: true\n---\n",
        "---\ncascade:\n- target:\n    path: '{/other/**,/secret/**}'\n  draft: true\n---\n",
        "---\ncascade:\n- target: {kind: page}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {environment: '{production,staging}'}\n  draft: true\n---\n",
        "---\ncascade: {draft: true\n  draft: true\n---\n",
    ],
)
def test_a_section_makes_drafts_of_all_posts_below_it(tmp_path: Path, front: str) -> None:
    posts = {"open.md": POST, "secret/_index.md": front, **dict.fromkeys(BELOW, POST)}
    assert set(made(tmp_path, posts).posts()) - {"secret/_index.md"} == {"open.md"}


@pytest.mark.parametrize(
    "front",
    [
        *("---\ndraft: true\n---\n", "---\ncascade:\n  draft: false\n---\n"),
        "---\ncascade:\n- target: {environment: development}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {path: '/secret'}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {path: '/secre*'}\n  draft: true\n---\n",
        "---\ncascade:\n- target: {kind: '{section,home}'}\n  draft: true\n---\n",
        *("---\ncascade: true\n---\n", "---\ncascade: {~: x, ? : y, target: {~: z}}\n---\n"),
        "---\ncascade: [[[{draft: true}]], 1, null]\n---\n",
    ],
)
def test_what_is_not_passed_down_to_a_post_leaves_it_public(tmp_path: Path, front: str) -> None:
    blog = made(tmp_path, {"secret/_index.md": front, "secret/a.md": POST, "secrets.md": POST})
    assert {"secret/a.md", "secrets.md"} <= set(blog.posts())


SITE = {"hugo.yaml": "baseURL: https://example.org/\n", "content/open.md": POST}
PUBLIC = "---\ndraft: false\n---\n" + POST
CASES: dict[str, tuple[dict[str, str], set[str]]] = {
    "its own word and that of a nearer section": (
        {
            "_index.md": HIDES,
            "a.md": POST,
            "own.md": PUBLIC,
            "near/_index.md": "---\ncascade:\n  draft: false\n---\n",
            "near/b.md": POST,
        },
        {"own.md", "near/b.md"},
    ),
    "a section that no index shows": (
        {"open.md": POST, ".blogignore": "_index.md\n", "s/_index.md": HIDES, "s/a.md": POST},
        {"open.md"},
    ),
    "the configuration": (
        {
            **SITE,
            "hugo.yaml": "baseURL: x\ncascade: [{target: {path: /s/**}, draft: true}]\n",
            "content/s/a.md": POST,
        },
        {"content/open.md"},
    ),
    "a section of Zola that is a draft": (
        {
            "config.toml": 'base_url = "https://example.org"\n',
            "content/open.md": POST,
            "content/s/_index.md": "+++\ndraft = true\n+++\n",
            "content/s/a.md": PUBLIC,
        },
        {"content/open.md"},
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_what_counts_is(what: str, tmp_path: Path) -> None:
    files, public = CASES[what]
    assert set(made(tmp_path, files).posts()) == public


def test_a_section_above_the_content_folder_counts_too(tmp_path: Path) -> None:
    above = "---\ncascade:\n- target: {path: /posts/s/**}\n  draft: true\n---\n"
    posts = {"content/_index.md": above, "content/posts/s/a.md": POST, "content/posts/b.md": POST}
    site = made(tmp_path, {**SITE, **posts})
    part = Blog(site.content / "content/posts", tmp_path / "part")
    assert (drafts(part), list(part.posts())) == (["s/a.md"], ["b.md"])


def test_a_change_of_the_section_alone_takes_its_posts_out_and_brings_them_back(
    tmp_path: Path,
) -> None:
    blog = made(tmp_path, {"open.md": POST, "s/_index.md": OPEN, "s/a.md": POST})
    blog.write({"s/_index.md": HIDES})
    assert drafts(blog) == ["s/_index.md", "s/a.md"]
    assert set(blog.posts()) == {"open.md"}
    blog.write({"s/_index.md": OPEN})
    assert drafts(blog) == []
    assert set(blog.posts()) == {"open.md", "s/a.md"}


def test_a_day_that_a_section_passes_down_counts(tmp_path: Path) -> None:
    blog = made(tmp_path, {"open.md": POST, "s/_index.md": OPEN, "s/a.md": POST})
    for field in ("expiryDate: 2020-01-01", "publishDate: 2999-01-01"):
        blog.write({"s/_index.md": f"---\ncascade:\n  {field}\n---\n"})
        assert blog.ingest().status == 0
        assert set(blog.posts()) == {"open.md"}


def test_a_section_that_cannot_be_read_ends_the_ingest_and_keeps_the_index(tmp_path: Path) -> None:
    blog = made(tmp_path, {"open.md": POST, "s/_index.md": HIDES, "s/a.md": POST})
    blog.write({"s/_index.md": bytes(range(256)) * 9})
    ran = blog.ingest()
    assert ran.status == 1
    assert "s/_index.md" in ran.err
    assert set(blog.posts()) == {"open.md"}


def test_an_audit_knows_a_draft_by_its_section(tmp_path: Path) -> None:
    old = "---\ndate: 2020-01-01\n---\n" + POST
    blog = made(tmp_path, {"open.md": POST, "s/_index.md": HIDES, "s/a.md": old})
    facts = json.loads(blog.command("author", "audit", "--json").out)
    assert [each["source"] for each in facts["findings"]["stale-drafts"]] == ["s/a.md"]
