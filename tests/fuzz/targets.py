"""Steps of the flow as functions of any bytes: an AssertionError if the step breaks its word.

Whatever else is raised is a defect too: of the errors of this program, each step may raise
only those that its docstring names.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import re
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path

from blog_search_mcp.index.analysis.languages import STEMMED
from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.analysis.tokenizer import terms
from blog_search_mcp.index.errors import BlogSearchError, IndexBroken, UnreadablePost
from blog_search_mcp.index.posts.chunks import LONGEST, chunk_body
from blog_search_mcp.index.posts.document import read_document
from blog_search_mcp.index.posts.markdown.body import Body
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.posts.metadata import MAX_TITLE
from blog_search_mcp.index.posts.text import decode, split_front_matter
from blog_search_mcp.index.search.snippets import WIDTH, make_snippet
from blog_search_mcp.index.store.manifest import FORMAT, loads
from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.markdown import ELEMENTS, render_passage
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from tests.support.blog import Blog

Target = Callable[[bytes], None]

TODAY = date(2026, 1, 15)
MARKS = {"Mn", "Me", "Cf"}
LANGUAGES = ("en", "zh-tw", *sorted(STEMMED))


def post(data: bytes) -> None:
    """A file is a post with a title and a body, or one that cannot be read, with its reason."""
    try:
        parsed = read_document(data, "posts/a.md")
    except UnreadablePost:
        return
    assert decode(data).text.endswith(parsed.body.text)
    assert parsed.post.title.split() != []
    assert "\n" not in parsed.post.title
    assert len(parsed.post.title) <= MAX_TITLE
    assert parsed.post.date is None or date.fromisoformat(parsed.post.date)


def frontmatter(data: bytes) -> None:
    """The body is the text from one of its lines on, and what goes is fields or marks."""
    text = data.decode("utf-8", "replace").replace("\r", "\n")
    front = split_front_matter(text)
    assert text.endswith(front.body)
    assert front.first_line >= 1
    if front.body:
        assert front.body == "\n".join(text.split("\n")[front.first_line - 1 :])
    if front.problem is not None:
        assert "\n" not in front.problem


def chunker(data: bytes) -> None:
    """Chunks hold all of a body in order with true lines, and none is too long to be read."""
    body = data.decode("utf-8", "replace").replace("\r", "\n")
    place = 0
    for number, chunk in enumerate(chunk_body("a.md", Body(body), 1, "title")):
        start = body.find(chunk.text, place)
        assert start >= 0
        assert not body[place:start].strip()
        place = start + len(chunk.text)
        assert chunk.text.strip()
        assert len(chunk.text) <= LONGEST
        assert chunk.index == number
        assert chunk.first_line == 1 + body.count("\n", 0, start)
        assert chunk.last_line == 1 + body.count("\n", 0, place)
    assert not body[place:].strip()


def words(data: bytes) -> None:
    """A passage has the same tidy words each time."""
    shown = strip_markup(data.decode("utf-8", "replace").replace("\r", "\n"))
    assert shown == shown.strip("\n")
    assert not any(character < " " for character in shown.replace("\n", "").replace("\t", ""))


def rendering(data: bytes) -> None:
    """A passage is shown by known names and without a character that no reader sees."""
    text = _text(data).replace("\r", "\n")
    chunk = Chunk("a.md", 1, text, strip_markup(text), (), 1, 1 + text.count("\n"))
    passage = Passage(Post("a.md", "A"), (chunk,), 1, 1, None, None)
    query = analyse_query(text[:40], ("en",))
    [html] = render_passage(passage, query, lambda: passage, lambda: ["a.md"])
    assert set(re.findall(r"</?([a-z]\w*)", html)) <= {*ELEMENTS, "mark"}
    tags = "".join(re.findall(r"<\w[^>]*>", html))
    assert set(re.findall(r' ([a-z]+)="', tags)) <= {"href", "rel", "alt", "start"}


def analyser(data: bytes) -> None:
    """A term is one word, and stands for characters of the text."""
    text = _text(data[1:])
    language = LANGUAGES[data[0] % len(LANGUAGES)] if data else "en"
    for term in terms(text, language):
        assert term.exact.split() == [term.exact]
        assert term.stem.split() == [term.stem]
        assert 0 <= term.start < term.end <= len(text)
    query = analyse_query(text, (language, "en"))
    assert query.text == text
    assert len(set(query.words)) == len(query.words)


def previews(data: bytes) -> None:
    """A preview is one line of the text within its width, between characters."""
    text = _text(data)
    line = " ".join(text.split())
    shown = make_snippet(text, {term.stem: 1.0 for term in terms(text[-20:])})
    assert "\n" not in shown
    width = sum(_columns(character) for character in shown)
    assert width <= WIDTH + len("……")
    inner = shown if shown in line else shown.removeprefix("…")
    inner = inner if inner in line else inner.removesuffix("…")
    assert inner in line
    if shown != line and shown.startswith("…") and inner:
        assert unicodedata.category(inner[0]) not in MARKS or inner[0] not in line[:1]


def query(data: bytes) -> None:
    """A query or filter of any text has an answer or a sentence, and so has a source."""
    given = {"query": _text(data), "top_k": 3}
    try:
        found = SEARCH_BLOG.call(small_index(), given)
    except BlogSearchError as error:
        _is_sentence(error)
    else:
        assert found.facts is not None
    for filters in (
        {"tag": given["query"]},
        {"section": given["query"]},
        {"after": given["query"]},
    ):
        try:
            SEARCH_BLOG.call(small_index(), {"query": "zebra", **filters})
        except BlogSearchError as error:
            _is_sentence(error)
    try:
        READ_CHUNK.call(small_index(), {"source": given["query"], "chunk_index": 0})
    except BlogSearchError as error:
        _is_sentence(error)


def manifest(data: bytes) -> None:
    """What is no manifest is one sentence that says how to mend it, sealed or not."""
    text = data.decode("utf-8", "replace")
    for written in (text, *_with_checksum(text)):
        try:
            loads(written)
        except IndexBroken as error:
            _is_sentence(error)


TARGETS: Mapping[str, Target] = {
    target.__name__: target
    for target in (
        post,
        frontmatter,
        chunker,
        words,
        rendering,
        analyser,
        previews,
        query,
        manifest,
    )
}


@cache
def small_index() -> Engine:
    """A real index of three posts, made once a process; the folder it lies in goes with that."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    blog = Blog(Path(folder.name) / "content", Path(folder.name) / "index")
    blog.content.mkdir()
    blog.write(
        {
            "en/zebra.md": "---\ntags: [striped]\ndate: 2025-01-02\n---\n# Zebra\n\nStripes.\n",
            "code.md": "# faiss.IndexFlatIP\n\n```py\nread_chunk('a', 1)\n```\n",
            "zh/快取.md": "# 鍵值快取\n\n模型會把先前詞元的鍵與值保留在快取之中。\n",
        }
    )
    blog.ingest()
    index = blog.follow()
    atexit.register(index.close)
    return Engine(lambda: index, blog.index)


def _text(data: bytes) -> str:
    """Text of any kind, halves of surrogate pairs among it."""
    return data.decode("utf-8", "surrogateescape")


def _with_checksum(text: str) -> Iterator[str]:
    """The JSON in `text`, if it is any, as the content of a manifest whose checksum holds."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    checksum = hashlib.sha256(canonical.encode()).hexdigest()
    yield f'{{"format": {FORMAT}, "checksum": "{checksum}", "content": {canonical}}}'


def _is_sentence(error: BlogSearchError) -> None:
    said = str(error)
    assert said.endswith((".", "]"))
    assert "\n" not in said
    assert "Traceback" not in said


def _columns(character: str) -> int:
    if unicodedata.category(character) in MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
