"""Series: the posts that their front matter names as parts of one; titles and numbers make none."""

import pytest

from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.relations.series import find_series

RAFT = [
    Post("x.md", "Second", "2024-03-01", series="Go by hand", part=2),
    Post("y.md", "First", "2024-05-01", series="go by Hand", part=1),
    Post("z.md", "Alone", series="Another"),
]
DATED = [Post(f"{name}.md", name, f"2024-0{9 - n}-01", series="Go") for n, name in enumerate("abc")]


@pytest.mark.parametrize(
    ("posts", "series"),
    [
        (RAFT, [("go by Hand", ["1 y.md", "2 x.md"])]),
        (DATED, [("Go", ["1 c.md", "2 b.md", "3 a.md"])]),
        (
            [
                Post(f"{code}/{n}.md", f"{n}", series="Go", part=n, language=code)
                for code in ("de", "en")
                for n in (1, 2)
            ],
            [("Go", ["1 de/1.md", "2 de/2.md"]), ("Go", ["1 en/1.md", "2 en/2.md"])],
        ),
        (
            [Post(f"{n}.md", "Go", series="Go", part=1) for n in "ab"],
            [("Go", ["1 a.md", "2 b.md"])],
        ),
        ([Post(f"{n}.md", f"Raft, part {n}") for n in (1, 2)], []),
    ],
)
def test_the_front_matter_names_a_series_and_its_order(
    posts: list[Post], series: list[tuple[str, list[str]]]
) -> None:
    assert [
        (each.name, [f"{part.part} {part.source}" for part in each.parts])
        for each in find_series(dict(enumerate(posts, 1)))
    ] == series
