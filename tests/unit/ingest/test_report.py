"""What an ingest says while it lasts and at its end: the facts, not their wording."""

import json
import re
from io import StringIO
from pathlib import Path

import pytest

from blog_search_mcp.index.invocation import MAX_LISTED
from blog_search_mcp.ingest import report
from blog_search_mcp.ingest.report import LINES, Progress
from tests.support.front import Blog, command, made

DRAFT = "---\ndraft: true\n---\nHidden."
LATER = "---\ndate: 2999-01-01\n---\nHidden."


def test_every_file_is_counted_once_as_what_it_became(tmp_path: Path) -> None:
    posts = {"gone.md": "Gone.", "kept.md": "Kept.", "edited.md": "Once.", "hidden.md": "Shown."}
    posts |= {"bare.md": "---\ntitle: Bare\n---\n"}
    blog = made(tmp_path, posts)
    blog.write({"new.md": "New.", "edited.md": "Twice.", "hidden.md": DRAFT})
    (blog.content / "gone.md").unlink()
    last = blog.ingest().err.splitlines()[-1]
    for part in ("3 posts", "1 added", "1 changed", "2 removed", "2 skipped", "1 draft", "1 empty"):
        assert part in last
    assert set(blog.posts()) == {"edited.md", "kept.md", "new.md"}


def test_every_stage_that_begins_is_told_to_its_end(tmp_path: Path) -> None:
    made(tmp_path, {"a.md": "Words.", "b.md": "More words."})
    said = Blog(tmp_path / "content", tmp_path / "other").ingest().err
    shares = dict(re.findall(r"^(.+?): [\d,]+ of [\d,]+ \((\d+)%\)", said, re.MULTILINE))
    assert len(shares) > 1
    assert {*shares.values()} == {"100"}


def test_links_that_contradict_the_addresses_are_told_once(tmp_path: Path) -> None:
    posts = {f"{n}.md": f"---\ndate: 2024-01-0{n}\n---\nTale {n}.\n" for n in range(1, 4)}
    links = " ".join(f"[{n}](/2024/01/0{n}/{n}/)" for n in range(1, 4))
    site = ("--base-url", "https://tale.example", "--permalink", "/:filename/")
    blog = made(tmp_path, {**posts, "links.md": links}, *site)
    assert any("/2024/01/01/1/" in each for each in blog.report["warnings"])
    blog.write({"1.md": "Once more."})
    assert not any("/2024/" in each for each in json.loads(blog.ingest("--json").out)["warnings"])


def test_of_many_faults_of_a_kind_the_first_are_listed_and_the_others_counted(
    tmp_path: Path,
) -> None:
    files = {f"{number:03}.md": b"\0" * 9 for number in range(MAX_LISTED + 12)}
    blog = made(tmp_path, {"a.md": "Words.", **files})
    lines = blog.ingest().err.splitlines()
    assert sum(".md: " in line for line in lines) == MAX_LISTED
    assert any(" 12 more" in line for line in lines)


def test_the_first_files_that_are_left_out_are_named_with_their_reason(tmp_path: Path) -> None:
    drafts = {f"{number:02}.md": DRAFT for number in range(12)}
    blog = made(tmp_path, {"a.md": "Words.", "aa.md": LATER, "bad.md": b"\0" * 9, **drafts})
    for said, shown in ((blog.ingest().err, 10), (blog.command("doctor").out, 9)):
        assert re.findall(r"(\d\d)\.md \(draft\)", said) == [f"{n:02}" for n in range(shown)]
        assert re.search(rf" {13 - shown} more", said)
        assert "bad.md" in said


@pytest.mark.parametrize(
    ("posts", "named"),
    [
        ({"hidden.md": DRAFT}, ["hidden.md", "draft", "--include-drafts"]),
        ({"_template.md": "Write here.\n"}, ["_template.md", "not published"]),
        ({f"{name}.md": b"\0" * 9 for name in "abcde"}, ["all 5", "a.md"]),
        ({}, [".markdown"]),
    ],
)
def test_a_folder_without_posts_is_refused_and_says_what_was_left_out(
    posts: dict[str, str | bytes], named: list[str], tmp_path: Path
) -> None:
    blog = made(tmp_path, {"a.md": "Words."})
    (blog.content / "a.md").unlink()
    blog.write(posts)
    ran = blog.ingest()
    assert ran.status == 1
    assert all(word in ran.err for word in named)
    assert set(blog.posts()) == {"a.md"}


@pytest.mark.parametrize(("silence", "count"), [(15.0, LINES // 2), (-1.0, 1_000)])
def test_a_stage_prints_a_line_at_every_tenth_and_after_a_silence(
    silence: float, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "SILENCE", silence)
    stream = StringIO()
    progress = Progress(stream)
    progress.start("embedding", 2_000, done=1_000)
    for _ in range(1_000):
        progress.advance(1)
    lines = stream.getvalue().splitlines()
    assert len(lines) == count
    assert "100%" in lines[-1]


def test_an_index_of_an_earlier_format_is_made_anew_with_its_embedder_and_settings(
    tmp_path: Path,
) -> None:
    posts = {"a.md": "Words.", "b.md": DRAFT}
    blog = made(tmp_path, posts, "--model", "multilingual-e5-small", "--include-drafts")
    [manifest] = blog.index.glob("generations/*/manifest.json")
    text = re.sub(r'"format": \d+', '"format": 1', manifest.read_text(encoding="utf-8"))
    manifest.write_text(text, encoding="utf-8")
    assert (blog.command("search", "words").status, blog.tool("list_posts").is_error) == (1, True)
    anew = command("ingest", "--index", str(blog.index), "--json")
    facts = json.loads(anew.out)
    assert (facts["posts"], facts["added"], facts["embedded"]) == (2, 2, 0)
    assert facts["embedder"] == blog.report["embedder"]
    assert set(blog.posts()) == {"a.md", "b.md"}
    assert blog.ingest("--no-drafts", "--model", "multilingual-e5-small").status == 0
    assert set(blog.posts()) == {"a.md"}


def test_a_terminal_shows_each_stage_on_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "BLINK", 0.0)
    terminal = StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    progress = Progress(terminal)
    for stage in ("reading", "writing"):
        progress.start(stage, 7)
        for _ in range(7):
            progress.advance(1)
    progress.say("Done.")
    last = [re.split(r"\r\x1b\[K", line)[-1] for line in terminal.getvalue().split("\n")[:-1]]
    assert last == ["reading: 7 of 7 (100%)", "writing: 7 of 7 (100%)", "Done."]
