from __future__ import annotations

import pytest

from blog_search_mcp.ingest.markdown.links import outgoing_links

AT = "guides/moth.md"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ("see [it](kelp.md)", "guides/kelp.md"),
        ("see [it](./kelp/index.md#part)", "guides/kelp/index.md"),
        ("see [it](../kelp.md?x=1)", "kelp.md"),
        ("see [it](/posts/Kelp%20Forests/)", "posts/Kelp Forests"),
        ('see [it]({{< ref "kelp.md" >}})', "guides/kelp.md"),
        ("see [it]({{% relref '/kelp' %}})", "kelp"),
        ("see [it]({% post_url 2024-05-06-kelp %})", "guides/2024-05-06-kelp"),
        ("see [[it]]", "guides/it"),
        ("see [[kelp|it]]", "guides/kelp"),
        ("see [it][k]\n\n[K]: /kelp/", "kelp"),
        ("see [it](https://blog.example/kelp)", "kelp"),
        ("see [it](<https://blog.example/kelp> 'that')", "kelp"),
        ("see [it](\n../kelp.md)", "kelp.md"),
        ("see [it][k]\n\n[K]: https://blog.example/kelp", "kelp"),
        ("see [it](kelp.md) and [that](https://blog.example.org/kelp)", "guides/kelp.md"),
    ],
)
def test_links_inside_the_blog_are_seen_however_they_are_written(body: str, path: str) -> None:
    assert outgoing_links(body, AT, "https://blog.example") == (path,)


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
def test_nothing_else_is_a_link_inside_the_blog(body: str) -> None:
    assert outgoing_links(body, AT, "https://blog.example") == ()


def test_a_link_may_be_nothing_but_the_name_of_its_definition() -> None:
    assert outgoing_links("see [it]\n\n[IT]: <../kelp.md> 'title'", AT) == ("kelp.md",)


def test_a_row_full_of_brackets_is_not_parsed() -> None:
    assert outgoing_links(f"| a |\n|---|\n| [x](/kelp) {'[' * 3000} |\n", AT) == ()


def test_each_page_is_named_once_in_the_order_of_the_post() -> None:
    body = (
        "# [Newts](/newts)\n\nHard wrapped,\n**[kelp](/kelp)** and [newts](/newts).\n\n"
        "- [Zebra](/zebra)\n\n| name |\n|---|\n| [Walrus](/walrus) |\n"
    )
    assert outgoing_links(body, AT) == ("newts", "kelp", "zebra", "walrus")
