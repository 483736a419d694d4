"""Bits that a disk lost: the file's size, inode and time are as they were.

The oracle is everything that can be asked of the index: each answer is the whole index's, or says
in a sentence that it is not, and neither the doctor nor an ingest with nothing to do takes the
index for whole.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from blog_search_mcp.index.errors import IndexBroken
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.cli.doctor.index import check_index
from tests.support.blog import Blog
from tests.support.faults.manifest_damage import restamped

if TYPE_CHECKING:
    from collections.abc import Callable

    from blog_search_mcp.index.reader import IndexReader
    from tests.reliability.conftest import RecordRuns

TOPICS = ("soup", "sea", "wood", "bread", "stone", "kite")
POSTS = {
    f"{topic}.md": f"---\ntitle: About {topic}\ndate: 2024-0{n}-01\ntags: [t{n % 2}]\n---\n"
    + "\n\n".join(
        f"## Part {k}\n\nWhat {topic} is in part{k} of it. {topic} " * 3 for k in range(4)
    )
    for n, topic in enumerate(TOPICS, 1)
}
TEA = "# Tea\n\nAbout a tea.\n"
QUERIES = (*TOPICS, *(f"what is {topic} in part2?" for topic in TOPICS), "part1", "About kite")
PLACES = {"its start": 0.0, "its first page": 0.01, "its middle": 0.5, "its end": 1.0}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return make_whole(tmp_path_factory.mktemp("whole"))


def make_whole(folder: Path) -> Blog:
    made = Blog(folder / "content", folder / "index")
    made.write(POSTS)
    made.ingest()
    made.write({"tea.md": TEA})
    made.ingest()
    return made


@pytest.fixture
def made(whole: Blog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blog:
    return copy_unmodified(whole, tmp_path, monkeypatch)


def copy_unmodified(whole: Blog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blog:
    """A copy, whose files all count as large and as unmodified since they were written."""
    monkeypatch.setattr("blog_search_mcp.index.folder.LARGE_FILE", 0)
    shutil.copytree(whole.content, tmp_path / "content")
    shutil.copytree(whole.index, tmp_path / "index")
    copy = Blog(tmp_path / "content", tmp_path / "index")
    monkeypatch.setattr(
        "blog_search_mcp.server.cli.doctor.index.open_embedder", lambda *_asked: copy.embedder
    )
    copy.files.manifest.write_text(restamped(copy.files.manifest), "utf-8")
    return copy


def lose_a_bit(path: Path, share: float) -> None:
    status = path.stat()
    place = min(int(status.st_size * share), status.st_size - 1)
    with path.open("r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ 0x04]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def every_answer(blog: Blog) -> dict[str, Any]:
    """All that is asked, with the answer, its notice or the sentence in its place."""
    live = Index(blog.index, lambda _identity: blog.embedder)
    try:
        reader = live.reader()
    except IndexBroken as error:
        return dict.fromkeys(asked(None), f"{error}")
    found = {name: answered(ask) for name, ask in asked(reader).items()}
    if reader.problem is None:
        return found
    return {name: noted(answer, str(reader.overview.notice)) for name, answer in found.items()}


def noted(answer: object, notice: str) -> object:
    """An earlier generation's answer with the notice that a server puts to it."""
    return replace(answer, notice=notice) if isinstance(answer, Answer) else notice


def asked(reader: IndexReader | None) -> dict[str, Callable[[], object]]:
    """Requests by name."""

    def search(query: str, filters: Filters) -> object:
        assert reader is not None
        return reader.search(query, filters, limit=5, offset=0)

    def read(source: str) -> object:
        assert reader is not None
        return reader.read(source, 0, 0), reader.outline(source)

    def lists() -> object:
        assert reader is not None
        found = reader.listing()
        return found.names(), found.years()

    requests: dict[str, Callable[[], object]] = {"lists": lists}
    for filters in (Filters(), Filters(tag="t1"), Filters(after="2024-03-01")):
        requests |= {f"{query} {filters}": partial(search, query, filters) for query in QUERIES}
    return requests | {f"read {source}": partial(read, source) for source in POSTS}


def answered(ask: Callable[[], object]) -> object:
    try:
        return ask()
    except IndexBroken as error:
        return str(error)


def is_honest(answer: Any, expected: object) -> bool:
    """Whether it is the whole index's answer, or says what is damaged and shows no other text."""
    said = answer if isinstance(answer, str) else getattr(answer, "notice", None) or ""
    shown = getattr(answer, "hits", ())
    if not all(hit.chunk.text in POSTS.get(hit.post.source, TEA) for hit in shown):
        return False
    is_said = ("damaged" in said or "cannot be" in said) and "Rebuild" in said
    return answer == expected or is_said


@pytest.mark.parametrize("place", PLACES)
def test_an_answer_is_as_before_or_says_what_is_lost_and_the_doctor_never_says_whole(
    place: str, whole: Blog, made: Blog, record_runs: RecordRuns
) -> None:
    expected = every_answer(whole)
    assert every_answer(made) == expected
    assert doctor(made) == "ok"
    runs, wrong = 0, []
    for name in made.manifest.files:
        path = made.files.folder / name
        kept = path.read_bytes()
        lose_a_bit(path, PLACES[place])
        wrong += not_held(made, expected, name)
        runs += 1
        restore(path, kept)
    assert wrong == []
    assert doctor(made) == "ok"
    record_runs(runs, runs)


def not_held(blog: Blog, expected: dict[str, Any], name: str) -> list[str]:
    """What misled somebody of an index that is damaged, a row each."""
    found = every_answer(blog)
    rows = [ask for ask, answer in found.items() if not is_honest(answer, expected[ask])]
    if doctor(blog) != "problem":
        rows.append("the doctor says whole")
    with suppress(IndexBroken):
        blog.ingest()
        rows.append("an ingest with nothing to do says nothing")
    return [f"not held: {name}: {row}" for row in rows]


def doctor(blog: Blog) -> str:
    return check_index(blog.index, None, datetime.now(UTC)).results[0].state


def restore(path: Path, content: bytes) -> None:
    status = path.stat()
    with path.open("r+b") as file:
        file.write(content)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_every_byte_of_the_texts_is_served_as_it_was_or_not_at_all(
    whole: Blog, made: Blog, full: bool, record_runs: RecordRuns
) -> None:
    expected = every_answer(whole)
    path = made.files.texts
    kept = path.read_bytes()
    wrong, places = [], range(0, len(kept), 61 if full else 997)
    for place in places:
        lose_a_bit(path, place / len(kept))
        found = every_answer(made)
        wrong += [
            f"not held: byte {place}: {ask}"
            for ask, answer in found.items()
            if not is_honest(answer, expected[ask])
        ]
        restore(path, kept)
    assert wrong == []
    record_runs(len(places), len(places))


def test_one_lost_text_costs_its_own_hit_and_page_alone(made: Blog) -> None:
    path = made.files.texts
    text = b"What kite is in part2 of it. kite"
    place = path.read_bytes().index(text)
    lose_a_bit(path, (place + 0.5) / path.stat().st_size)
    reader = made.reader()
    answer = reader.search("kite part2", Filters(), limit=5, offset=0)
    assert answer.hits
    assert answer.notice is not None
    assert "1 hit is left out, since its text is damaged in the index. Rebuild" in answer.notice
    with pytest.raises(IndexBroken, match=r"^A text of kite\.md is damaged in the index\. Rebuild"):
        reader.read("kite.md", 0, 0)
    assert reader.read("soup.md", 0, 0).count == 1


def test_lost_vectors_leave_the_words(made: Blog) -> None:
    lose_a_bit(made.files.vectors / "000001.npy", 0.5)
    answer = made.reader().search("kite part2", Filters(), limit=5, offset=0)
    assert answer.hits[0].post.source == "kite.md"
    assert answer.notice is not None
    assert answer.notice.startswith(
        "Keyword matches only, without search by meaning: The index's vectors/000001.npy is "
        "damaged. Rebuild"
    )
