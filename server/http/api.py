"""The answers of the API: a JSON object of arguments gives a JSON object of facts.

This module imports the search libraries, so it is not imported before the first request.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.markdown import render_passage
from blog_search_mcp.server.format.web import answer_facts, index_facts, passage_facts, posts_facts
from blog_search_mcp.server.mcp.browsing import LIST_POSTS, find_posts
from blog_search_mcp.server.mcp.read_chunk import READ_CHUNK
from blog_search_mcp.server.mcp.search_blog import SEARCH_BLOG, find_hits, shorten_query

QuestionValues = Mapping[str, Any]
Facts = dict[str, Any]


def answer(engine: Engine, question: str, body: bytes) -> Facts:
    """Answer one of QUESTIONS. Raises BlogSearchError."""
    try:
        values = json.loads(body)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict) or question not in QUESTIONS:
        names = ", ".join(QUESTIONS)
        raise UsageError(f"Send a JSON object of arguments to one of /api/: {names}.")
    return QUESTIONS[question](engine, values)


def passage(engine: Engine, values: QuestionValues) -> Facts:
    """Read a passage like `read_chunk`, as text and as HTML that marks the matches of `query`.

    A whole post has no HTML, since rendering takes 10 ms per chunk. Raises BlogSearchError.
    """
    arguments = READ_CHUNK.parse({name: values[name] for name in values if name != "query"})
    text = SEARCH_BLOG.parse({"query": values["query"]}).query if values.get("query") else ""
    read = engine.read(arguments.source, arguments.chunk_index, arguments.reach)
    query = engine.reader().understand(shorten_query(text)) if text else None
    facts = passage_facts(read)
    if arguments.whole:
        return facts
    read_post = partial(engine.read, arguments.source, arguments.chunk_index, read.count)
    rendered = render_passage(
        read, query, read_post, lambda: dict(engine.reader().snapshot.catalog.titles_by_source())
    )
    for chunk, html in zip(facts["chunks"], rendered, strict=True):
        chunk["html"] = html
    return facts


QUESTIONS: dict[str, Callable[[Engine, QuestionValues], Facts]] = {
    "search": lambda engine, values: answer_facts(find_hits(engine, SEARCH_BLOG.parse(values))),
    "passage": passage,
    "posts": lambda engine, values: posts_facts(find_posts(engine, LIST_POSTS.parse(values))),
    "index": lambda engine, _values: index_facts(engine.overview, engine.reader().snapshot.catalog),
}
