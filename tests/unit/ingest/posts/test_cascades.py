"""Which posts a section's fields reach: in doubt all of them, since a draft must not get out."""

import pytest

from blog_search_mcp.ingest.posts.cascades import Cascade, find_cascades


def reaches(source: str, **target: str) -> bool:
    cascade = Cascade(fields={"draft": "true"}, target=target, prefix="content/", root="content/")
    return find_cascades([cascade], source) == (cascade,)


@pytest.mark.parametrize(
    ("target", "reached", "spared"),
    [
        ({"path": "/posts/a"}, ["posts/a.md", "posts/a/index.md", "posts/a.de.md"], ["posts/b.md"]),
        ({"path": "/Posts/my-post"}, ["posts/My Post.md"], ["posts/other.md"]),
        ({"path": "/posts"}, ["posts/_index.md"], ["posts/a.md", "posts2/a.md"]),
        ({"path": "/posts/**"}, ["posts/deep/a.md", "posts/a.md"], ["notes/a.md"]),
        ({"path": "**/a"}, ["posts/deep/a.md"], ["posts/b.md"]),
        ({"path": "/posts/[ab]"}, ["posts/b.md"], ["posts/c.md"]),
        ({"path": "/{posts,notes}/*"}, ["notes/a.md"], ["essays/a.md"]),
        ({"path": "{/posts,/posts/**}"}, ["posts/_index.md", "posts/a.md"], ["notes/a.md"]),
        ({"path": "/posts/*"}, ["posts/a.md"], ["posts/deep/a.md"]),
        ({"path": "/**"}, ["_index.md", "a.md"], []),
        ({"path": "/"}, ["_index.md"], ["a.md"]),
        ({"path": "/posts/{a"}, ["a.md"], []),
        ({"path": "/posts/" + "{a,b}" * 40}, ["a.md"], []),
        ({"path": "/*a*a*a*a*a*a*a*a*a*b"}, [], ["a" * 200 + ".md"]),
        ({"kind": "page"}, ["a.md"], ["s/_index.md", "_index.md"]),
        ({"kind": "{home,section}"}, ["s/_index.md", "_index.md"], ["a.md"]),
        ({"environment": "production"}, ["a.md"], []),
        ({"environment": "staging"}, [], ["a.md"]),
    ],
)
def test_a_target_of_hugo_names_pages(
    target: dict[str, str], reached: list[str], spared: list[str]
) -> None:
    assert [source for source in (*reached, *spared) if reaches(source, **target)] == reached
