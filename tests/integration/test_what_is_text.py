"""What of a post is text: found by its words and handed on to a model, and what is not."""

import json
import re
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
        ("a.md", f"![it](data:image/png;base64,{'A' * 60}walrus) The otter is seen."),
        ("a.md", f"The otter is seen.\n\n```\n{BASE64}walrus{BASE64[:60]}\n```\n"),
        ("a.md", f"The otter is seen.\n\n```\n{BASE64}walrus/Zq1==\n```\n"),
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


TABLE = "| Part | Price in zloty |\n|---|---|\n" + "".join(
    f"| part-{n:03} of the machine | {n * 7} |\n" for n in range(160)
)
PARAGRAPHS = [f"Row **{n}** is [watered](https://a.example) by one gardener." for n in range(90)]
INDENTED = "\n\n".join(f"    {words}" for words in PARAGRAPHS)


@pytest.mark.parametrize(
    ("text", "query", "above"),
    [
        (f"Before.\n\n{TABLE}", "part-151", "Price in zloty"),
        ("- one\n\n" + "".join(f"  {row}\n" for row in TABLE.splitlines()), "part-151", "zloty"),
        ('=== "macOS"\n\n    !!! warning "Acid"\n' + INDENTED.replace("    ", " " * 8)
         + "\n\n        A *walrus* [is](b).", "walrus", "Acid"),
        (f'=== "macOS"\n\n{INDENTED}\n\n    A *walrus* [is](b).', "walrus", "macOS"),
        (f"1. In order:\n\n    ??? tip \"Ants\"\n\n{INDENTED.replace('    ', ' ' * 8)}"
         "\n\n        A *walrus* [is](b).", "walrus", "Ants"),
        ("> [!tip] Ants\n" + "".join(f"> {words}\n>\n" for words in PARAGRAPHS)
         + "> A *walrus* [is](b).", "walrus", "Ants"),
    ],
)  # fmt: skip
def test_a_later_passage_tells_what_stands_above_it(
    tmp_path: Path, text: str, query: str, above: str
) -> None:
    blog = made(tmp_path, {"a.md": text, "b.md": "Bread is baked in the morning."})
    hit = json.loads(blog.command("search", "--json", "--", query).out)["hits"][0]
    assert hit["chunk_index"] > 0
    assert not {"**", "](", "*walrus"} & set(re.findall(r"\*\*|\]\(|\*walrus", hit["preview"]))
    read = blog.tool("read_chunk", source="a.md", chunk_index=hit["chunk_index"]).text
    assert above in read
    assert query in read


@pytest.mark.parametrize(
    ("files", "title", "heading"),
    [
        ({"a walrus.md": "$$\nf(x)\n=\n0\n$$\n\nA walrus."}, "a walrus", None),
        ({"a walrus.md": "\\[\n- a\n=\n\\]\n\nA walrus."}, "a walrus", None),
        ({"a.md": "# One\n\n\\begin{align}\na\n-\nb\n\\end{align}\n\nA walrus."}, "One", None),
        ({"a.md": "# One\n\nSum:\n$$\na\n---\nb\n$$ {#eq-one}\n\nA walrus."}, "One", None),
        ({"a.md": "---\ntitle: A <b>b</b> &amp; **[[D|d]]**\n---\nA walrus."}, "A b & d", None),
        ({"a.md": "---\ntitle: Vec<T> and __init__\n---\nA walrus."}, "Vec<T> and __init__", None),
        ({"hugo.toml": "baseURL = 'https://h.example/'",
          "content/a.md": "## The {{ walrus }} is\n\nText."}, "a", "The {{ walrus }} is"),
    ],
)  # fmt: skip
def test_titles_and_headings_are_words_a_reader_sees(
    tmp_path: Path, files: dict[str, str], title: str, heading: str | None
) -> None:
    blog = made(tmp_path, files)
    [hit] = json.loads(blog.command("search", "--json", "--", "walrus").out)["hits"]
    assert (hit["title"], hit["heading"]) == (title, heading)


@pytest.mark.parametrize(
    ("files", "query"),
    [
        ({"a.md": "<p>Get<wbr>User<b>Pro</b>file of <i>w</i>alrus</p>"}, "GetUserProfile walrus"),
        ({"a.md": "A wal\u00adrus and an ot&shy;ter, long\u200bname"}, "walrus otter longname"),
        ({"a.mdx": "<Faq ask='Where is the walrus?' id='a b' />"}, "where is the walrus"),
        ({"a.md": '{{< note "Mind the walrus" x="the otter" >}}'}, "mind the walrus otter"),
        ({"a.md": "<my-faq question='Where is the walrus?'></my-faq>"}, "where is the walrus"),
        ({"mkdocs.yml": "site_name: M", "docs/a.md": "Write {{ walrus_sum }}."}, "walrus_sum"),
        ({"_quarto.yml": "project: {}", "a.qmd": "A {{ walrus_sum }}."}, "walrus_sum"),
        ({"a.md": "Use ${{ secrets.walrus_sum }}."}, "walrus_sum"),
    ],
)
def test_words_are_found_through_markup(tmp_path: Path, files: dict[str, str], query: str) -> None:
    blog = made(tmp_path, {**files, "docs/b.md": "Bread is baked.", "c.md": "Oats are rolled."})
    post = next(name for name in files if name.endswith(("a.md", "a.mdx", "a.qmd")))
    assert blog.sources(query)[:1] == [post]


def test_braces_are_no_words_where_a_template_runs(tmp_path: Path) -> None:
    site = {"_config.yml": "title: T", "_posts/2024-01-02-a.md": "An otter. {{ walrus_sum }}"}
    blog = made(tmp_path, site)
    assert blog.sources("walrus_sum") == []


@pytest.mark.parametrize(
    ("site", "host", "text", "part"),
    [
        ("x", "a.mdx", "import Part from './_part.mdx';\n\nFirst.\n\n<Part />\n", "_part.mdx"),
        ("x", "a.qmd", "First.\n\n{{< include _part.qmd >}}\n", "_part.qmd"),
        ("_config.yml", "a.md", "First.\n\n{% include_relative b/_p.md %}\n", "b/_p.md"),
        ("mkdocs.yml", "docs/a.md", 'First.\n\n--8<-- "docs/b/../_p.md"\n', "docs/_p.md"),
        (".vitepress/x", "a.md", "First.\n\n<!-- @include: ./_part.md -->\n", "_part.md"),
        (".vitepress/x", "b/a.md", "First.\n\n<!-- @include: @/_part.md{2,} -->\n", "_part.md"),
        ("book.toml", "src/a.md", "First.\n\n{{#include _p.md:1:9}}\n", "src/_p.md"),
        (".eleventy.js", "a.md", 'First.\n\n{% include "p.md" %}\n', "_includes/p.md"),
        ("docusaurus.config.js", "a.md", "import P from '@site/_p.md';\n\n<P />\n", "_p.md"),
        ("myst.yml", "a.md", "First.\n\n```{include} _p.md\n:start-line: 0\n```\n", "_p.md"),
        ("hugo.toml", "content/a.md", '{{% readfile file="_p.md" %}}', "content/_p.md"),
    ],
)
def test_an_included_part_is_text_of_the_post_as_it_is_now(
    tmp_path: Path, site: str, host: str, text: str, part: str
) -> None:
    posts = {site: "baseURL = '/'" if site == "hugo.toml" else "title: t", host: text}
    blog = made(tmp_path, posts | {part: "The *walrus* dives.", "docs/b.md": "Bread is baked."})
    assert blog.sources("walrus dives")[0] == host
    blog.write({part: "The otter swims."})
    assert blog.ingest().status == 0
    assert blog.sources("otter swims")[0] == host
    (blog.content / part).unlink()
    blog.ingest()
    blog.write({part: "A seal naps."})
    assert blog.ingest().status == 0
    assert blog.sources("seal naps")[0] == host


@pytest.mark.parametrize(("name", "part"), [("x" * 300 + ".md", ""), ("b.md", "\0\1" * 99)])
def test_a_part_that_cannot_be_read_costs_no_post(tmp_path: Path, name: str, part: str) -> None:
    posts = {"_config.yml": "title: t", "a.md": f"An otter swims.\n\n{{% include {name} %}}\n"}
    blog = made(tmp_path, posts | ({name: part} if part else {}))
    assert "otter" in blog.tool("read_chunk", source="a.md", chunk_index=0).text


@pytest.mark.parametrize(
    ("settings", "tags"),
    [
        ({}, ["sea"]),
        ({".obsidian/app.json": "{}"}, ["sea"]),
        ({"hugo.toml": 'baseURL = "https://x.example/"\n', ".obsidian/app.json": "{}"}, ["sea"]),
        ({"hugo.toml": 'baseURL = "https://x.example/"\n'}, []),
        ({"mkdocs.yml": "site_name: x\ndocs_dir: .\n"}, []),
    ],
)
def test_a_hashtag_is_a_tag_of_a_note_and_no_tag_of_a_page(
    tmp_path: Path, settings: dict[str, str], tags: list[str]
) -> None:
    text = "# Boats\n\nWrite #sea below a post, and `#include` in C.\n"
    folder = "content/" if "hugo.toml" in settings else ""
    blog = made(tmp_path, {**settings, f"{folder}a.md": text})
    [post] = blog.tool("list_posts").facts["posts"]
    assert post.get("tags", []) == tags
