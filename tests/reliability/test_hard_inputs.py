"""Hard inputs of the shared corpora, all in one folder: nothing is lost in silence or executed.

A post counts as found if the lexical retriever alone finds it by one of its rarest words, or by
its file's name and a word where hundreds of posts are made of the same two words.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import unicodedata
import zlib
from collections import Counter
from pathlib import Path

import pytest

from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.types import Filters
from blog_search_mcp.ingest.posts.document import read_document
from blog_search_mcp.ingest.posts.front_matter import decode, split_front_matter
from blog_search_mcp.ingest.posts.walk import SUFFIXES
from blog_search_mcp.ingest.report import Report
from tests.reliability.conftest import RecordRuns
from tests.support.blog import Blog

MARKER = "zebrafinch"
"""A word in the body of every post of `frontmatter/handmade`."""

PWNED = "pwned_by_front_matter"
"""The file that the front matter writes where it is executed."""

ORIGINAL = "utf8-bom"
"""Suffix of the file in `encodings` that a post's other files are compared with."""

_WORD = re.compile(r"[^\W_]+")


OF_A_KIND, LARGE = 4, 200_000
"""Without `--full`, so many posts of a folder are taken, but all of `encodings`, and none of more
bytes."""


@pytest.fixture(scope="module")
def nasty(
    shared: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    folder = tmp_path_factory.mktemp("corpora")
    subprocess.run([shared / "corpora" / "unpack", folder], check=True, capture_output=True)
    if not request.config.getoption("--full"):
        thin(folder / "nasty")
    return folder / "nasty"


def thin(folder: Path) -> None:
    """Leave out most of many posts of a kind, and what is huge."""
    for place in {path.parent for path in folder.rglob("*")} - {folder / "encodings"}:
        files = [path for path in place.iterdir() if path.is_file()]
        files.sort(key=lambda path: (path.stat().st_size > LARGE, zlib.crc32(path.name.encode())))
        for number, path in enumerate(files):
            if number >= OF_A_KIND or path.stat().st_size > LARGE:
                path.unlink()


@pytest.fixture(scope="module")
def ingested(nasty: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Blog, Report]:
    made = Blog(nasty, tmp_path_factory.mktemp("nasty") / "index")
    return made, made.ingest()


def test_every_file_is_found_or_named(
    nasty: Path, ingested: tuple[Blog, Report], record_runs: RecordRuns
) -> None:
    made, report = ingested
    reader, skipped = made.reader(), {skip.source for skip in report.skipped}
    sources = [path.relative_to(nasty).as_posix() for path in nasty.rglob("*") if path.is_file()]
    posts = [
        source
        for source in sources
        if source.lower().endswith(SUFFIXES)
        and not any(part.startswith(".") for part in source.split("/"))
    ]
    texts = {source: read_text(reader, source) for source in posts if source not in skipped}
    common = Counter(word for text in texts.values() for word in set(words(text)))
    lost = [source for source, text in texts.items() if not is_found(reader, source, text, common)]
    record_runs(len(sources), len(sources) - len(lost))
    assert lost == []


def read_text(reader: IndexReader, source: str) -> str:
    """Return the plain text of all chunks; a post that is not in the index has none."""
    if source not in reader.manifest.posts or not reader.manifest.posts[source].chunks:
        return ""
    return "\n".join(chunk.plain for chunk in reader.read(source, 0, 1_000_000).chunks)


def words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def is_found(reader: IndexReader, source: str, text: str, common: Counter[str]) -> bool:
    if source not in reader.manifest.posts:
        return False
    rarest = sorted(dict.fromkeys(words(text)), key=lambda word: (common[word], -len(word)))[:10]
    if MARKER in text:
        return is_hit(reader, MARKER, source)
    named = (f"{Path(source).stem} {word}" for word in rarest)
    return not rarest or any(is_hit(reader, query, source) for query in (*rarest, *named))


def is_hit(reader: IndexReader, query: str, source: str) -> bool:
    """Whether a post is a hit, a translation of one, or named as a copy of one."""
    filters = Filters(section=source.rpartition("/")[0] or None)
    answers = (reader.search(query, filters, limit=limit, offset=0) for limit in (20, 2000))
    return any(
        source in (answer.notice or "")
        or source in (hit.post.source, *(other for _, other in hit.translations))
        for answer in answers
        for hit in answer.hits
    )


def test_every_post_can_be_read_to_its_last_character(
    nasty: Path, ingested: tuple[Blog, Report], record_runs: RecordRuns
) -> None:
    reader, cut = ingested[0].reader(), []
    for source, post in reader.manifest.posts.items():
        chunks = reader.read(source, 0, 1_000_000).chunks if post.chunks else ()
        body = read_document((nasty / source).read_bytes(), source).body.text
        read = "".join("".join(chunk.text for chunk in chunks).split())
        lines = ("".join(line.split()) for line in body.splitlines() if "{% include" not in line)
        if read != "".join(body.split()) and not all(line in read for line in lines):
            cut.append(source)
    record_runs(len(reader.manifest.posts), len(reader.manifest.posts) - len(cut))
    assert cut == []


def test_nothing_in_front_matter_is_executed(nasty: Path, ingested: tuple[Blog, Report]) -> None:
    places = (Path(tempfile.gettempdir()), Path("/tmp"), nasty, Path.cwd())
    assert ingested[1].posts
    assert not [place for place in places if (place / PWNED).exists()]


def test_other_encodings_are_read_as_the_same_post_in_utf8(
    nasty: Path, ingested: tuple[Blog, Report], record_runs: RecordRuns
) -> None:
    paths = sorted((nasty / "encodings").glob("*.md"))
    misread = [path.name for path in paths if not is_read_right(path, ingested[1].warnings)]
    record_runs(len(paths), len(paths) - len(misread))
    assert misread == []


def is_read_right(path: Path, warnings: tuple[str, ...]) -> bool:
    """Whether a file was read as its original, but for what its encoding or a cut took away."""
    post = path.stem.partition("-")[0]
    original = (path.parent / f"{post}-{ORIGINAL}.md").read_bytes().decode("utf-8-sig")
    wanted = unicodedata.normalize("NFC", "".join(split_front_matter(original).body.split()))
    try:
        text = split_front_matter(decode(path.read_bytes())[0]).body
    except UnreadablePost:
        return True  # named
    text = unicodedata.normalize("NFC", "".join(text.split()))
    if wanted.startswith(text):
        return True  # a file that ends early among them
    differing = {own for own, right in zip(text, wanted, strict=False) if own != right}
    if len(text) == len(wanted) and differing == {"?"}:
        return True  # `?` as written for what the encoding lacks
    named = any(warning.startswith(f"encodings/{path.name}: ") for warning in warnings)
    return named and (len(differing) == 1 or text.replace("\ufffd", "") == wanted)
