"""Analyze a query: its weighted terms, whether it is a question or running text, and its names."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from string import ascii_lowercase
from typing import TypeAlias

from blog_search_mcp.index.text.forms import find_initials, guess_stems, name_months, other_stems
from blog_search_mcp.index.text.languages import (
    CJK,
    EAST_ASIAN,
    HAN,
    SOUTHEAST_ASIAN,
    STEMMED,
    function_words,
    language_of,
    primary_subtag,
    read_rows,
    stemmer_of,
)
from blog_search_mcp.index.text.tokenizer import (
    EXTRA,
    LARGE_KATAKANA,
    MAJOR,
    SPELLING,
    WHOLE,
    Term,
    fold,
    name_key,
    stem,
    terms,
)

STOPWORD_WEIGHT = 0.4
"""Weight of a function word; other words have 1. With a weight of 1, questions to a Chinese blog (a
quarter of them in English) lose .08 of nDCG@10. With 0, questions lose .02 to .03."""
_QUESTION = re.compile("|".join(read_rows("question_patterns.txt")), re.IGNORECASE)
_CODE = re.compile(
    r"[A-Za-z_][_.:\\][A-Za-z_]|\w/\w|\w\(|::|[`{}<>=\[\]$@#*&|;]|(?:^|\s)--?\w|[a-z][A-Z]"
)
"""Marks of an identifier, a path, a call or a flag."""
_CJK_CHAR, _FRAGMENT = re.compile(f"[{CJK}]"), re.compile(rf"[{CJK}]{{2}}\Z|[{SOUTHEAST_ASIAN}]")


@dataclass(frozen=True, slots=True)
class Word:
    """One term of a query."""

    exact: str
    stems: tuple[str, ...]
    """Its distinct stems: one for each of the blog's languages, and equivalent stems."""
    weight: float
    """Weight in [0, 1], by which the IDF is multiplied."""
    role: str = ""
    """EXTRA or WHOLE if its parts are words too, so that a passage may lack it; else `""`."""
    pattern: str = ""
    """Regular expression of other stems that contain it, or that `foo*` means; `""` for none."""

    @property
    def is_needed(self) -> bool:
        """Whether the word counts as missing from the blog if no post has it."""
        return self.weight == 1.0 and self.role != EXTRA


@dataclass(frozen=True, slots=True)
class Query:
    """One analyzed query."""

    text: str
    words: tuple[Word, ...]
    """Distinct words in the order of the text."""
    language: str
    """ISO 639-1 code; `""` if its words show none, `und` if they show an unknown one."""
    is_question: bool
    """Whether it is a question, and not the name or description of a thing."""
    is_prose: bool
    """Whether it has no code, and four content words or more; an `is_fragment` counts half."""
    has_other_script: bool
    """Whether either the query or most of the blog is in an East Asian language, but not both."""

    @property
    def content(self) -> Sequence[Word]:
        """Content words; all words if there are no content words."""
        return [word for word in self.words if word.weight == 1.0] or self.words


def analyze_query(text: str, languages: Sequence[str] = ("en",), further: str = "") -> Query:
    """Analyze a query; any text is valid.

    `languages` are those of the blog, the commonest first. A few words do not show their language,
    so each has its stem in every language. Function words of the blog's languages and of the
    query's have a low weight. On a Japanese blog, a query that looks Chinese counts as Japanese.
    Words of `further` are added.
    """
    blog = [primary_subtag(language) for language in languages]
    shown = language_of(text)
    if shown == "zh" and "ja" in blog and "zh" not in blog:
        shown = "ja"
    # A query that shows no language counts as English; Chinese function words do not count in a
    # Japanese query.
    grammar = frozenset({*blog, shown or "en"} - ({"zh"} if shown == "ja" else set()))
    spoken = {stemmer_of(language): language for language in languages}.values()
    written = f"{name_months(text)}\n{further}"
    read: list[tuple[Term, set[str]]] = []
    for same in zip(*(terms(written, language) for language in spoken), strict=True):
        if same[0].role != SPELLING:
            read.append((same[0], set()))
        read[-1][1].update(term.stem for term in same)
    initials = _add_forms(written, read)
    words = dict[Word, None]()
    for term, stems in read:
        weight = STOPWORD_WEIGHT if is_stopword(term.exact, grammar) else 1.0
        pattern = _pattern(term, blog[0], shown) if weight == 1.0 else ""
        if written.startswith("*", term.end) and re.fullmatch(r"\w{3,}", term.exact):
            pattern = f"{term.exact}.*"
        role = EXTRA if {term.exact, term.exact.removesuffix("s")} & initials else term.role
        if role != MAJOR:
            words[Word(term.exact, tuple(sorted(stems)), weight, role, pattern)] = None
    asked = {word.stems for word in words if word.weight == 1.0}
    length = sum(0.5 if is_fragment(stems[0]) else 1.0 for stems in asked)
    return Query(
        text=text,
        words=tuple(words),
        language=shown,
        is_question=bool(_QUESTION.search(text)),
        is_prose=length >= 4.0 and not _CODE.search(text),
        has_other_script=(shown in EAST_ASIAN) is EAST_ASIAN.isdisjoint(blog[:1]),
    )


def _add_forms(text: str, read: Sequence[tuple[Term, set[str]]]) -> frozenset[str]:
    """Add to each term stems of its other forms; return the initials of long forms in `text`.

    Parts of a compound name also get the whole's stems, and words of a long form get its initials.
    """
    said = find_initials(text)
    for term, stems in read:
        if not _CJK_CHAR.match(term.exact):
            stems |= other_stems(text[term.start : term.end], stems)
        stems |= {said[stem] for stem in stems & said.keys()}
    for term, stems in read:
        for part, own in read if term.role in (EXTRA, WHOLE) else ():
            if term.start <= part.start and part.end <= term.end and term[2:4] != part[2:4]:
                own |= stems
    return frozenset(said.values())


def _pattern(term: Term, language: str, shown: str) -> str:
    """Return a pattern of stems that contain a word, `""` if there is none.

    For a single East Asian character these are its pairs; in COMPOUNDS, words with three letters or
    more before or after it. Fewer letters are an inflection or a prefix.
    """
    if _CJK_CHAR.fullmatch(term.exact):
        return f"{term.stem}.|.{term.stem}"
    part = term.stem if len(term.stem) > 3 else term.exact
    is_part = language in COMPOUNDS and shown in ("", language) and part[3:] and part.isalpha()
    return f"{part}[a-z]{{3,}}|[a-z]{{3,}}{part}[a-z]{{0,2}}" if is_part else ""


def is_stopword(word: str, languages: Collection[str]) -> bool:
    """Whether the folded `word` is a function word of any of `languages`, or a symbol.

    In Chinese, one or two Han characters count if one of them is a function word. In Japanese they
    do not, since they make words (時間, 使用). One or two hiragana always count.
    """
    if len(word) == 1 and not word.isalnum():
        return True
    if len(word) <= 2 and word[:1] > "\u303f":
        chinese = any(primary_subtag(language) == "zh" for language in languages)
        grammar = chinese and not function_words("zh").isdisjoint(word)
        return grammar or all("\u3040" <= c <= "\u309f" for c in word)
    return any(word in _folded(language) for language in languages)


@cache
def _folded(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(language))


@cache
def _asking_words(language: str) -> frozenset[str]:
    rows = read_rows("asking_words.txt")[: 1 if language == "en" else None]  # English comes first
    return frozenset(fold(word) for row in rows for word in row.split())


def is_fragment(word: str) -> bool:
    """Whether a term is a pair of CJK characters or begins with a Southeast Asian one."""
    return bool(_FRAGMENT.match(word))


def fit_to_posts(
    query: Query, languages: Mapping[str, int], frequency_of: Callable[[str], int]
) -> Query:
    """Return the query with the stems that posts have.

    Two Latin neighbors also get the stem of both joined, if at least as many posts have it as have
    the rarer one. A word that no post has gets guessed stems of all the blog's languages. If posts
    have any of a word's stems, only these are kept and its pattern of compounds is dropped.
    """
    joined: dict[str, set[str]] = defaultdict(set)
    stemmers = {stemmer_of(language) for language in languages}
    for first, second in pairwise(PLAIN_WORD.finditer(query.text)):
        if first.end() + 1 == second.start():
            least = min(max(frequency_of(stem(w[0], s)) for s in stemmers) for w in (first, second))
            joint = {stem(first[0] + second[0], stemmer) for stemmer in stemmers}
            joint = {stem for stem in joint if frequency_of(stem) >= max(least, 1)}
            for word in (first[0], second[0]):
                joined[fold(word)] |= joint
    lost = [w.exact for w in query.words if not any(map(frequency_of, w.stems))]
    for exact in lost:
        joined[exact] |= guess_stems(exact, languages, frequency_of)
    for one, other in pairwise(lost):
        if re.fullmatch(rf"[{HAN}]([\u3041-\u3096])\1.", one + other):  # 行なう: 行う
            for pair in (one, other):
                joined[pair].add(one[0] + other[1].translate(LARGE_KATAKANA))
    forms = ({*word.stems, *joined[word.exact]} for word in query.words)
    had_stems = (tuple(sorted(filter(frequency_of, stems))) for stems in forms)
    words = list[Word]()
    for old, had in zip(query.words, had_stems, strict=True):
        is_kept = not had or len(old.exact) == 1 or old.pattern.endswith(".*")
        words.append(replace(old, stems=had or old.stems, pattern=old.pattern * is_kept))
    return replace(query, words=tuple(words))


PLAIN_WORD = re.compile(r"(?<![^\s\"'(])[A-Za-z]+(?![^\s\"'),.:;!?])")
"""A Latin word that is not part of an identifier, a path or a flag."""
PostsByName: TypeAlias = Mapping[str, Sequence[int]]
"""Post ids by the `name_key` of a title, an alias or an author."""
_MEANING_QUESTION = re.compile("|".join(read_rows("meaning_patterns.txt")), re.IGNORECASE)
"""Words around a name that ask for its meaning, in six languages."""


def index_names(titles: Iterable[tuple[int, str]]) -> PostsByName:
    """Index posts, given as pairs of id and name, by the keys of their names."""
    posts = defaultdict[str, list[int]](list)
    for post, title in titles:
        if key := name_key(title):
            posts[key].append(post)
    return dict(posts)


def name_keys(query: str) -> tuple[str, ...]:
    """Return the name keys of a query: of its whole text, and without its question words."""
    name = _MEANING_QUESTION.sub("", query.strip(" \t¿"))
    return tuple(dict.fromkeys(filter(None, (name_key(query), name_key(name)))))


def find_named_posts(titles: PostsByName, query: str) -> Sequence[int]:
    """Return the posts with the name in the query, or in the query without its question words."""
    return next((titles[key] for key in name_keys(query) if key in titles), ())


LEAST_EXCHANGED = 5
"""Minimum letters of a word to correct swapped or doubled letters."""
LEAST_LETTERS = 6
"""Minimum letters of a word to correct a missing or extra letter."""
LEAST_REPLACED = 8
"""Minimum letters of a word to correct a wrong letter."""
MOST_LETTERS = 40
"""Maximum letters of a word to correct."""


def correct_spelling(
    text: str,
    languages: Sequence[str],
    frequency_of: Callable[[str], int],
    is_word: Callable[[str], bool],
    find_written: Callable[[str], str],
) -> dict[str, str]:
    """Return the correction of each Latin word that no post has in any form and is not English.

    Corrections are tried in this order: the word split in two, z for s, an equal first letter, the
    commonest word one edit away. `frequency_of` counts the posts with a stem. `find_written`
    returns how posts write folded words, `""` if none does. `is_word` knows English. The result is
    empty if the text is in another language without Chinese, Japanese or Korean characters, or if
    at least half of these words have no correction, since the query is then of another field.
    """
    if language_of(text) not in {"", "en"} and not _CJK_CHAR.search(text):
        return {}
    stemmers = {stemmer_of(language) for language in languages}

    def count(word: str) -> int:
        forms = ([fold(w), *(stem(w, name) for name in stemmers)] for w in word.split())
        return min(max(map(frequency_of, spelled)) for spelled in forms)

    def find_meant(lower: str) -> str:
        ranks = {
            w: (" " in w, w.replace("z", "s") == lower, w[0] == lower[0], number, is_word(w))
            for w in _edits(lower)
            if (number := count(w))
        }
        nearest = sorted(ranks, key=ranks.__getitem__, reverse=True)
        return next(filter(None, map(find_written, nearest)), "")

    def is_known(word: str) -> bool:
        is_written = count(word.lower()) > 0 or is_word(word.lower())
        return is_written or any(map(frequency_of, other_stems(word, [stem(word, "en")])))

    words = dict.fromkeys(PLAIN_WORD.findall(text))
    unknown = [word for word in words if not is_known(word)]
    fitting = (word for word in unknown if LEAST_EXCHANGED <= len(word) <= MOST_LETTERS)
    corrected = {word: meant for word in fitting if (meant := find_meant(word.lower()))}
    return corrected if 2 * len(corrected) > len(unknown) else {}


def is_slip(word: str, meant: str) -> bool:
    """Whether `word` is `meant` or its singular, with letters swapped, doubled or halved (fliter).

    The first letters must be equal, and `meant` no part of the word. Of 7,428 words that one of six
    blogs has and another lacks, 3 % get a correction; three are slips by chance (carte, crates).
    """
    lower, other = fold(word), fold(meant)
    letters, *others = (
        sorted(re.sub(r"(\w)\1", r"\1", each)) for each in (lower, other, other.removesuffix("s"))
    )
    return letters in others and lower[0] == other[0] and other not in lower


def _edits(word: str) -> Iterator[str]:
    """Yield strings one edit away from a word, as its length allows, and the word split in two."""
    for place in range(len(word) + 1 if len(word) >= LEAST_EXCHANGED else 0):
        before, after = word[:place], word[place:]
        yield before + after[1:2] + after[:1] + after[2:]
        yield before + after[:1] + after
        if len(word) >= LEAST_LETTERS or after[:1] == before[-1:]:
            yield before + after[1:]
        if len(word) >= LEAST_LETTERS:
            yield from (before + letter + after for letter in ascii_lowercase)
        if len(word) >= LEAST_REPLACED:
            yield from (before + letter + after[1:] for letter in ascii_lowercase if after)
        if min(place, len(after)) > 2:
            yield f"{before} {after}"


def shows_other_language(
    query: Query, blog: str, frequency_of: Callable[[str], int], is_word: Callable[[str], bool]
) -> bool:
    """Whether most words are neither English nor in posts, and one is foreign grammar or script."""
    if query.language:
        return False
    words = {word.lower() for word in re.findall(r"[^\W\d_]{2,}", query.text)}
    had = {word.exact for word in query.words if any(map(frequency_of, word.stems))}
    strange, grammar = {fold(word) for word in words if not is_word(word)} - had, _folded(blog)
    is_latin = bool(grammar) and max(grammar) < "\u024f"
    others = strange - grammar
    shown = any((is_latin and w > "\u024f") or is_stopword(w, STEMMED) for w in others)
    return shown and len(strange) > 1 and 2 * len(strange) > len(words)


COMPOUNDS = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
"""Languages that write compounds as one word; posts seldom have exactly the word of a query."""


def find_missing_words(
    query: Query,
    languages: Sequence[str],
    frequency_of: Callable[[Word], int],
    is_word: Callable[[str], bool],
) -> Mapping[str, bool]:
    """Return the content words that no post has, as written, and whether each is a name.

    Names, numbers and identifiers come first. Other words count only in a language of the blog with
    a stemmer, which knows their forms. `frequency_of` counts the posts with a word, also in a
    compound. `is_word` knows English words, which may begin a sentence.
    """
    spoken = query.language or primary_subtag(languages[0])
    has_forms = spoken in STEMMED.intersection(map(primary_subtag, languages))
    foreign = () if query.language == "en" else STEMMED  # a Danish function word is "dog"
    had = {word.exact for word in query.words if frequency_of(word)}
    missing = {word.exact for word in query.words if word.is_needed} - had
    missing -= _asking_words(query.language)
    read, spans = [*terms(query.text, languages[0])], list[tuple[int, int, bool]]()
    held = [(term.start, term.end) for term in read if term.exact in had]
    for term in read:
        is_held = any(start <= term.start and term.end <= end for start, end in held)
        if term.exact not in missing or is_held or is_stopword(term.exact, foreign):
            continue
        written = query.text[term.start : term.end]
        is_name = _is_name(term, query, languages[0], is_word)
        is_content = has_forms and re.fullmatch(r"[^\W\d_]{3,}", written)
        if is_name or is_content:
            is_inside = spans and term.start < spans[-1][1]
            over = spans.pop() if is_inside else (term.start, term.end, False)
            spans.append((over[0], max(over[1], term.end), over[2] or is_name))
    spans.sort(key=lambda span: not span[2])
    return {query.text[start:end]: is_name for start, end, is_name in spans}


def _is_name(term: Term, query: Query, blog: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a term is written as a name.

    A name has a digit, `_` or a capital after its first sign, or is Latin in a query of another
    script. A first capital counts if at most half of the words have one; not in German or on an
    English word that begins a sentence.
    """
    written, words = query.text[term.start : term.end], query.text.split()
    if not re.fullmatch(r"\w\w+|\d[\d.,]*\d", written) or is_fragment(term.stem):
        return False
    is_foreign = max(written) < "\u0250" < max(filter(str.isalpha, query.text), default="")
    if is_foreign or any(not c.isalpha() or c.isupper() for c in written[1:]):
        return True
    before = re.search(r"\w(\W*)\Z", query.text[max(term.start - 9, 0) : term.start])
    begins = (not before or re.search(r"[.:;!?]\s", before[1])) and is_word(written.lower())
    capitals = sum(word[0].isupper() for word in words)
    is_telling = (query.language or primary_subtag(blog)) != "de" and 2 * capitals <= len(words)
    return is_telling and written[0].isupper() and not begins
