from __future__ import annotations

import pytest

from blog_search_mcp.index.types import Mention
from blog_search_mcp.ingest.chunking.chunker import chunks
from blog_search_mcp.ingest.markdown.links import mentions

AT = "guides/moth.md"


def said(body: str, base_url: str = "") -> list[tuple[str, str, bool]]:
    found = mentions(body, chunks(AT, body, 1, "Moth"), base_url)
    return [(mention.address, mention.text, mention.is_pointer) for mention in found]


@pytest.mark.parametrize(
    ("body", "address"),
    [
        ("see [it](kelp.md)", "guides/kelp"),
        ("see [it](./kelp/index.md#part)", "guides/kelp"),
        ("see [it](../kelp.md?x=1)", "kelp"),
        ("see [it](/posts/Kelp%20Forests/)", "posts/kelp-forests"),
        ('see [it]({{< ref "kelp.md" >}})', "guides/kelp"),
        ("see [it]({{% relref '/kelp' %}})", "kelp"),
        ("see [it]({% post_url 2024-05-06-kelp %})", "guides/2024-05-06-kelp"),
        ("see [[it]]", "guides/it"),
        ("see [[kelp|it]]", "guides/kelp"),
        ("see [it][k]\n\n[K]: /kelp/", "kelp"),
        ("see [it](https://blog.example/kelp)", "kelp"),
        ("see [it](<https://blog.example/kelp> 'that')", "kelp"),
        ("see [it](\n../kelp.md)", "kelp"),
        ("see [it][k]\n\n[K]: https://blog.example/kelp", "kelp"),
        ("see [it](kelp.md) and [that](https://blog.example.org/kelp)", "guides/kelp"),
    ],
)
def test_links_inside_the_blog_are_seen_however_they_are_written(body: str, address: str) -> None:
    found = said(body, "https://blog.example")
    assert [(at, is_pointer) for at, _, is_pointer in found] == [(address, False)]
    assert found[0][1].startswith("see it")


@pytest.mark.parametrize(
    "body",
    [
        "see [it](https://elsewhere.example/kelp)",
        "see [it](https://blog.example.org/kelp)",
        "see [it](//elsewhere.example/kelp)",
        "see [it](mailto:kelp@example.org)",
        "see [it](#part)",
        "see [it](kelp.pdf)",
        "see ![it](kelp.md)",
        "see `[it](kelp.md)`",
        "```\n[it](kelp.md)\n```",
        "see [it][gone]",
        "see it",
        "",
    ],
)
def test_nothing_else_is_a_mention(body: str) -> None:
    assert said(body) == []


def test_a_link_may_be_nothing_but_the_name_of_its_definition() -> None:
    assert said("see [it]\n\n[IT]: <../kelp.md> 'title'") == [("kelp", "see [it]", False)]


def test_what_is_said_is_the_paragraph_the_item_or_the_row() -> None:
    body = (
        "# Moth\n\nHard wrapped,\n**[kelp](/kelp)** and\n[newts](/newts) too.\n\n"
        "- [Kelp](/kelp): a weed\n- A [newt](/newts)\n  - *[Zebra](/zebra)*\n\n"
        "| name | what |\n|---|---|\n| [Walrus](/walrus) | has tusks |\n| tusks | [of](/walrus) |\n"
    )
    assert said(body) == [
        ("kelp", "Hard wrapped, kelp and newts too.", False),
        ("newts", "Hard wrapped, kelp and newts too.", False),
        ("kelp", "Kelp: a weed", True),
        ("newts", "A newt", False),
        ("zebra", "Zebra", True),
        ("walrus", "Walrus has tusks", True),
        ("walrus", "tusks of", False),
    ]


def test_a_heading_that_is_a_link_stands_over_what_it_says() -> None:
    body = "## [Kelp](/kelp/)\n\nA weed.\n\nMore.\n\n## [Newts](/newts/): a heading\n\nOurs.\n"
    assert said(body) == [
        ("kelp", "Kelp\nA weed.", True),
        ("newts", "Newts: a heading", False),
    ]


def test_a_mention_names_the_chunk_it_stands_in() -> None:
    long = "and so on " * 400
    body = f"## One\n\n{long}\n\n## Two\n\n[kelp](/kelp)\n\n{long}\n"
    passages = chunks(AT, body, 1, "Moth")
    (mention,) = mentions(body, passages)
    assert mention == Mention(mention.chunk, "kelp", "kelp", is_pointer=False)
    assert "[kelp]" in passages[mention.chunk].text


def test_rows_of_a_table_that_was_cut_are_rows_still() -> None:
    rows = "".join(f"| [Post {n}](/post-{n}/) | {'words ' * 20}|\n" for n in range(100))
    body = f"| post | about |\n|---|---|\n{rows}"
    found = said(body)
    assert len(chunks(AT, body, 1, "Moth")) > 1
    assert [address for address, _, _ in found] == [f"post-{n}" for n in range(100)]
    assert all(text.startswith("Post") and is_pointer for _, text, is_pointer in found)


def test_a_row_full_of_brackets_is_not_parsed() -> None:
    assert said(f"| a |\n|---|\n| [x](/kelp) {'[' * 3000} |\n") == []
