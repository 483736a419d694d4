"""One line around what matched: within its width, at clause bounds, in any script."""

from __future__ import annotations

import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.analysis.tokenizer import terms
from blog_search_mcp.index.search.snippets import (
    LONGEST,
    WIDTH,
    find_terms,
    highlight,
    highlight_query,
    make_snippet,
    merge_spans,
    without_code,
)

ATOMS = st.sampled_from(
    (
        *("cache", "token", "the", "Naïve", "e\u0301te\u0301", "IndexFlatIP", "a.b_c", "x" * 70),
        *("快取", "注意力", "模型會增加", "ひらがな", "한국어", "葛\U000e0100"),
        *(". ", ", ", "。", "，", "：「", "。」", " – ", " ", "\n\n", "\t", "? "),
        *("👩\u200d👩\u200d👧", "👍🏽", "❤\ufe0f", "(", ")", "…"),
    )
)
TEXTS = st.lists(ATOMS, max_size=150).map("".join)


def columns(text: str) -> int:
    """Counted a second way: wide characters are two, marks and joiners none."""
    marks = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)
    return len(text) - marks + sum(unicodedata.east_asian_width(c) in "WF" for c in text)


def weights_of(query: str) -> dict[str, float]:
    return {term.stem: 1.0 for term in terms(query)}


def place_of(shown: str, text: str) -> tuple[str, str, str]:
    """What stands before, in and after the preview, which is verbatim but for white space."""
    line = " ".join(text.split())
    if not line:
        assert shown == ""
        return "", "", ""
    inner = shown
    if not line.startswith(inner):
        inner = inner.removeprefix("…")
    if not line.endswith(inner):
        inner = inner.removesuffix("…")
    before, found, after = line.partition(inner)
    assert found == inner
    return before, found, after


@settings(deadline=None)
@given(text=TEXTS, query=ATOMS)
def test_a_preview_is_one_line_of_the_text_within_its_width(text: str, query: str) -> None:
    shown = make_snippet(text, weights_of(query))
    place_of(shown, text)
    assert "\n" not in shown
    assert columns(shown) <= WIDTH + len("……")


@settings(deadline=None)
@given(text=TEXTS, query=ATOMS)
def test_a_preview_never_halves_a_character(text: str, query: str) -> None:
    _, found, after = place_of(make_snippet(text, weights_of(query)), text)
    for rest in (found, after.lstrip() if found.endswith(" ") else after):
        if rest and rest != " ".join(text.split()):
            assert unicodedata.category(rest[0]) not in ("Mn", "Me", "Cf")
            assert not "\U0001f3fb" <= rest[0] <= "\U0001f3ff"
    assert not found.endswith("\u200d")


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


def test_without_a_match_the_beginning_is_shown() -> None:
    text = "First words. " + "More of the same words " * 20
    shown = make_snippet(text, weights_of("absent"))
    assert shown.startswith("First words. More of the same")
    assert shown.endswith(" words More of…")


def test_the_window_with_most_of_the_query_wins_over_the_first_match() -> None:
    text = "The cache is small. " + "Nothing is here to see at all. " * 20 + "A cache of tokens."
    assert "cache of tokens" in make_snippet(text, weights_of("cache tokens"))


def test_a_rare_word_counts_for_more_than_two_common_ones() -> None:
    text = "This is the cache. " + "Nothing to see here. " * 20 + "A walrus appears."
    shown = make_snippet(text, {"this": 0.1, "cach": 0.2, "walrus": 3.0})
    assert "A walrus appears." in shown


def test_a_repeated_word_counts_once() -> None:
    text = "cache cache cache cache. " + "Nothing to see here. " * 20 + "A cache of tokens."
    assert "cache of tokens" in make_snippet(text, weights_of("cache tokens"))


def test_a_preview_begins_and_ends_at_clauses() -> None:
    filler = "One clause is like another in a text like this one. "
    text = filler * 4 + "Here a walrus appears, and it sings. " + filler * 4
    assert make_snippet(text, weights_of("walrus")) == (
        "…Here a walrus appears, and it sings. One clause is like another in a text like this "
        "one. One clause is like another in a text like this one.…"
    )


def test_of_windows_with_as_much_the_one_of_whole_sentences_is_shown() -> None:
    start = "Nothing is said here of any animal at all, as far as anyone knows. "
    sentence = (
        "A walrus has come to the shore with two others, and all of them sing songs of the sea "
        "until the sun is gone."
    )
    more = " Then the tide turned, the wind rose, the sun set, and so it all went on for days"
    assert make_snippet(start * 3 + sentence + more * 3, weights_of("walrus")) == f"…{sentence}…"


def test_code_is_left_out_where_prose_holds_as_much() -> None:
    code = "walrus = shore(two)\n" * 12
    markdown = f'- The walrus comes.\n\n  ```py\n{code}  ```\n\n{{{{code "a.go" /walrus/}}}}\n'
    plain = f'The walrus comes.\n{code}{{{{code "a.go" /walrus/}}}}'
    prose = without_code(plain, markdown)
    assert prose == "The walrus comes."
    assert make_snippet(plain, weights_of("walrus"), prose=prose) == "The walrus comes."
    shown = make_snippet(plain, weights_of("walrus shore"), prose=prose)
    assert "shore(two)" in shown


def test_marks_left_beside_chinese_are_not_shown() -> None:
    assert make_snippet("這是**海象（walrus）**，f(**a)", {}) == "這是海象（walrus），f(**a)"


def test_a_chinese_preview_begins_and_ends_at_clauses() -> None:
    filler = "這一句話與其他的句子都一樣長。"
    text = filler * 8 + "這裡出現了一隻海象，牠在唱歌。" + filler * 8
    assert make_snippet(text, weights_of("海象")) == (
        "…" + filler + "這裡出現了一隻海象，牠在唱歌。" + filler * 3 + "…"
    )


def test_a_closing_quote_stays_with_what_it_closes() -> None:
    filler = "「這一句話與其他的句子都一樣長。」"
    shown = make_snippet(filler * 4 + "海象來了。" + filler * 8, weights_of("海象"))
    assert shown.startswith(f"…{filler}海象來了。")
    assert shown.endswith("。」…")


def test_a_word_is_not_cut_where_there_is_no_clause() -> None:
    text = "unbroken " * 40 + "walrus " + "unending " * 40
    words = make_snippet(text, weights_of("walrus")).strip("…").split()
    assert set(words) == {"unbroken", "walrus", "unending"}


def test_a_word_wider_than_the_preview_is_cut() -> None:
    shown = make_snippet("walrus" + "s" * 500, weights_of("absent"))
    assert shown == "walrus" + "s" * (WIDTH - 6) + "…"


@pytest.mark.parametrize("width", [20, 40, 80])
def test_the_width_may_be_another(width: int) -> None:
    shown = make_snippet("快取 cache " * 100, weights_of("cache"), width=width)
    assert width * 0.6 <= columns(shown) <= width + 2


def test_a_passage_full_of_matches_takes_no_time() -> None:
    """Comparing each window with each match would take minutes here."""
    started = time.monotonic()
    make_snippet("error in line\n" * 20_000, weights_of("error"))
    assert time.monotonic() - started < 10


SPANS = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 6)).map(lambda p: (p[0], sum(p))))


def marked(
    text: str, query: str, language: str = "en", languages: tuple[str, ...] = ("en",)
) -> str:
    return bracketed(text, highlight(text, analyse_query(query, languages), language))


def bracketed(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, end in reversed(spans):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("zebra", "A Zebra, two zebras.", "A [Zebra], two [zebras]."),
        ("swap an index atomically", "Atomic swaps of indexes.", "[Atomic] [swaps] of [indexes]."),
        ("café", "Le CAFE et le café.", "Le [CAFE] et le [café]."),
        ("flat index", "Use faiss.IndexFlatIP here", "Use faiss.[IndexFlat]IP here"),
        ("faiss.IndexFlatIP", "Use faiss.IndexFlatIP here", "Use [faiss.IndexFlatIP] here"),
        ("how is a zebra", "How it is: a zebra.", "How it is: a [zebra]."),
        ("to be or not to be", "It is not to be.", "It is [not] [to] [be]."),
        ("walrus", "A zebra.", "A zebra."),
        ("", "A zebra.", "A zebra."),
    ],
)
def test_the_words_that_match_are_marked_in_any_form(query: str, text: str, expected: str) -> None:
    assert marked(text, query) == expected


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("向量索引", "這是向量索引的說明。", "這是[向量索引]的說明。"),
        ("記憶體", "放在记忆体里", "放在[记忆体]里"),
        ("KV 快取", "KV快取會成長，快取要算。", "[KV快取]會成長，[快取]要算。"),
    ],
)
def test_pairs_of_characters_are_marked_as_one_run_in_either_script(
    query: str, text: str, expected: str
) -> None:
    assert marked(text, query, "zh-tw", ("en", "zh-tw")) == expected


def test_a_text_matches_by_the_rules_of_its_own_language() -> None:
    assert marked("Die Häuser", "Haus", "de", ("en", "de")) == "Die [Häuser]"
    assert marked("Die Häuser", "Haus", "en", ("en",)) == "Die Häuser"


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("How are indexes swapped?", "Swap the index.", "How are [indexes] [swapped]?"),
        ("zebra or walrus", "A walrus rests.", "zebra or [walrus]"),
        ("向量資料庫", "向量索引", "[向量]資料庫"),
        ("zebra", "Nothing.", "zebra"),
    ],
)
def test_the_words_of_a_query_that_a_text_holds_are_known(
    query: str, text: str, expected: str
) -> None:
    asked = analyse_query(query)
    assert bracketed(query, highlight_query(asked, text, "en")) == expected


@given(SPANS)
def test_joined_spans_cover_the_same_characters_and_never_touch(
    spans: list[tuple[int, int]],
) -> None:
    runs = merge_spans(spans)
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for start, end in runs for place in range(start, end)} == covered
    assert all(before[1] < after[0] for before, after in pairwise(runs))


@given(st.text(), st.text())
def test_marks_lie_within_any_text_for_any_query(query: str, text: str) -> None:
    found = highlight(text, analyse_query(query), "en")
    assert all(0 <= start < end <= len(text) for start, end in found)


STEMS = {
    "run",
    "快取",
    "快",
    "indexflatip",
    "c++",
    "parser",
    "cafe",
    "x" * (LONGEST + 1),
    "nothing",
}

WORDS_AND_GAPS = st.sampled_from(
    (
        *("The", "faiss.IndexFlatIP", "running", "runs;", "it's", "C++", "XMLParser.", "Cafés,"),
        *("快取的快取", "快", "Go快取", "快取run", "ｃ++", "e\u0301", "x" * (LONGEST + 1)),
        *(" ", "  ", "\n", "\u3000", "-", ".", "，"),
    )
)


@given(
    text=st.lists(WORDS_AND_GAPS, max_size=30).map("".join),
    language=st.sampled_from(["en", "zh", "de"]),
)
def test_the_terms_among_some_are_those_of_all_terms(text: str, language: str) -> None:
    spaced = " ".join(text.split())
    for stems in (STEMS, {stem for stem in STEMS if stem.isascii()}):
        expected = [term for term in terms(spaced, language) if term.stem in stems]
        assert list(find_terms(text.split(), stems, language)) == expected


@pytest.mark.parametrize("text", ["", " ", "walrus kelp 海藻"])
def test_a_text_without_any_has_none(text: str) -> None:
    assert list(find_terms(text.split(), STEMS)) == []
