"""What of a post is text: found by its words and handed on to a model, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.front import made

LONG = "\n\n".join(
    f"A gardener waters row {row} of the beans before the sun is up." for row in range(90)
)
"""More than a passage."""
SECTION = "## Prices\n\nThe walrus costs nine."
BASE64 = "N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYB\n" * 40


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("a.md", f"<!-- {LONG}\n\n{SECTION} -->\n\nThe otter is seen."),
        ("a.md", f"Here it is <!-- {LONG}\n\n{SECTION} --> and on. The otter is seen."),
        ("a.md", f"The otter is seen.\n\n<!--\n{LONG}\n\n{SECTION}"),
        ("a.md", f"%%\n{LONG}\n\n{SECTION}\n%%\n\nThe otter is seen."),
        ("a.md", f"- one %% not for all\n\n{SECTION} %%\n- The otter is seen."),
        ("a.md", f"The otter is seen.\n\n%%\n\n{LONG}\n\n{SECTION}"),
        (
            "a.mdx",
            f"The otter is seen.\n\n<Tabs>\n\n    {{/* {LONG}\n\n    {SECTION} */}}\n\n</Tabs>",
        ),
        ("a.mdx", f"export const notes = `\n{LONG}\n\n{SECTION}\n`;\n\nThe otter is seen."),
        ("a.md", f"{{% comment %}}{LONG}\n\n{SECTION}{{% endcomment %}}\n\nThe otter is seen."),
        ("a.md", "The otter {% # says the walrus %} is seen."),
        ("a.md", f"{{# {LONG}\n\n{SECTION} #}}\n\nThe otter is seen."),
        ("a.md", f"{{::comment}}\n{LONG}\n\n{SECTION}\n{{:/comment}}\n\nThe otter is seen."),
        ("a.md", "[//]: # (The walrus costs nine.)\n\nThe otter is seen."),
        ("a.md", f"<script>\n{LONG}\n\n{SECTION}\n</script>\n\nThe otter is seen."),
        ("a.md", f"The otter is seen.\n\n```compressed-json\nwalrus\n{BASE64}```\n"),
        ("a.md", f"The otter is seen.\n\n```\n{BASE64}walrus{BASE64[:60]}\n```\n"),
        ("a.md", 'The otter is seen.\n\n```json\n{"type": "excalidraw", "a": "walrus"}\n```\n'),
    ],
)
def test_what_no_reader_sees_is_neither_found_nor_read(
    tmp_path: Path, source: str, text: str
) -> None:
    blog = made(tmp_path, {source: text, "b.md": "Bread is baked in the morning."})
    read = blog.tool("read_chunk", source=source, whole=True).text
    assert blog.sources("otter") == [source]
    assert "otter is seen" in " ".join(read.split())
    assert source not in blog.sources("walrus")
    assert "walrus" not in read
    assert "Prices" not in read


@pytest.mark.parametrize(
    "text",
    [
        "Write `<!-- walrus -->` or `%% walrus %%` to hide.",
        "```html\n<!-- the walrus -->\n<script>walrus()</script>\n```",
        "Erlang has two signs:\n\n    %% walrus\n    f() -> ok. %% end",
        "It is 100%% sure: a walrus, 20%% of all.",
        "The walrus {#walrus .big} is unclosed: {# and {/* and %% too.",
    ],
)
def test_code_and_loose_marks_are_no_comment(tmp_path: Path, text: str) -> None:
    blog = made(tmp_path, {"a.md": text, "b.md": "Bread is baked in the morning."})
    assert blog.sources("walrus") == ["a.md"]


def test_a_drawing_is_titled_by_its_file(tmp_path: Path) -> None:
    drawing = f"---\nexcalidraw-plugin: parsed\n---\n# Excalidraw Data\n\n## Text Elements\nOven ^a1b2c3d4\n\n%%\n## Drawing\n```compressed-json\n{BASE64}```\n%%\n"  # noqa: E501
    blog = made(tmp_path, {"Bakery plan.md": drawing})
    assert blog.posts()["Bakery plan.md"]["title"] == "Bakery plan"
    assert blog.sources("oven") == ["Bakery plan.md"]
