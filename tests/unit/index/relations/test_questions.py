"""Questions that ask for the same are one group, whatever their wording."""

from __future__ import annotations

import numpy as np
import pytest

from blog_search_mcp.index.errors import EmbedderUnavailable
from blog_search_mcp.index.relations.questions import compare_questions, group_alike
from tests.support.blog import Blog, MakeBlog


@pytest.fixture
def made(blog: MakeBlog) -> Blog:
    return blog({"a.md": "# Soup\n\nBoil the onion.\n", "b.md": "# Ice\n\nThe walrus rests.\n"})


ASKED = ["How to boil an onion?", "tusks of a walrus", "onion boiling", "the tusks"]


def test_rewordings_are_grouped(made: Blog) -> None:
    likeness = compare_questions(made.reader().corpus(), ASKED)
    assert likeness.notice is None
    assert group_alike(likeness.values) == [[0, 2], [1, 3]]
    assert likeness.values == pytest.approx(likeness.values.T)


def test_words_alone_do_where_the_embedder_does_not_answer(made: Blog) -> None:
    reader = made.reader()
    made.embedder.failure = EmbedderUnavailable("Ollama does not answer.")
    likeness = compare_questions(reader.corpus(), ASKED)
    assert likeness.notice == "Grouped by words alone: Ollama does not answer."
    assert group_alike(likeness.values) == [[0, 2], [1, 3]]


def test_no_question_makes_no_group(made: Blog) -> None:
    likeness = compare_questions(made.reader().corpus(), [])
    assert group_alike(likeness.values) == []


def test_groups_are_joined_by_their_mean_likeness() -> None:
    likeness = np.array(
        [[1.0, 0.9, 0.5, 0.0], [0.9, 1.0, 0.1, 0.0], [0.5, 0.1, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    )
    assert group_alike(likeness, 0.31) == [[0, 1], [2], [3]]
    assert group_alike(likeness, 0.3) == [[0, 1, 2], [3]]
