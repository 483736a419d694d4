"""Find other forms of a query's words: stems that count as the word in a passage."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

from blog_search_mcp.index.text.languages import HAN, read_rows, stemmer_of
from blog_search_mcp.index.text.tokenizer import LARGE_KATAKANA, fold, index_terms, stem

_PLURAL = re.compile(r"[A-Z]\w{0,3}[A-Z]s|[A-Za-z]{2,}[ui]s|[b-df-hj-np-tv-xz]{2,}[^\Weiouy]s")
"""A plural whose s the English stemmer keeps: initials (APIs), after u or i, after consonants."""
_ENDINGS = [row.replace("-", "").split(" ") for row in read_rows("endings.txt")]
"""Language and two endings (`""` for none), unaccented, of forms that its stemmer keeps apart."""


@cache
def _groups() -> Mapping[str, set[str]]:
    """Return, by stem or folded word, the stems and folded words of its groups of forms."""
    table = dict[str, set[str]]()
    for row in read_rows("word_forms.txt"):
        stems = {form for word in row.split() for form in (stem(word, "en"), fold(word))}
        table |= {each: stems | table.get(each, set()) for each in stems}
    return table


def other_stems(written: str, stems: Iterable[str]) -> set[str]:
    """Return stems of other forms of a word, given as `written` in a query and by its `stems`."""
    lower, forms = fold(written), set[str]()
    if re.fullmatch(r"\d\d?", lower):
        return {lower.lstrip("0"), lower.zfill(2)}
    if spelled := re.fullmatch(r"(.+[iy])([sz])(e[drs]?|ing|ers?|ations?|able)", lower):
        forms.add(stem(spelled[1] + ("z" if spelled[2] == "s" else "s") + spelled[3], "en"))
    if _PLURAL.fullmatch(written):
        forms.add(lower[:-1])
    elif _PLURAL.fullmatch(f"{written}s"):
        forms |= {f"{lower}s", stem(f"{lower}es", "en")}
    return forms.union(*(_groups().get(each, set()) for each in {*stems, lower}))


def guess_stems(
    word: str, languages: Mapping[str, int], frequency_of: Callable[[str], int]
) -> set[str]:
    """Return stems that a folded word may have in posts, if none has its stems as written.

    The word may lack the accents by which stemmers know endings (zlutoucky, žluťoučký), the kana
    between two kanji (引越, 引っ越) or the article that shows endings to the Arabic stemmer; or it
    may end otherwise (lápiz, lápices; zamek, zamki). `languages` counts posts by language. A stem
    in more posts than its language has is another language's word (Spanish rune, English run).
    """
    by_language = ((stem(word, stemmer_of(code)), posts) for code, posts in languages.items())
    stems = {word, *(guess for guess, posts in by_language if frequency_of(guess) <= posts)}
    if "ja" in languages and re.fullmatch(rf"[{HAN}].", word):
        last, kanas = word[1].translate(LARGE_KATAKANA), map(chr, range(0x30A1, 0x30F7))
        pairs = ((word[0] + kana, kana + last) for kana in kanas)
        stems.update(*(pair for pair in pairs if all(map(frequency_of, pair))))
    if "ar" in languages:
        stems |= {stem(f"ال{word}", "ar"), stem(f"{word.removeprefix('ال')}ا", "ar")}
    spoken = {*map(stemmer_of, languages)}
    swaps = ((c, *pair) for c, *ends in _ENDINGS if c in spoken for pair in (ends, ends[::-1]))
    stems |= {
        stem(word.removesuffix(a) + b, c) for c, a, b in swaps if re.search(f"..{a or '..'}$", word)
    }
    if not {"cs", "pl"}.isdisjoint(languages):
        stems |= {f"{each[:-1]}e{each[-1]}" for each in stems if len(each) > 3}
    return stems


@cache
def _abbreviations() -> Mapping[str, tuple[str, str]]:
    """Return initials and their long form, by the long form's stems with a blank around each."""
    rows = (row.split("\t") for row in read_rows("abbreviations.txt"))
    return {f" {index_terms(words)} ": (initials, words) for initials, words in rows}


def write_out(text: str, has_phrase: Callable[[str], bool]) -> str:
    """Return the long forms, one a line, of a query's initials, if `has_phrase` finds them."""
    words = {fold(word) for word in re.findall(r"[^\W_]+", text)}
    said = words | {word.removesuffix("s") for word in words}
    rows = _abbreviations().values()
    return "\n".join(long for short, long in rows if short in said and has_phrase(long))


def find_initials(text: str) -> dict[str, str]:
    """Return the initials whose long form a text has, by each stem of the long form."""
    said, rows = f" {index_terms(text)} ", _abbreviations().items()
    return {stem: short for stems, (short, _) in rows if stems in said for stem in stems.split()}


def name_months(text: str) -> str:
    """Write each numeric day in a query (2019-03-12, 12.3.2019) with its month's English name."""

    def name(day: re.Match[str]) -> str:
        rows, month = read_rows("word_forms.txt"), (day[2] or day[5]).zfill(2)
        names = (row.split()[1] for row in rows if row.startswith(month))
        return " ".join((day[3] or day[4], *names, day[1] or day[6]))

    days = r"(?<![\w.])(?:(\d{4})[-/](\d\d)[-/](\d\d)|(\d\d?)\.(\d\d?)\.(\d{4}))\b"
    return re.sub(days, name, text)
