"""Files that programs make beside posts: copies, placeholders, texts of other kinds."""

import re
from pathlib import Path

import pytest

from tests.support.front import made

NOTE = "---\ntitle: Boat\n---\n\nWe shall tar the boat in May and launch it in June.\n"
CHANGED = NOTE.replace("June", "July")
OTHER = "Three loaves of rye bread need a night to rise, and an hour in the oven.\n"


COPIES = [
    "Boat.sync-conflict-20250102-030405-QRSTUVW.md",
    "Boat (Conflicted copy laptop 202501020304).md",
    "Boat (Bea's conflicted copy 2025-01-02).md",
    "Boat (conflicted copy 2025-01-02 030405).md",
    "Boat (Bea in Konflikt stehende Kopie 2025-01-02).md",
    "Boat (SFConflict bea@example.org 2025-01-02-03-04-05).md",
    "Boat [conflict].md",
    "Boat (冲突副本 2025-01-02).md",
    "Boat_conflict-20250102-030405.md",
    "Boat.Conflict.md",
    "Boat_conf(1).md",
    "Boat_REMOTE_4711.md",
    "Boat 2.md",
    "Boat (1).md",
    "Boat copy.md",
    "Boat - Kopie.md",
    "Boat - Kopi.md",
    *("Copy of Boat.md", "Boatのコピー.md", "Boat (3rd copy).md"),
    "Boat-DESKTOP-7Q2X9AB.md",
    "Boat.bak.md",
    "logseq/bak/pages/Boat/2025-01-02T03_04_05.678Z.Desktop.md",
    "logseq/version-files/base/Boat.md",
    "#recycle/Boat.md",
]


def test_another_version_of_a_post_is_left_out_and_counted(tmp_path: Path) -> None:
    blog = made(tmp_path, {"Boat.md": NOTE, **dict.fromkeys(COPIES, CHANGED)})
    assert set(blog.posts()) == {"Boat.md"}
    assert sorted(skip["source"] for skip in blog.report["skipped"]) == sorted(COPIES)


def test_a_name_alone_makes_no_copy(tmp_path: Path) -> None:
    posts = {
        "git.md": NOTE,
        "git-conflicts.md": OTHER,
        "git 2.md": OTHER,
        "git copy.md": OTHER,
        "Lost (conflicted copy 2025-01-02).md": OTHER,
        "Part 2.md": NOTE,
        "Untitled.md": "Rye.",
        "Untitled 1.md": NOTE,
        "Rye.md": "# Rye",
        "Rye 2.md": f"# Rye\n\n{OTHER}",
    }
    assert set(made(tmp_path, posts).posts()) == set(posts)


@pytest.mark.parametrize("name", [".Boat.md.icloud", "Boat.md.nextcloud", "Boat.md.cloud"])
def test_a_post_that_its_cloud_keeps_stays_as_it_was_and_is_named(
    name: str, tmp_path: Path
) -> None:
    blog = made(tmp_path, {"Boat.md": NOTE, "Rye.md": OTHER})
    (blog.content / "Boat.md").rename(blog.content / name)
    (blog.content / name).write_bytes(b"bplist00")
    for _ in range(2):
        ran = blog.ingest()
        assert "Boat.md" in ran.err
        assert "removed" not in ran.err
        assert blog.sources("tar the boat")[0] == "Boat.md"
    assert "Boat.md" in blog.ingest("--rebuild").err
    assert set(blog.posts()) == {"Rye.md"}
    blog.write({"Boat.md": NOTE})
    blog.ingest()
    assert set(blog.posts()) == {"Boat.md", "Rye.md"}


def test_texts_of_other_kinds_are_said_by_number_and_ending(tmp_path: Path) -> None:
    others = {"b.org": "* B", "c.Rmd": "C", "d/e.org": "* E", "_parts/f.html": "F", "g.png": "G"}
    others |= {"h.canvas": "{}", "c/i.RST": "I"}
    [said] = made(tmp_path, {"a.md": NOTE, **others}).report["warnings"]
    told = {*re.findall(r"\d (\.\w+)", said)}
    assert ("2 .org" in said, told) == (True, {".org", ".Rmd", ".canvas", ".RST"})
