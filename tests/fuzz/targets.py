"""Steps of the flow as functions of any bytes: an AssertionError if the step breaks its word.

Whatever else is raised is a defect too: of the errors of this program, each step may raise
only those that its docstring names.
"""

import atexit
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import date
from functools import cache
from pathlib import Path

from blog_search_mcp.index.errors import BlogSearchError, UnreadablePost
from blog_search_mcp.index.text.languages import STEMMED
from blog_search_mcp.index.text.query import analyze_query
from blog_search_mcp.index.text.tokenizer import terms
from blog_search_mcp.index.types import Chunk, Passage, Post
from blog_search_mcp.ingest.posts.document import read_document
from blog_search_mcp.ingest.posts.front_matter import decode
from blog_search_mcp.ingest.posts.markdown.inline import strip_markup
from blog_search_mcp.ingest.posts.metadata import MAX_TITLE
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.markdown import ELEMENTS, render_passage
from blog_search_mcp.server.mcp.read_chunk import READ_CHUNK
from blog_search_mcp.server.mcp.search_blog import SEARCH_BLOG
from tests.support.blog import Blog

Target = Callable[[bytes], None]

LANGUAGES = ("en", "zh-tw", *sorted(STEMMED))


def post(data: bytes) -> None:
    """A file is a post with a title and a body, or one that cannot be read, with its reason."""
    try:
        parsed = read_document(data, "posts/a.md")
    except UnreadablePost:
        return
    assert decode(data)[0].count("\n") == parsed.first_line - 1 + parsed.body.text.count("\n")
    assert parsed.post.title.split() != []
    assert "\n" not in parsed.post.title
    assert len(parsed.post.title) <= MAX_TITLE
    assert parsed.post.date is None or date.fromisoformat(parsed.post.date)


def words(data: bytes) -> None:
    """A passage has the same tidy words each time."""
    shown = strip_markup(data.decode("utf-8", "replace").replace("\r", "\n"))
    assert shown == shown.strip("\n")
    assert not any(character < " " for character in shown.replace("\n", "").replace("\t", ""))


def rendering(data: bytes) -> None:
    """A passage is shown by known names and without a character that no reader sees."""
    text = _text(data).replace("\r", "\n")
    chunk = Chunk("a.md", 1, text, strip_markup(text), (), 1, 1 + text.count("\n"))
    passage = Passage(Post("a.md", "A"), (chunk,), 1, 1)
    query = analyze_query(text[:40], ("en",))
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
    query = analyze_query(text, (language, "en"))
    assert query.text == text
    assert len(set(query.words)) == len(query.words)


def query(data: bytes) -> None:
    """A query or filter of any text has an answer or a sentence, and so has a source."""
    given = {"query": _text(data), "top_k": 3}
    try:
        found = SEARCH_BLOG.call(small_index(), given)
    except BlogSearchError as error:
        _is_sentence(error)
    else:
        assert found.texts[0].strip()
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


TARGETS: Mapping[str, Target] = {
    target.__name__: target for target in (post, words, rendering, analyser, query)
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
    index = blog.engine()
    atexit.register(index.close)
    return index


def _text(data: bytes) -> str:
    """Decode bytes into text of any kind, halves of surrogate pairs among it."""
    return data.decode("utf-8", "surrogateescape")


def _is_sentence(error: BlogSearchError) -> None:
    said = str(error)
    assert said.endswith((".", "]"))
    assert "\n" not in said
    assert "Traceback" not in said
