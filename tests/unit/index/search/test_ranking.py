"""A query that is a post's title puts that post first, whatever others say of its subject."""

import json

import pytest

from blog_search_mcp.index.types import Filters
from tests.support import front
from tests.support.blog import MakeBlog

CHOIR = {
    "piano": "The strings of the old upright go flat as soon as the radiators come on.",
    "hall": "Singers meet at seven in the parish hall; who cannot come tells Ines by noon.",
    "tour": "The coach leaves at six from the north gate. Why so early? The ferry is often full.",
    "robes": "Wash them cold and hang them up wet: ironing takes the shine out of the velvet.",
    "sheets": "Copies lie in the green cabinet. Sign the list and bring them back within a month.",
    "throat": "Sage tea, a scarf, and no whispering, which strains the cords more than speech.",
    "asked": "Why is there so much to do? How long may it take, and what should I do: ask Ines.",
}


def test_a_term_card_is_found_by_its_name_before_those_that_repeat_it(blog: MakeBlog) -> None:
    posts = {f"{n}.md": f"# Post {n}\n\nRAG, RAG and RAG: all about RAG {n}.\n" for n in range(4)}
    made = blog({**posts, "rag.md": "# RAG\n\nRetrieval before generation.\n"})
    reader = made.reader()
    for query in ("RAG", "什麼是 RAG？", "what is RAG?"):
        answer = reader.search(query, Filters(), limit=1, offset=0)
        hits = [(hit.post.source, answer.confidence) for hit in answer.hits]
        assert hits == [("rag.md", "normal")]
    filtered = reader.search("RAG", Filters(section="none"), limit=1, offset=0)
    assert filtered.hits == ()


def test_a_post_is_found_by_a_heading_above_a_passage_or_in_one(blog: MakeBlog) -> None:
    cold = "## What to do when the oven stays cold\n\nCall us.\n\n"
    filler = "".join(f"The oven stays cold when {n} things do. " for n in range(60))
    posts = {f"{n}.md": f"# Post {n}\n\n## Ovens\n\n{filler}\n" for n in range(4)}
    reader = blog(
        {**posts, "a.md": f"# Bread\n\n## Dough\n\nFlour.\n\n{cold}## Salt\n\nSome.\n"}
    ).reader()
    for query in ("What to do when the oven stays cold", "what to do when the OVEN stays cold?"):
        first = reader.search(query, Filters(), limit=3, offset=0).hits[0]
        assert first.post.source == "a.md"


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("cannot open shared object file: libssl", "cannot open shared object file: libssl"),
        ("--max-old-space-size 4096", "Run `node --max-old-space-size 4096 x.js`."),
        ("無法開啟共享的檔案", "系統說「无法开启共享的档案」，別無其他。"),
    ],
)
def test_a_post_that_has_the_query_word_for_word_is_before_those_with_the_same_words(
    blog: MakeBlog, query: str, line: str
) -> None:
    shuffled = " ".join(reversed(query.split())) if " " in query else "共享的檔案無法開啟，無法開啟"
    posts = {f"{n}.md": f"# Post {n}\n\nOnce more: {shuffled}.\n" for n in range(3)}
    made = blog({**posts, "z.md": f"# Trouble\n\nSeen once more: {line}\n"})
    first = made.reader().search(query, Filters(), limit=3, offset=0).hits[0]
    assert first.post.source == "z.md"


@pytest.fixture(scope="module")
def choir(tmp_path_factory: pytest.TempPathFactory) -> front.Blog:
    posts = {f"{name}.md": f"# Of {name}\n\n{text}\n" for name, text in CHOIR.items()}
    return front.made(tmp_path_factory.mktemp("choir"), posts)


@pytest.mark.parametrize(
    ("query", "source"),
    [
        ("Why do I lose my voice, and what should I do?", "throat.md"),
        ("How long may I keep borrowed notes?", "sheets.md"),
        ("What should I do to launder my gown?", "robes.md"),
        ("why ask Ines", "asked.md"),
        ("Why is the ferry full?", "tour.md"),
    ],
)
def test_words_that_any_post_might_have_do_not_outvote_meaning(
    choir: front.Blog, query: str, source: str
) -> None:
    answer = json.loads(choir.command("search", "--json", query).out)
    assert answer["hits"][0]["source"] == source
