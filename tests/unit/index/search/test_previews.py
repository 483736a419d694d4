"""One line around what matched: within its width, at clause bounds, in any script."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.search.previews import make_snippet
from blog_search_mcp.index.text.tokenizer import terms

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
        f"…{filler}Here a walrus appears, and it sings. {filler}{filler.strip()}…"
    )


def test_marks_left_beside_chinese_are_not_shown() -> None:
    assert make_snippet("這是**海象（walrus）**，f(**a)", {}) == "這是海象（walrus），f(**a)"


def test_a_chinese_preview_begins_and_ends_at_clauses() -> None:
    filler = "這一句話與其他的句子都一樣長。"
    text = filler * 8 + "這裡出現了一隻海象，牠在唱歌。" + filler * 8
    assert make_snippet(text, weights_of("海象"), width=240) == (
        "…" + filler + "這裡出現了一隻海象，牠在唱歌。" + filler * 6 + "…"
    )
