"""What a query demands holds or is said not to, copies are one hit, and the unknown gives one."""

import json
import re
from typing import Any

import pytest

from tests.support.front import Blog, made

COPIED = "We cut the plank, sanded it twice, oiled it and hung it over the stove on nails {}."
ASKED = {
    **{f"copy{n}/shelf.md": f"# A shelf, part {n}\n\n{COPIED.format(n)}\n" for n in range(1, 7)},
    "oak.md": "# Oak\n\nA plank of oak is heavy; the shelf sags without a bracket.\n",
    "hooks.md": "# Hooks\n\nNails did not hold, so hooks hold the plank. Run `saw -fine` first.\n",
    "glue.md": "# Glue\n\nOf all there is to say on glue, it is that it was the wrong one.\n",
    "paste.md": "# Paste\n\nOf all glue it was the wrong one; all there is to it is to say that.\n",
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("asked"), ASKED)


def search(blog: Blog, query: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(blog.command("search", "--json", "--", query).out)
    return {**answer, "sources": [hit["source"] for hit in answer["hits"]]}


def test_copies_are_one_hit_and_the_others_are_named(asked: Blog) -> None:
    answer = search(asked, "plank and nails")
    copies = [source for source in answer["sources"] if source.startswith("copy")]
    assert len(copies) == 1
    assert {"oak.md", "hooks.md"} <= {*answer["sources"]}
    assert "shelf.md" in answer["notice"]


@pytest.mark.parametrize(
    ("query", "sources", "said"),
    [
        ('"there is to say on"', ["glue.md"], ""),
        ("“there is to it” glue", ["paste.md"], ""),
        ("plank -nails", ["oak.md"], "nails"),
        ("plank NOT nails", ["oak.md"], "nails"),
        ("plank AND NOT nails", ["oak.md"], "nails"),
        ("saw -fine", ["hooks.md"], ""),
    ],
)
def test_quotes_hold_and_minus_leaves_out_or_the_notice_says_why_not(
    asked: Blog, query: str, sources: list[str], said: str
) -> None:
    answer = search(asked, query)
    assert sorted(answer["sources"]) == sources
    assert said in (answer["notice"] or "")


@pytest.mark.parametrize(
    "query",
    [
        *("why should you NOT hold the plank by its nails", "the glue is NOT wrong"),
        *("you must NOT oil a plank", "NOT nails but hooks", "nails NOT hold"),
    ],
)
def test_capitals_for_stress_leave_nothing_out(asked: Blog, query: str) -> None:
    answer, plain = search(asked, query), search(asked, query.replace("NOT", "not"))
    assert (answer["sources"], answer["notice"]) == (plain["sources"], plain["notice"])


def test_a_word_that_is_left_out_is_not_searched_beside_an_option(asked: Blog) -> None:
    [hit], [other] = (search(asked, f"saw -fine{more}")["hits"] for more in ("", " -stove"))
    assert other["score"] == hit["score"]


def test_quoted_words_that_no_post_has_are_searched_for_apart(asked: Blog) -> None:
    answer = search(asked, 'glue "on tuesdays only"')
    assert {"glue.md", "paste.md"} <= {*answer["sources"]}
    assert "on tuesdays only" in answer["notice"]


@pytest.fixture(scope="module")
def harbors(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    things = ["amber", "basil", "cedar", "daisy", "ebony", "fern", "hazel", "iris", "jade", "kelp"]
    things += ["lotus", "maple"]
    posts = {
        f"{thing}.md": f"---\ntags: [{'odd' if number % 2 else 'even'}]\n---\n# {thing.title()}\n\n"
        f"A harbor{' with a pier' if number < 8 else ''} and its crew. {f'{thing} and ' * 9}more.\n"
        for number, thing in enumerate(things, 1)
    }
    return made(tmp_path_factory.mktemp("harbors"), posts)


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (("harbor",), "12"),
        (("pier in the harbor",), "7"),
        (("harbor crew", "--tag", "even"), "6"),
        (("harbor crew -pier",), None),
        (("pier kelp crew",), None),
    ],
)
def test_an_answer_says_how_many_posts_have_every_word_if_they_are_more_than_shown(
    harbors: Blog, arguments: tuple[str, ...], count: str | None
) -> None:
    query, *options = arguments
    answer = json.loads(harbors.command("search", "--json", *options, "--", query).out)
    counts = re.findall(r"\d+", answer["notice"] or "")
    assert counts[:1] == ([count] if count else [])
