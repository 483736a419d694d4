"""Links suggested for a draft, and for the posts that should link to it."""

import numpy as np
import pytest

from blog_search_mcp.server.author.corpus import Corpus
from blog_search_mcp.server.author.draft import draft_of_post, embed_passages, read_draft
from blog_search_mcp.server.author.link_suggestions import suggest_backlinks, suggest_links
from blog_search_mcp.server.author.tools import propose_links
from tests.support.blog import MakeBlog
from tests.support.front import Blog, made

POSTS = {
    "cache.md": "---\ntitle: Sizing a walrus cache\ndate: 2024-01-01\n---\n"
    "The walrus cache keeps keys.\n\n## Evicting keys slowly\n\nOld keys go first.\n",
    "soup.md": "---\ntitle: Onion soup\n---\nBoil the onion.\n",
    "soup.de.md": "---\ntitle: Zwiebelsuppe\n---\nDie Zwiebel und das Wasser kochen.\n",
    "bread.md": "---\ntitle: Bread\n---\nEat bread with onion soup, or with butter.\n",
    "butter.md": "---\ntitle: Churning butter\n---\nButter is churned.\n",
}
UNKNOWN = np.zeros((1, 1), dtype=np.float32)


@pytest.fixture
def corpus(kept_blog: MakeBlog) -> Corpus:
    return Corpus(kept_blog(POSTS).reader().snapshot)


def href_of(blog: MakeBlog, links: str, base_url: str = "", permalink: str = "") -> str:
    ingested = blog(
        {**POSTS, "x/a b.md": f"# A\n\n{links}\n", "x/b.md": "# Churned ledger\n\nBee.\n"}
    )
    ingested.ingest(base_url=base_url, permalink=permalink)
    draft = read_draft(b"# Draft\n\nSee a churned ledger.\n", "go/d.md")
    [link] = propose_links(Corpus(ingested.reader().snapshot), draft, 1)["links"]
    return str(link["href"])


@pytest.mark.parametrize(
    ("links", "href"),
    [
        ("[b](b.md) [b](b.md#x) [b](/x/b/) [x](https://example.org/)", "../x/b.md"),
        ("[b](/x/b/)", "/x/b/"),
        ("none", "/x/b/"),
    ],
)
def test_a_link_is_written_as_most_of_the_blog_are(links: str, href: str, blog: MakeBlog) -> None:
    assert href_of(blog, links, base_url="https://example.org", permalink="hugo") == href


def test_a_link_to_a_post_without_an_address_leads_to_its_file(blog: MakeBlog) -> None:
    assert href_of(blog, "none") == "../x/b.md"


def test_a_draft_of_a_post_never_links_to_it_or_its_translations(corpus: Corpus) -> None:
    text = b"---\ntitle: Onion Soup!\n---\nOnion soup, a Zwiebelsuppe.\n"
    assert suggest_links(corpus, read_draft(text, "new.md"), UNKNOWN, 5) == []
    same = read_draft(b"# Soup\n\nOnion soup, a Zwiebelsuppe.\n", "soup.md")
    assert suggest_links(corpus, same, UNKNOWN, 5) == []


def test_posts_that_should_link_to_a_post_leave_out_those_that_do(blog: MakeBlog) -> None:
    tea = {"tea.md": "# Tea\n\nSee [soup](soup.md): onion soup is no tea.\n"}
    corpus = Corpus(blog(POSTS | tea).reader().snapshot)
    soup = draft_of_post(corpus, "soup.md")
    found = suggest_backlinks(corpus, soup, embed_passages(corpus, soup)[0], 5)
    assert [(s.post.source, s.words.line, s.words.text) for s in found] == [
        ("bread.md", 4, "onion soup")
    ]


@pytest.mark.parametrize(
    ("language", "linked"), [("en", ["en"]), ("zh-cn", ["zh-cn"]), ("zh-tw", ["zh-tw"])]
)
def test_of_translations_those_in_the_language_of_a_draft_are_linked_to(
    language: str, linked: list[str], kept_blog: MakeBlog
) -> None:
    said = {"en": "Sizing a cache", "zh-cn": "Sizing a 缓存 cache", "zh-tw": "Sizing a 快取 cache"}
    posts = {f"{tag}/cache.md": f"# {title}\n\n{title}.\n" for tag, title in said.items()}
    corpus = Corpus(kept_blog(posts).reader().snapshot)
    text = f"---\ntitle: Draft\nlang: {language}\n---\nWe are {said[language].lower()}.\n"
    found = suggest_links(corpus, read_draft(text.encode(), "new.md"), UNKNOWN, 1)
    assert [each.target.section for each in found] == linked


def test_words_of_a_long_title_are_not_taken_for_those_of_a_heading(blog: MakeBlog) -> None:
    title = "Walrus ferry ledger, anchor compass, lantern harbour, voyage storm"
    others = {f"{n}.md": f"# Story {n}\n\nIt ends on page {n}.\n" for n in range(30)}
    long = f"# {title}\n\nIt sails.\n\n## In government\n\nIt floats.\n"
    corpus = Corpus(blog({"long.md": long} | others).reader().snapshot)
    draft = read_draft(b"# News\n\nThe walrus ferry sails.\n", "new.md")
    [found] = suggest_links(corpus, draft, embed_passages(corpus, draft)[0], 5)
    assert (found.words.text, found.is_heading) == ("walrus ferry", False)


NAMES = {
    "harbour.md": "# Lantern-lit HARBOURMASTER\n\nThe boats come in at dusk.\n",
    "sluice.md": "# 水門的維修策略\n\n水門每年檢查一次，檢查的人寫報告。\n",
    "turns.md": "# Lighthouse turns 10\n\nTen years of light.\n",
} | {
    f"log-{day}.md": f"# Log of day {day}\n\nWind from the west, {day} knots, all is well.\n"
    for day in range(12)
}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("words"), NAMES)


@pytest.mark.parametrize(
    ("text", "source", "words"),
    [
        ("We have a lantern-lit HARBOURMASTER now.", "harbour.md", "lantern-lit HARBOURMASTER"),
        ("We have a lantern-lit\nharbourmaster.", "harbour.md", "lantern-lit\nharbourmaster"),
        ("We have a lantern-lit pier now.", "harbour.md", "lantern-lit"),
        ("| A | B |\n|---|---|\n| a harbourmaster | 2 |\n", "harbour.md", "harbourmaster"),
        ("> The harbourmaster.\n\nOur harbourmasters wait.\n", "harbour.md", "harbourmasters"),
        ("我們談水門的維修策略。", "sluice.md", "水門的維修策略"),
        ("Today the lighthouse turns.", "turns.md", "lighthouse turns"),
        ("We call it the harbourmaster_v2 here.", "harbour.md", None),
        ("They use `HARBOURMASTER` here.", "harbour.md", None),
        ("# The harbourmaster\n\nWe saw gulls.", "harbour.md", None),
        ("> The harbourmaster waits.\nHe waits long.", "harbour.md", None),
        ("See [the harbourmaster](https://example.org/).", "harbour.md", None),
        ("See [the port](harbour.md) of the harbourmaster.", "harbour.md", None),
        ("See ![a harbourmaster](pier.png).", "harbour.md", None),
        ("See <a href='x'>the harbourmaster</a> there.", "harbour.md", None),
        ("See {{< figure title='the harbourmaster' >}} there.", "harbour.md", None),
        ("```\nharbourmaster\n```\n", "harbour.md", None),
        ("The toolset version 1.10 came out.", "turns.md", None),
    ],
)
def test_a_link_is_put_on_the_fullest_name_in_running_text_alone(
    named: Blog, text: str, source: str, words: str | None
) -> None:
    links = named.tool("suggest_links", text=text).facts["links"]
    assert [e["words"] for e in links if e["source"] == source] == ([words] if words else [])


def test_words_get_one_link_alone(named: Blog) -> None:
    text = "# Lantern-lit things\n\nA lantern-lit harbourmaster, and one more harbourmaster."
    links = named.tool("suggest_links", text=text).facts["links"]
    assert [link["source"] for link in links].count("harbour.md") == 1
