"""A blog's map: which posts are on it, into which subjects it parts, and what they are called."""

from __future__ import annotations

import numpy as np
import pytest

from blog_search_mcp.index.relations.subjects import (
    BlogMap,
    count_subjects,
    map_blog,
    name_subjects,
    part,
)
from blog_search_mcp.index.types import Post
from tests.support.blog import MakeBlog

SEA = "walrus ice clams tusks seal water"
SOUP = "onion soup boil pot spoon salt"


def posts_of_two_subjects() -> dict[str, str]:
    sea = {
        f"sea{day}.md": f"---\ntitle: Walrus {day}\ndate: 2024-01-{day}\ntags: [Sea]\n---\n{SEA}\n"
        for day in range(10, 22)
    }
    soup = {
        f"soup{day}.md": f"---\ntitle: Soup {day}\ndate: 2025-01-{day}\n---\n{SOUP} {day}\n"
        for day in range(10, 20)
    }
    return {**sea, **soup}


def map_of(made: MakeBlog, posts: dict[str, str]) -> BlogMap:
    blog = made(posts)
    blog.ingest()
    return map_blog(blog.reader().corpora()[""])


def test_subjects_are_groups_of_posts_alike_named_by_tags_and_titles(blog: MakeBlog) -> None:
    found = map_of(blog, posts_of_two_subjects())
    assert [post.source[:3] for post in found.posts] == ["sea"] * 12 + ["sou"] * 10
    assert found.subjects == (0,) * 12 + (1,) * 10
    assert found.names == ("Sea · Walrus", "Soup")
    assert found.places.shape == (22, 2)
    assert found.missing == 0


def test_a_map_is_made_once_for_a_generation(blog: MakeBlog) -> None:
    made = blog(posts_of_two_subjects())
    corpus = made.reader().corpora()[""]
    assert map_blog(corpus) is map_blog(corpus)


def test_translations_stand_on_the_map_once_in_the_blogs_language(blog: MakeBlog) -> None:
    posts = {
        "a.md": "# Walrus\n\nThe walrus is on the ice and it rests there for the day.\n",
        "a.zh.md": "# 海象\n\n海象在冰上休息，一整天都在那裡。\n",
        "b.md": "# Soup\n\nThe soup is in the pot and it boils for an hour or two.\n",
    }
    assert [post.source for post in map_of(blog, posts).posts] == ["a.md", "b.md"]


def test_no_posts_make_no_subjects() -> None:
    assert name_subjects([], np.zeros(0, dtype=np.int64), []) == ()


@pytest.mark.parametrize(("posts", "count"), [(1, 1), (24, 2), (130, 5), (750, 10), (3500, 10)])
def test_larger_blogs_have_more_subjects(posts: int, count: int) -> None:
    assert count_subjects(posts) == count


def test_groups_are_numbered_by_size() -> None:
    rows = np.eye(3, dtype=np.float32)[[2, 0, 1, 1, 2, 1]]
    assert part(rows, 3).tolist() == [1, 2, 0, 0, 1, 0]
    assert part(rows[:0], 3).tolist() == []


def test_words_that_every_subject_has_name_none() -> None:
    posts = [Post("a", "Rust cargo"), Post("b", "Rust cargo"), Post("c", "Rust survey"),
             Post("d", "Rust survey")]  # fmt: skip
    assert name_subjects(posts, np.array([0, 0, 1, 1]), ["en"]) == ("cargo", "survey")


def test_chinese_titles_give_whole_words() -> None:
    posts = [Post("a", "向量索引入門"), Post("b", "再談向量索引"), Post("c", "洋蔥湯"),
             Post("d", "煮洋蔥湯")]  # fmt: skip
    assert name_subjects(posts, np.array([0, 0, 1, 1]), ["zh"]) == ("向量索引", "洋蔥湯")
