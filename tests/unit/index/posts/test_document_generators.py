"""Posts as each generator and editor has them: what the index holds and what a reader sees."""

import datetime as dt
from textwrap import dedent

import pytest

from blog_search_mcp.index.posts.document import Document, read_document
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.types import Chunk, Filters, Post
from tests.support.blog import MakeBlog

TODAY = dt.date(2026, 1, 15)


def parsed(source: str, text: str) -> Document:
    return read_document(dedent(text).encode(), source)


FENCE = """\
The loop of a tokenizer:

```python
def walrus(text):  # {{ kept }} **as it is**
    return [[text]]
```"""

TABLE = """\
| Model | **Walrus** size |
|---|---|
| [small](/s) | 23 `MB` |
| large\\|wide | {{< size >}} 140 |"""

SHORTCODE = """\
{{< figure
  src="walrus.png"
  caption="A *walrus* asleep"
>}}
{{% notice tip "Read this first" %}}
Walruses [sleep]({{< relref "sleep.md" >}}) a lot.
{{% /notice %}}"""

MDX_IMPORT = """\
import {
  Tabs,
} from "@theme/Tabs";
export const meta = {
  layout: "wide",
};

<Tabs onChange={() => go({ a: 1 })}>
  <TabItem value="w" label="Walrus">
    Pull the **model** first.{/* unseen */}
  </TabItem>
</Tabs>"""

WIKI_LINK = """\
> [!note] On ice
> A walrus is in [[Animals/Sea#Mammals]] and [[Tusks|its tusks]]. ^w1a2b3

![[walrus.png|300]] #sea/mammals %%not to be shown%%"""


@pytest.mark.parametrize(
    ("source", "text", "held"),
    [
        (
            "fence.md",
            FENCE,
            "The loop of a tokenizer:\n"
            "def walrus(text):  # {{ kept }} **as it is**\n    return [[text]]",
        ),
        ("table.md", TABLE, "Model Walrus size\nsmall 23 MB\nlarge|wide 140"),
        ("shortcode.md", SHORTCODE, "A walrus asleep\nRead this first\nWalruses sleep a lot."),
        ("import.mdx", MDX_IMPORT, "Walrus\nPull the model first."),
        (
            "wiki.md",
            WIKI_LINK,
            "On ice\nA walrus is in Animals/Sea Mammals and its tusks.\n#sea/mammals",
        ),
    ],
)
def test_what_is_found_by_its_words_is_read_as_its_author_wrote_it(
    blog: MakeBlog, source: str, text: str, held: str
) -> None:
    posts = {source: f"---\ntitle: T\n---\n\n{text}\n", "other.md": "Nothing of that kind.\n"}
    reader = blog(posts).reader()
    hit = reader.search("walrus", Filters(), limit=1, offset=0).hits[0]
    chunk = Chunk(
        source=source,
        index=0,
        text=text,
        plain=held,
        headings=(),
        first_line=5,
        last_line=5 + text.count("\n"),
    )
    assert hit.chunk == chunk
    assert hit.preview == " ".join(held.split())
    assert reader.read(source, 0, 0).chunks == (chunk,)


def test_hashtags_are_tags_to_filter_by(blog: MakeBlog) -> None:
    reader = blog({"a.md": "On ice #sea/mammals\n", "b.md": "On ice\n"}).reader()
    hits = reader.search("ice", Filters(tag="Sea/Mammals"), limit=5, offset=0).hits
    assert [hit.post.source for hit in hits] == ["a.md"]


def test_a_hugo_post() -> None:
    post = parsed(
        "posts/kv-cache/index.zh-tw.md",
        """\
        +++
        title = "KV cache 是什麼"
        date = 2025-03-04T10:00:00+08:00
        publishDate = 2025-03-05
        tags = ["LLM", "cache"]
        categories = ["系統"]
        description = "記住算過的。"
        slug = "kv"
        +++

        每個 token 只算一次。<!--more-->

        ## 為什麼快 {#why .big}

        {{% details title="展開" open=false %}}
        見[上一篇]({{< ref "attention.md" >}})。
        {{% /details %}}
        {{< youtube dQw4w9WgXcQ >}}

        寫作 {{</* ref "x.md" */>}}。

        {{< highlight go "linenos=table" >}}
        cache := map[int]string{}  // **no** markup
        {{< /highlight >}}
        """,
    )
    assert post.post == Post(
        source="posts/kv-cache/index.zh-tw.md",
        title="KV cache 是什麼",
        date="2025-03-04",
        tags=("LLM", "cache", "系統"),
        description="記住算過的。",
        slug="kv",
        language="zh-tw",
    )
    assert strip_markup(post.body.text) == (
        "每個 token 只算一次。\n為什麼快\n展開\n見上一篇。\n"
        '寫作 {{< ref "x.md" >}}。\n'
        "cache := map[int]string{}  // **no** markup"
    )


def test_a_jekyll_post() -> None:
    post = parsed(
        "_posts/2024-05-06-liquid-and-kramdown.markdown",
        """\
        ---
        layout: post
        tags: ruby web
        category: Notes
        excerpt: Two dialects.
        ---
        * TOC
        {:toc}

        # Liquid & *kramdown* {#both}

        {% include toc.html %}{% comment %} hidden

        still hidden {% endcomment %}
        A link to [it]({% post_url 2024-01-01-first %}){:target="_blank"}.
        {: .note }

        {% if page.math %}Sums{% endif %} are {{ site.title | upcase }} shown.

        {% raw %}
        Write `{{ x }}` or {{ y }}.
        {% endraw %}

        {% highlight ruby linenos %}
        # no heading
        puts "{{ x }}"
        {% endhighlight %}
        """,
    )
    assert post.post == Post(
        source="_posts/2024-05-06-liquid-and-kramdown.markdown",
        title="Liquid & kramdown",
        date="2024-05-06",
        tags=("ruby", "web", "Notes"),
        description="Two dialects.",
    )
    assert strip_markup(post.body.text) == (
        "Liquid & kramdown\nA link to it.\nSums are shown.\n"
        'Write {{ x }} or {{ y }}.\n# no heading\nputs "{{ x }}"'
    )


def test_a_hexo_post() -> None:
    post = parsed(
        "source/_posts/hello-hexo.md",
        """\
        title: Hello Hexo
        date: 2023-01-02 03:04:05
        categories:
        - [Web, Static]
        tags: [hexo, 部落格]
        lang: zh-TW
        ---
        開頭
        <!-- more -->
        {% note info %}
        請**先**備份。
        {% endnote %}

        {% blockquote Knuth, TAOCP https://example.org %}
        Beware of bugs.
        {% endblockquote %}

        {% codeblock lang:js app.js %}
        hexo.extend("*");
        {% endcodeblock %}

        見 {% post_link other-post '另一篇' %}。
        """,
    )
    assert post.post == Post(
        source="source/_posts/hello-hexo.md",
        title="Hello Hexo",
        date="2023-01-02",
        tags=("hexo", "部落格", "Web", "Static"),
        language="zh-tw",
    )
    assert (post.first_line, post.problems) == (8, ())
    assert strip_markup(post.body.text) == (
        '開頭\n請先備份。\nKnuth, TAOCP\nBeware of bugs.\nhexo.extend("*");\n見 另一篇。'
    )


def test_a_zola_post() -> None:
    post = parsed(
        "blog/2022-02-03_shortcodes/index.fr.md",
        """\
        +++
        title = "Les codes"
        [taxonomies]
        tags = ["zola", "rust"]
        categories = ["web"]
        [extra]
        toc = true
        +++
        {{ youtube(id="dQw4", autoplay=true) }}

        Voir [la page](@/blog/other.md#part).

        {{ image(src="a.png", alt="Un graphe") }}

        {% quote(author="Vincent") %}
        Une **phrase**.
        {% end %}

        On écrit {{/* youtube(id="x") */}}.
        """,
    )
    assert post.post == Post(
        source="blog/2022-02-03_shortcodes/index.fr.md",
        title="Les codes",
        date="2022-02-03",
        tags=("zola", "rust", "web"),
        language="fr",
    )
    assert strip_markup(post.body.text) == (
        'Voir la page.\nUn graphe\nUne phrase.\nOn écrit {{ youtube(id="x") }}.'
    )


def test_a_docusaurus_post() -> None:
    post = parsed(
        "blog/2021-08-26-welcome/index.mdx",
        """\
        ---
        slug: welcome
        authors: [slorber]
        tags:
          - label: Release notes
            permalink: /release
          - docs
        ---
        import Tabs from '@theme/Tabs';
        import TabItem from '@theme/TabItem';

        # Welcome {#top}

        {/* truncate */}

        :::tip[Mind *this*]

        Use `{props.x}`.

        :::

        :::warning Old form
        Gone soon.
        :::

        <Tabs groupId="os" values={[
          { label: 'macOS', value: 'mac' },
        ]}>
          <TabItem value="mac" label="macOS">

            ```bash
            brew install <Name>
            ```

          </TabItem>
        </Tabs>

        <Highlight color="#25c2a0" style={{ padding: '2px' }}>Green</Highlight> is {props.what}fine.
        """,
    )
    assert post.post == Post(
        source="blog/2021-08-26-welcome/index.mdx",
        title="Welcome",
        date="2021-08-26",
        tags=("Release notes", "docs"),
        slug="welcome",
    )
    assert strip_markup(post.body.text) == (
        "Welcome\nMind this\nUse {props.x}.\nOld form\nGone soon.\n"
        "macOS\nbrew install <Name>\nGreen is fine."
    )


def test_an_astro_post() -> None:
    post = parsed(
        "src/content/blog/ja/islands.mdx",
        """\
        ---
        title: 'Islands'
        pubDate: 'Jul 08 2022'
        heroImage: '../../assets/hero.jpg'
        tags: ["astro"]
        ---
        import { Image } from 'astro:assets';
        import hero from '../hero.png';
        export const prerender = true;

        <Image
          src={hero}
          alt="An island from above"
        />

        <Aside type="tip">
        Less **script**.
        </Aside>

        {frontmatter.tags.map((tag) => (
          <li>{tag}</li>
        ))}

        The end{' '}of it.
        """,
    )
    assert post.post == Post(
        source="src/content/blog/ja/islands.mdx",
        title="Islands",
        date="2022-07-08",
        tags=("astro",),
        language="ja",
    )
    assert strip_markup(post.body.text) == "An island from above\nLess script.\nThe end of it."


def test_an_eleventy_post() -> None:
    post = parsed(
        "posts/fourthpost.md",
        """\
        ---json
        {"title": "Fourth", "date": "2018-09-30", "tags": ["second tag", "posts"]}
        ---
        {% set items = ["some", "words here"] %}{# a
        comment #}
        {% for item in items %}{{ item }}{% endfor %}
        {% image "./possum.png", "A possum" %}

        Read [more]({{ "/about/" | url }}).
        """,
    )
    assert post.post == Post(
        source="posts/fourthpost.md",
        title="Fourth",
        date="2018-09-30",
        tags=("second tag", "posts"),
    )
    assert strip_markup(post.body.text) == "Read more."


def test_a_mkdocs_post() -> None:
    post = parsed(
        "docs/blog/posts/search.md",
        """\
        ---
        date:
          created: 2023-12-31
        categories: [Search]
        ---

        # Better search { #better .x }

        !!! note "Heads up"
            Text in **it**.

            ```py
            !!! kept
            ```

        ??? tip
            Folded.

        === "Linux"

            Use apt.

        Back[^1]. ![Logo](l.png){ width="30" }

        [^1]: A footnote.
        """,
    )
    assert post.post == Post(
        source="docs/blog/posts/search.md",
        title="Better search",
        date="2023-12-31",
        tags=("Search",),
    )
    assert strip_markup(post.body.text) == (
        "Better search\nHeads up\nText in it.\n!!! kept\nFolded.\nLinux\nUse apt.\n"
        "Back. Logo\nA footnote."
    )


def test_an_obsidian_note() -> None:
    post = parsed(
        "Notes/20240607 Vector search.md",
        """\
        ---
        tags:
          - "#ann"
          - Search
        aliases: [ANN]
        publish: true
        ---
        #search #project/alpha and `#code` in #2024, see [[HNSW]] or [[IVF#Lists|lists]].

        > [!warning]- Mind the ==recall==
        > It **drops**.

        ![[chart.png]] ![[Recall]]

        %%
        a private line

        and another
        %%

        Last words. ^last-words
        """,
    )
    assert post.post == Post(
        source="Notes/20240607 Vector search.md",
        title="Vector search",
        date="2024-06-07",
        tags=("ann", "Search", "project/alpha"),
        aliases=("ANN",),
    )
    assert strip_markup(post.body.text) == (
        "#search #project/alpha and #code in #2024, see HNSW or lists.\n"
        "Mind the recall\nIt drops.\nRecall\nLast words."
    )


@pytest.mark.parametrize(
    ("source", "front"),
    [
        ("_posts/2024-01-01-a.md", "published: false"),
        ("blog/_drafts/a.md", "title: T"),
        ("a.md", "draft: true"),
        ("a.md", "publish: false"),
        ("a.md", "unlisted: true"),
        ("a.md", "eleventyExcludeFromCollections: true"),
        ("a.md", "permalink: false"),
        ("a.md", "build:\n  list: never"),
        ("a.md", "title: Rust: the good parts\ndraft: true"),
        ("a.md", "title = 'T'\ndraft = true"),
    ],
)
def test_what_a_generator_keeps_back_is_not_in_the_index(
    blog: MakeBlog, source: str, front: str
) -> None:
    made = blog({source: f"---\n{front}\n---\nsecret walrus\n", "b.md": "public\n"})
    assert list(made.manifest.posts) == ["b.md"]
    assert {skip.reason for skip in made.ingest().skipped} <= {"draft", "hidden"}
