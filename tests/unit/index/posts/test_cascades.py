import pytest

from blog_search_mcp.index.posts.cascades import Cascade, cascades_of


def reaches(source: str, **target: str) -> bool:
    cascade = Cascade(fields={"draft": "true"}, target=target, prefix="content/", root="content/")
    return cascades_of([cascade], source) == (cascade,)


@pytest.mark.parametrize(
    ("path", "source", "expected"),
    [
        ("/posts/a", "posts/a.md", True),
        ("/posts/a", "posts/a/index.md", True),
        ("/posts/a", "posts/a/_index.md", True),
        ("/posts/a", "posts/a.de.md", True),
        ("/Posts/my-post", "posts/My Post.md", True),
        ("/posts", "posts/a.md", False),
        ("/posts/*", "posts/a.md", True),
        ("/posts/*", "posts/deep/a.md", False),
        ("/posts/**", "posts/deep/a.md", True),
        ("/posts/**", "posts.md", False),
        ("/posts/**", "posts2/a.md", False),
        ("**/a", "posts/deep/a.md", True),
        ("/posts/?", "posts/a.md", True),
        ("/posts/?", "posts/ab.md", False),
        ("/posts/[ab]", "posts/b.md", True),
        ("/posts/[!ab]", "posts/b.md", False),
        ("/posts/[a-c]x", "posts/bx.md", True),
        ("/{posts,notes}/*", "notes/a.md", True),
        ("/{posts,notes}/*", "essays/a.md", False),
        ("{/posts,/posts/**}", "posts/_index.md", True),
        ("{/posts,/posts/**}", "notes/a.md", False),
        ("/a,b", "a,b.md", True),
        (r"/a\*", "a*.md", True),
        (r"/a\*", "ab.md", False),
        ("/posts/(a", "posts/(a.md", True),
        ("/{po{sts,nds},notes}/*", "ponds/a.md", True),
        ("/*a*a*a*a*a*a*a*a*a*b", "a" * 200 + ".md", False),
    ],
)
def test_a_target_s_path_matches_as_hugo_s_does(path: str, source: str, expected: bool) -> None:
    assert reaches(source, path=path) is expected


@pytest.mark.parametrize("path", ["/posts/{a", "/posts/" + "?" * 1_000])
def test_a_target_that_cannot_be_read_or_takes_long_is_met(path: str) -> None:
    assert reaches("a.md", path=path)


@pytest.mark.parametrize(
    ("kind", "kinds"),
    [("page", [True, False, False]), ("{home,section}", [False, True, True])],
)
def test_a_target_s_kind_is_that_of_the_page(kind: str, kinds: list[bool]) -> None:
    assert [reaches(source, kind=kind) for source in ("a.md", "s/_index.md", "_index.md")] == kinds


def test_a_target_s_language_is_met_where_the_name_tells_none() -> None:
    assert [reaches(source, lang="{de,fr}") for source in ("a.de.md", "a.en.md", "a.md")] == [
        True,
        False,
        True,
    ]
