"""Questions that ask for the same are one group, whatever their wording."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.errors import EmbedderUnavailable
from blog_search_mcp.index.relations.questions import group_questions
from tests.support.blog import Blog, MakeBlog


@pytest.fixture
def made(blog: MakeBlog) -> Blog:
    return blog({"a.md": "# Soup\n\nBoil the onion.\n", "b.md": "# Ice\n\nThe walrus rests.\n"})


ASKED = ["How to boil an onion?", "tusks of a walrus", "onion boiling", "the tusks"]


def test_rewordings_are_grouped(made: Blog) -> None:
    corpus = made.reader().corpus()
    assert group_questions(corpus, ASKED) == ([[0, 2], [1, 3]], None)
    assert group_questions(corpus, []) == ([], None)


def test_words_alone_do_where_the_embedder_does_not_answer(made: Blog) -> None:
    corpus = made.reader().corpus()
    made.embedder.failure = EmbedderUnavailable("Ollama does not answer.")
    notice = "Grouped by words alone: Ollama does not answer."
    assert group_questions(corpus, ASKED) == ([[0, 2], [1, 3]], notice)
