"""`search_blog`: what a page of hits says, as text and in JSON, and how long it may be."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.front import Blog, Reply, made

FIVE_HITS_BYTES, ANSWER = 2_400, 25_000
POSTS = {
    "caches/keys.md": (
        "---\ntitle: Keys\ndate: 2024-05-12\ntags: [caches]\n---\n"
        "## In memory\n\nA cache of keys grows with\neach walrus.\n"
    ),
    "caches/part-2.md": (
        "---\ndate: 2025-03-04\nseries: Caches\n---\n# Caches, part 2\n\nA walrus has no cache.\n"
    ),
    "caches/part-1.md": (
        "---\ndate: 2023-03-04\nseries: Caches\n---\n# Caches, part 1\n\nA walrus has a cache.\n"
    ),
    "notes.md": "---\nlang: de\n---\n# Notizen\n\nEin Walross, kein walrus.\n",
}
DEEP = "/".join([letter * 180 for letter in "abcd"])
LONG = {
    f"{DEEP}/{chr(97 + n)}.md": (
        f"---\ntitle: {chr(97 + n) * 9} {'walrus rests ' * 12}\n---\n# {'Long ' * 30}\n\n"
        f"A walrus rests on the ice, {' '.join(f'and on {n}.{i}' for i in range(30))}.\n"
    )
    for n in range(20)
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    site = ("--base-url", "https://blog.example", "--permalink", "hugo")
    return made(tmp_path_factory.mktemp("blog"), POSTS, *site)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("long"), LONG)


def search(blog: Blog, query: str = "walrus", **given: Any) -> Reply:
    reply = blog.tool("search_blog", query=query, **given)
    assert not reply.is_error, reply.text
    return reply


def test_a_hit_names_its_passage_and_leaves_out_what_is_not_known(blog: Blog) -> None:
    reply = search(blog, "keys grow")
    assert json.loads(reply.text) == reply.facts
    hit = reply.facts["results"][0]
    assert hit == {
        "source": "caches/keys.md",
        "chunk_index": 0,
        "preview": hit["preview"],
        "title": "Keys",
        "url": "https://blog.example/caches/keys/#in-memory",
        "heading": "In memory",
        "date": "2024-05-12",
    }
    hits = {hit["source"]: hit for hit in search(blog).facts["results"]}
    assert "date" not in hits["notes.md"]
    series = {"name": "Caches", "part": 1, "next": "caches/part-2.md"}
    assert hits["caches/part-1.md"]["series"] == series


def test_a_hit_stands_under_the_nearest_heading_over_its_preview(tmp_path: Path) -> None:
    filler = "More of ropes, of sails and of decks is told here. " * 9
    sections = ("## Decks", "A hull."), ("### Sails", "Of canvas."), ("### Ropes", "With knots.")
    text = "\n\n".join(f"{heading}\n\n{words} {filler}" for heading, words in sections)
    ship = made(tmp_path, {"ship.md": text})
    above = {"hull": "Decks", "canvas": "Decks > Sails", "knots": "Decks > Ropes"}
    for query, heading in above.items():
        [hit] = search(ship, query).facts["results"]
        assert query in hit["preview"]
        assert (hit["chunk_index"], hit["heading"]) == (0, heading)


def test_the_newest_come_first_and_what_has_no_date_last(blog: Blog) -> None:
    facts = search(blog, "walrus cache", sort="newest").facts
    dates = [hit.get("date", "") for hit in facts["results"]]
    assert dates == sorted(dates, reverse=True)
    rest = search(blog, "walrus cache", sort="newest", offset=1).facts
    assert rest["results"] == facts["results"][1:]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"query": "walrus", "tag": "CACHES", "before": "2020"}, ["tag='CACHES'", "before="]),
        ({"query": "walrus", "offset": 9}, ["9", "4"]),
    ],
)
def test_an_empty_page_says_why(blog: Blog, given: dict[str, Any], named: list[str]) -> None:
    reply = search(blog, **given)
    assert reply.facts["results"] == []
    assert [word for word in named if word not in reply.facts["notice"]] == []
    assert search(blog, **given, response_format="markdown").text == reply.facts["notice"]


def test_text_is_alone_and_holds_what_is_called_and_cited(blog: Blog) -> None:
    facts = search(blog, top_k=3).facts
    reply = search(blog, top_k=3, response_format="markdown")
    assert reply.facts is None
    first, *hits = reply.text.split("\n\n")
    assert facts["confidence"] in first
    assert (site := "https://blog.example") in first
    for hit, text in zip(facts["results"], hits, strict=True):
        said = ("title", "source", "chunk_index", "url", "preview")
        assert [name for name in said if f"{hit[name]}".removeprefix(site) not in text] == []


def test_a_later_hit_of_a_post_repeats_nothing_but_where_it_is(tmp_path: Path) -> None:
    filler = "More of ropes, of sails and of decks is told here. " * 90
    text = f"# The walrus ship\n\n## Decks\n\nA walrus.\n\n{filler}\n\n## Ropes\n\nNo walrus.\n"
    posts = {"2024-05-12-ship.md": text, "2024-05-13-sea.md": "# The sea\n\nA walrus.\n"}
    ship = made(tmp_path, posts, "--base-url", "https://blog.example", "--permalink", "hugo")
    _, *hits = search(ship, "walrus", response_format="markdown").text.split("\n\n")
    assert len(hits) == 3
    [again] = [text for number, text in enumerate(hits) if text[3:22] in "\n".join(hits[:number])]
    assert [part for part in ("The walrus ship", "2024-05-12 ", "http") if part in again] == []
    assert re.search(r"^#\w+$", again, re.MULTILINE)
    assert [text for text in hits if "· 2024" in text] == []


@pytest.mark.parametrize("blank", ["", " "])
def test_what_is_printed_before_a_hit_is_a_source_for_read_chunk(
    blog: Blog, long: Blog, blank: str
) -> None:
    for each, count in ((blog, len(POSTS)), (long, 5)):
        facts = search(each, "walrus rests", top_k=5).facts["results"]
        text = search(each, "walrus rests", top_k=5, response_format="markdown").text
        places = re.findall(r"^\d+\. (.+?) #(\d+)(?: |$)", text, re.MULTILINE)
        assert len(places) == count
        assert [(hit["source"], f"{hit['chunk_index']}") for hit in facts] == places
        for source, index in places:
            read = each.tool("read_chunk", source=f"{source}{blank}#{index}")
            same = each.tool("read_chunk", source=source, chunk_index=int(index))
            assert (read.is_error, read.text) == (False, same.text)


TRANSLATED = {
    "a.en.md": "---\ntranslationKey: a\n---\n# The walrus\n\nThe walrus sleeps on the ice.\n",
    "a.de.md": "---\ntranslationKey: a\n---\n# Das Walross\n\nDas Walross ruht auf dem Eis.\n",
    "b.fr.md": "---\ntranslationKey: b\n---\n# Le phoque\n\nLe phoque nage dans la mer, orque.\n",
    "b.de.md": "---\ntranslationKey: b\n---\n# Die Robbe\n\nDie Robbe schwimmt in dem Meer.\n",
}


@pytest.mark.parametrize(
    ("query", "hit", "other"),
    [
        ("where does the walrus sleep on the ice", "a.en.md", None),
        ("wo ruht das Walross auf dem Eis", "a.de.md", None),
        ("what is the orque that is in the sea", "b.fr.md", "b.de.md"),
    ],
)
def test_a_translation_is_told_beside_a_hit_in_another_language_than_the_question(
    tmp_path: Path, query: str, hit: str, other: str | None
) -> None:
    translated = made(tmp_path, TRANSLATED)
    text = search(translated, query, response_format="markdown").text
    block = next(block for block in text.split("\n\n") if f" {hit} #" in block)
    assert [source for source in TRANSLATED if source in block and source != hit] == (
        [other] if other else []
    )


def test_a_series_is_told_where_it_goes_on(blog: Blog) -> None:
    text = search(blog, top_k=5, response_format="markdown").text
    blocks = {block.split()[1]: block for block in text.split("\n\n") if " #" in block}
    assert "caches/part-2.md" in blocks["caches/part-1.md"]
    assert "Caches, next" not in blocks["caches/part-2.md"]
    assert "part 2 of" not in blocks["caches/part-2.md"]


def test_five_hits_stay_small_and_are_shortened_in_nothing_that_is_called_or_cited(
    blog: Blog, long: Blog
) -> None:
    assert len(search(blog).text.encode()) < FIVE_HITS_BYTES
    [hit] = search(long, "walrus rests", top_k=1).facts["results"]
    assert hit["source"] in LONG
    assert (hit["title"][-1], hit["heading"][-1]) == ("…", "…")
    five = search(long, "walrus rests").facts["results"]
    assert len(json.dumps([{**hit, "source": ""} for hit in five])) < FIVE_HITS_BYTES


FRAMES = "".join(f"    at step{n} (app/part{n}.js:{n}:7)\n" for n in range(60))


@pytest.mark.parametrize(
    "query",
    [
        f"Walrus has no cache: keys\n{FRAMES}",
        f"Traceback:\n{FRAMES}Error: a walrus has no cache of keys",
        f"{'walrus cache ' * 50}{'y' * 700} {'caches of keys ' * 60}",
        "海象" * 600 + " walrus cache",
        f"walrus cache{' ' * 1_500}",
        f"walrus cache{' ' * 1_500}\n  at step",
    ],
)
def test_of_a_long_query_the_part_that_tells_most_is_searched_for_and_that_is_said(
    blog: Blog, query: str
) -> None:
    facts = search(blog, query).facts
    assert facts["results"][0]["source"] in POSTS
    assert f"{len(query):,} characters" in facts["notice"]


def test_where_the_blog_has_nothing_three_hits_are_shown_and_the_others_are_to_be_had(
    blog: Blog,
) -> None:
    query = "which part of medieval Hungarian tax law concerned monasteries"
    facts = search(blog, query).facts
    assert (facts["confidence"], len(facts["results"])) == ("low", 3)
    assert facts["next_offset"] == 3
    assert len(search(blog, query, top_k=5).facts["results"]) > 3


@pytest.mark.parametrize("form", ["json", "markdown"])
def test_hits_that_do_not_fit_are_left_for_the_next_page(long: Blog, form: str) -> None:
    shown, offset = list[str](), 0
    while offset < len(LONG):
        reply = search(long, "walrus rests", top_k=20, offset=offset, response_format=form)
        assert len(reply.text) <= ANSWER
        facts = reply.facts or search(long, "walrus rests", top_k=20, offset=offset).facts
        shown += [hit["source"] for hit in facts["results"]]
        offset = facts.get("next_offset", len(LONG))
        assert offset == len(shown)
    assert sorted(shown) == sorted(LONG)
