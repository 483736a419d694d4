"""Names of collections."""

from __future__ import annotations

from blog_search_mcp.index.milvus.schema import NAME, Names


def test_a_generation_is_told_by_the_names_of_its_collections() -> None:
    names = Names("my_blog")
    made = [names.posts(7), names.chunks(7), names.vectors(7)]
    assert made == [f"my_blog_g000007_{what}" for what in ("posts", "chunks", "vectors")]
    assert [names.generation_of(each) for each in made] == [7, 7, 7]
    others = [names.embeddings(384), names.state, "my_blog", "blog_g000007_posts"]
    assert [names.generation_of(each) for each in others] == [None] * 4
    assert Names("my").generation_of("my_blog_g000007_posts") is None


def test_a_name_is_what_milvus_takes() -> None:
    assert all(NAME.fullmatch(name) for name in ("blog", "_B2", "a" * 201))
    assert not any(NAME.fullmatch(name) for name in ("", "2b", "a-b", "a b", "字", "a" * 202))
