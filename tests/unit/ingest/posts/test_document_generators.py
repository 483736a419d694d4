"""Posts as each generator and editor has them: what the index holds and what a reader sees."""

from textwrap import dedent

from blog_search_mcp.index.types import Post
from blog_search_mcp.ingest.posts.document import Document, read_document
from blog_search_mcp.ingest.posts.markdown.inline import strip_markup


def parsed(source: str, text: str, *, splits_tags: bool = False) -> Document:
    return read_document(dedent(text).encode(), source, splits_tags=splits_tags)


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
        splits_tags=True,
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
        ---
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
    assert (post.first_line, post.problems) == (9, ())
    assert strip_markup(post.body.text) == (
        '開頭\n請先備份。\nKnuth, TAOCP\nBeware of bugs.\nhexo.extend("*");\n見 另一篇。'
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

        <Highlight color="#25c2a0" style={{ padding: '2px' }}>Green</Highlight> is{' '}fine.
        """,
    )
    assert post.post == Post(
        source="blog/2021-08-26-welcome/index.mdx",
        authors=("slorber",),
        title="Welcome",
        date="2021-08-26",
        tags=("Release notes", "docs"),
        slug="welcome",
    )
    assert strip_markup(post.body.text) == (
        "Welcome\nMind this\nUse {props.x}.\nOld form\nGone soon.\n"
        "macOS\nbrew install <Name>\nGreen is fine."
    )


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
