"""How hard inputs are accounted for: what counts as found, read and whole."""

from __future__ import annotations

from pathlib import Path

from benchmarks.chaos.accounts import Account, accounts
from benchmarks.chaos.encodings import Reading, readings
from benchmarks.chaos.pages import pages
from tests.support.blog import MakeBlog


def test_every_file_has_an_account(blog: MakeBlog) -> None:
    made = blog(
        {
            "a/marked.md": "---\ntitle: [\n---\nIt holds zebrafinch.\n",
            "a/plain.md": "A walrus sings.\n",
            "a/blank.md": "---\ntitle: A\n---\n",
            "a/marks.md": "!!!\n",
            "a/only-heading.md": "# Pangolin\n",
            "draft.md": "---\ndraft: true\n---\nA draft.\n",
            "binary.md": "\x01\x02" * 300,
            "data.json": "{}",
            ".hidden.md": "Hidden.\n",
        }
    )
    report = made.ingest(rebuild=True)
    skipped = [{"source": skip.source, "reason": skip.reason} for skip in report.skipped]
    assert accounts(made.content, made.reader(), skipped, report.warnings) == [
        Account(".hidden.md", "hidden by their names"),
        Account("a/blank.md", "without a body"),
        Account("a/marked.md", "found by zebrafinch, oddity named"),
        Account("a/marks.md", "without words, but readable"),
        Account("a/only-heading.md", "found by a word of theirs"),
        Account("a/plain.md", "found by a word of theirs"),
        Account(
            "binary.md",
            "unreadable: it is not text but a binary file; rename it, or name it in a .blogignore",
        ),
        Account("data.json", "no posts by their names"),
        Account("draft.md", "draft"),
    ]


def test_a_post_that_no_search_finds_or_no_report_names_is_lost(blog: MakeBlog) -> None:
    made = blog({"a.md": "A walrus sings.\n", "c.md": "A pangolin.\n"})
    made.write({"a.md": "Only zebrafinch now.\n", "b.md": "Never ingested.\n"})
    assert accounts(made.content, made.reader(), [], []) == [
        Account("a.md", "lost", is_known=False),
        Account("b.md", "lost", is_known=False),
        Account("c.md", "found by a word of theirs"),
    ]


def test_every_post_is_timed_and_read_to_its_end(blog: MakeBlog) -> None:
    made = blog({"a.md": "# A\n\n" + "```\n" + "x = 1\n" * 8000 + "```\n", "b.md": "B.\n"})
    assert [(page.source, page.is_whole) for page in pages(made.content, made.reader())] == [
        *(("a.md", True), ("b.md", True))
    ]
    made.write({"b.md": "Another file now.\n"})
    assert [page.is_whole for page in pages(made.content, made.reader())] == [True, False]


def test_readings_are_compared_with_the_post_in_utf8(tmp_path: Path) -> None:
    text = "---\ntitle: Å\n---\nEin Körper, über zwei\nZeilen − so.\n"
    files = {
        "de-utf8-bom": text.encode("utf-8-sig"),
        "de-crlf": text.replace("\n", "\r\n").encode(),
        "de-latin1": text.replace("−", "?").encode("latin-1"),
        "de-nfd": text.replace("ö", "o\u0308").encode(),
        "de-nul": text.encode().replace(b"K", b"\x00", 1),
        "de-cut": text.encode()[:-5],
        "de-other": b"Something else.\n",
    }
    for name, data in files.items():
        (tmp_path / f"{name}.md").write_bytes(data)
    warnings = ["encodings/de-nul.md: 1 of its characters could not be read"]
    assert {reading.name: reading.outcome for reading in readings(tmp_path, warnings)} == {
        "de-utf8-bom.md": "read exactly",
        "de-crlf.md": "read exactly",
        "de-latin1.md": "read with `?` as written for what the encoding lacks",
        "de-nfd.md": "read exactly but for how accents are composed",
        "de-nul.md": "read but for one character, which is named",
        "de-cut.md": "read up to where it was cut",
        "de-other.md": "misread",
    }
    assert Reading("de-other.md", "misread", False) in readings(tmp_path, warnings)
