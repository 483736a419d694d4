"""One line around what matched: within its width, at clause bounds, in any script."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.search.previews import make_snippet
from blog_search_mcp.index.text.tokenizer import terms
from tests.support.front import made

ATOMS = st.sampled_from(
    (
        *("cache", "token", "the", "Naïve", "e\u0301te\u0301", "IndexFlatIP", "a.b_c", "x" * 70),
        *("快取", "注意力", "模型會增加", "ひらがな", "한국어", "葛\U000e0100"),
        *(". ", ", ", "。", "，", "：「", "。」", " – ", " ", "\n\n", "\t", "? "),
        *("👩\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "(", ")", "…"),
    )
)
TEXTS = st.lists(ATOMS, max_size=150).map("".join)


def weights_of(query: str) -> dict[str, float]:
    return {term.stem: 1.0 for term in terms(query)}


@settings(deadline=None)
@given(
    before=TEXTS, after=TEXTS, found=st.sampled_from(["zebra", "斑馬", "zoo.ZebraHorse", "zébra"])
)
def test_a_preview_contains_what_matched(before: str, after: str, found: str) -> None:
    shown = make_snippet(f"{before} {found} {after}", weights_of(found))
    assert found in shown


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert make_snippet("One\ntwo\t three ", {}) == "One two three"
    assert make_snippet("", {"word": 1.0}) == ""


def test_the_window_with_most_of_the_query_wins_over_the_first_match() -> None:
    text = "The cache is small. " + "Nothing is here to see at all. " * 20 + "A cache of tokens."
    assert "cache of tokens" in make_snippet(text, weights_of("cache tokens"))


def test_a_preview_begins_and_ends_at_clauses() -> None:
    filler = "One clause is like another in a text like this one. "
    text = filler * 4 + "Here a walrus appears, and it sings. " + filler * 4
    assert make_snippet(text, weights_of("walrus"), width=240) == (
        f"…{filler}Here a walrus appears, and it sings. {filler}{filler.strip('. ')}…"
    )


WALRUS = "A walrus rests on the ice."
HIDDEN = {
    "a URL's encoding": (f"{WALRUS} See https://a.example/%E6%B5%B7%E8%B1%A1 on it.", "%"),
    "beside Chinese": ("海象 walrus，見https://a.example/%e6%b5%b7%e8%b1%a1。冰上", "%"),
    "options": (f"```{{figure}} a.png\n:width: 100px\n:align: center\n\n{WALRUS}\n```", "100px"),
    "marks beside Chinese": ("這是**海象（walrus）**，在冰上", "**"),
    "the end of a sentence": (f"{WALRUS} {'Then the ice is quiet. ' * 60}", ".…"),
    "the end of dots": (f"{WALRUS} {'And so on ... ' * 90}", ".…"),
}
KEPT = {
    "emoji": f":tada: {WALRUS}",
    "a field of a sentence": f":note: this is no option. {WALRUS}",
    "a share": f"Of them 20%80 or 100% rest. {WALRUS}",
}


@pytest.fixture(scope="module")
def previews(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    texts = {name: text for name, (text, _) in HIDDEN.items()} | KEPT
    posts = {f"{name}.md": f"# About it\n\n{text}\n" for name, text in texts.items()}
    blog = made(tmp_path_factory.mktemp("blog"), posts)
    hits = blog.tool("search_blog", query="walrus", top_k=20).facts["results"]
    return {hit["source"].removesuffix(".md"): hit["preview"] for hit in hits}


@pytest.mark.parametrize("name", HIDDEN)
def test_what_is_no_word_of_the_author_stays_out_of_a_preview(
    name: str, previews: dict[str, str]
) -> None:
    assert "walrus" in previews[name]
    assert HIDDEN[name][1] not in previews[name]


@pytest.mark.parametrize("name", KEPT)
def test_what_looks_like_it_stays(name: str, previews: dict[str, str]) -> None:
    assert previews[name].startswith(KEPT[name].removesuffix(WALRUS).strip())


@pytest.mark.parametrize("heading", ["Sea ice", "海冰", "1. Sea ice", "Where is it?"])
def test_a_heading_is_set_off_from_the_sentences_around_it(tmp_path: Path, heading: str) -> None:
    post = f"The sea\n\n## {heading}\n\nA walrus.\n\n## Deep water\n\nA whale.\n"
    [hit] = made(tmp_path, {"a.md": post}).tool("search_blog", query="walrus").facts["results"]
    assert re.search(rf"The sea\W+{re.escape(heading)}\W+A walrus\.", hit["preview"])
    assert f"{heading} A" not in hit["preview"]
    assert f"sea {heading}" not in hit["preview"]
    assert hit["heading"] == heading.removeprefix("1. ")


def test_a_chinese_preview_begins_and_ends_at_clauses() -> None:
    filler = "這一句話與其他的句子都一樣長。"
    text = filler * 8 + "這裡出現了一隻海象，牠在唱歌。" + filler * 8
    assert make_snippet(text, weights_of("海象"), width=240) == (
        "…" + filler + "這裡出現了一隻海象，牠在唱歌。" + filler * 6 + "…"
    )
