"""What somebody else may put into a folder: links out of it, pipes, large files, parts of posts."""

import os
import pkgutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blog_search_mcp.ingest.foreign_files import MAX_BYTES, read_file
from blog_search_mcp.ingest.posts.walk import Walk, walk
from tests.support.front import Blog, made

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="has no pipes, and links by right")

SECRET = '{"token": "swordfish", "title": "swordfish", "baseURL": "https://swordfish.example"}'
POSTS = dict.fromkeys(("a.md", "sub/b.md"), "---\nauthors: [token]\n---\nA zebrafinch.\n")
PLACES = {
    "authors.json data//authors.yml _config.yml config//_default/hugo.json": [*POSTS],
    ".obsidian/templates.json a.md": ["sub/b.md"],
    "sub/.obsidian//app.json": ["a.md"],
    "sub/logseq//config.edn": ["a.md"],
    **dict.fromkeys(("sub/.blogignore", "sub/_index.md", "sub/_metadata.yml")),
}
"""Files beside two posts or in their place, and which posts are indexed if nothing is read of them;
`None` if the ingest ends with their name. Before `//` stands a folder that may be linked, too."""


KINDS: dict[str, Callable[[Path, Path], Any]] = {
    "pipe": lambda place, _: os.mkfifo(place),
    "link": lambda place, secret: place.symlink_to(secret),
    "linked folder": lambda place, secret: place.symlink_to(secret),
    "large": lambda place, _: place.write_text(SECRET + " " * MAX_BYTES),
}


@pytest.mark.parametrize(("kind", "is_windows"), [*((k, False) for k in KINDS), ("link", True)])
@pytest.mark.parametrize("places", PLACES)
def test_nothing_is_read_but_a_file_of_the_folder(
    tmp_path: Path, places: str, kind: str, is_windows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.write(POSTS)
    for name in places.split():
        swapped = name.partition("//")[0] if kind == "linked folder" else name
        place, secret = blog.content / swapped, tmp_path / "outside" / name
        for path in (place, secret):
            path.parent.mkdir(parents=True, exist_ok=True)
        secret.write_text(SECRET)
        place.unlink(missing_ok=True)
        KINDS[kind](place, tmp_path / "outside" / swapped)
    if is_windows:
        monkeypatch.setattr(os, "supports_dir_fd", set())
    ran = blog.ingest()
    if PLACES[places] is None:
        assert (ran.status, places in ran.err) == (1, True)
    else:
        assert (ran.status, sorted(blog.posts())) == (0, PLACES[places]), ran.err
    assert not any(b"swordfish" in p.read_bytes() for p in blog.index.rglob("*") if p.is_file())


WALKED = "blog_search_mcp.ingest.plan.find_site"


@pytest.mark.parametrize(
    ("call", "of", "swapped"),
    [(WALKED, "", "sub/b.md"), (WALKED, "", "sub"), ("os.scandir", "sub", "sub")],
)
def test_what_becomes_a_link_in_the_meantime_is_not_read(
    tmp_path: Path, call: str, of: str, swapped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    blog, real = Blog(tmp_path / "content", tmp_path / "index"), pkgutil.resolve_name(call)
    Blog(tmp_path / "outside", tmp_path).write({"sub/b.md": "A swordfish."})
    blog.write(POSTS)

    def swap(path: Any, *more: Any) -> Any:
        place = blog.content / swapped
        if str(path) == str(blog.content / of) and not place.is_symlink():
            place.rename(tmp_path / "before")
            place.symlink_to(tmp_path / "outside" / swapped)
        return real(path, *more)

    monkeypatch.setattr(call, swap)
    ran = blog.ingest()
    assert (ran.status, [*blog.posts()], "sub/b.md" in ran.err) == (0, ["a.md"], True)


def test_a_part_that_is_kept_from_readers_is_in_no_post(tmp_path: Path) -> None:
    names = ["_drafts/d.md", ".x/h.md", "b/.h.md", "secret/s.md", "vault/hidden/_v.md", "../o.md"]
    kept = dict.fromkeys(names, "The walrus dives.")
    kept |= {f"{n}.md": f"---\n{n}: yes\n---\nThe walrus dives." for n in ("draft", "password")}
    shown = {"_part.qmd": "An otter swims.", "b/_c.md": "A heron waits."}
    settings = {"_quarto.yml": "project: {}", ".blogignore": "secret/"}
    settings["vault/.obsidian/app.json"] = '{"userIgnoreFilters": ["hidden/"]}'
    text = "\n\n".join(f"{{{{< include {name} >}}}}" for name in [*kept, *shown, "link.md"])
    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.write({**settings, **kept, **shown, "a.qmd": text})
    (blog.content / "link.md").symlink_to(tmp_path / "o.md")
    assert blog.ingest().status == 0
    read = blog.tool("read_chunk", source="a.qmd", whole=True).text
    assert ("walrus" in read, "otter" in read, "heron" in read) == (False, True, True)
    blog.write({"draft.md": "The walrus dives."})
    assert blog.ingest().status == 0
    assert "walrus" in blog.tool("read_chunk", source="a.qmd", whole=True).text


JINJA, QUARTO, MDX = "{% include_relative p.md %}", "{{< include p.md >}}", "import P from './p.md'"
SHOWN = {
    "_quarto.yml": [f"{{{QUARTO}}}", f"`{QUARTO}`", f"```\n{QUARTO}\n```", JINJA],
    "_config.yml": [f"{{% raw %}}`x` {JINJA}{{% endraw %}}", f'{{{{ "{JINJA}" }}}}', QUARTO],
    "mkdocs.yml": [f"\\{JINJA}", ';--8<-- "p.md"', '~~~\n--8<-- "p.md"\n~~~', QUARTO],
    "hugo.yml": ["{{%/* include p.md */%}}", '--8<-- "p.md"', JINJA],
    "book.toml": ["\\{{#include p.md}}", "```\n{{#include p.md}}\n```", QUARTO],
    "docusaurus.config.js": [f"```\n{MDX}\n\n<P />\n```", f"~~~\n{MDX}\n~~~\n\n<P />", QUARTO],
    "none": [QUARTO, JINJA, f"{MDX}\n\n<P />", "<!-- @include: p.md -->"],
}
"""What includes nothing in a site: an example, or the way of another generator."""


@pytest.mark.parametrize("site", SHOWN)
def test_a_post_includes_in_the_way_of_its_site_and_not_where_it_shows_how(
    tmp_path: Path, site: str
) -> None:
    folder = {"hugo.yml": "content/", "mkdocs.yml": "docs/"}.get(site, "")
    posts = {f"{folder}{n}.md": f"An otter.\n\n{text}\n" for n, text in enumerate(SHOWN[site])}
    files = {site: "project: {}\nbaseURL: https://a.example/", f"{folder}p.md": "The walrus dives."}
    blog = made(tmp_path, posts | files)
    read = [blog.tool("read_chunk", source=source, whole=True).text for source in posts]
    assert not any("walrus" in text for text in read)


def test_parts_are_read_once_and_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def note(folder: Path, name: str) -> bytes:
        read.append(name)
        return read_file(folder, name)

    monkeypatch.setattr("blog_search_mcp.ingest.prepare.read_file", note)
    unseen = "<!-- x -->\n" * 12_000
    parts = {"p.md": "The walrus dives.", "q.md": unseen + "Otters.", "r.md": unseen + "Herons."}
    names = [*("./" * n + "p.md" for n in range(50)), "q.md", "r.md"]
    text = "".join(f"{{{{< include {name} >}}}}\n\n" for name in names)
    blog = made(tmp_path, {"_quarto.yml": "project: {}", "a.qmd": text, **parts})
    shown = blog.tool("read_chunk", source="a.qmd", whole=True).text
    assert read[: read.index("q.md")] == ["a.qmd", "p.md"]
    assert ("walrus" in shown, "Otters" in shown, "Herons" in shown) == (True, True, False)


def test_a_post_has_at_most_200_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []

    def note(folder: Path, source: str) -> Walk:
        listed.append(source)
        return walk(folder, source)

    monkeypatch.setattr("blog_search_mcp.ingest.prepare.walk", note)
    parts = {f"_{number}.md": f"Otter {number}." for number in range(205)}
    text = "".join(f"{{{{< include {name} >}}}}\n\n" for name in parts)
    blog = made(tmp_path, {"_quarto.yml": "project: {}", "a.qmd": text, **parts})
    shown = blog.tool("read_chunk", source="a.qmd", whole=True).text
    assert (len(listed), "Otter 199." in shown, "Otter 200." in shown) == (200, True, False)
