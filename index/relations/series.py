"""Series: which posts of a blog are the parts of one longer text, and in what order.

Authors say so in the front matter, by numbers in titles (`Part 2`, `第二篇`, `(2)`, `2/3`, `Day 3`)
or in the names of files that lie together (`01-intro.md`), and by links from part to part. A number
without such a sign names a release, a year or a quantity as often as a part: it is read only where
several posts of one folder count from 0 or 1 on. So is what stands before a colon in several titles
as often a column of the blog as a series: it counts for posts that link to each other. Titles that
differ by their month alone are a report that comes again.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from blog_search_mcp.index.relations.addresses import ResolvedLink
from blog_search_mcp.index.types import Link, Post, Series, SeriesPart

LEAST_REPORT = 5
"""Characters that a title has beside its month, at least, to say what is reported."""

LAST = 999
"""The number of a last part that is named by a word, such as 下."""

_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER = rf"(?P<n>\d{{1,3}}|[ivx]{{1,5}}|[一二三四五六七八九十]{{1,3}}|{'|'.join(_WORDS)})"
_MARKERS = tuple(
    re.compile(pattern.replace("NUMBER", _NUMBER), re.IGNORECASE)
    for pattern in (
        r"\b(?:part|pt|teil|partie|parte|deel|del|часть|episode|ep|chapter|kapitel|chapitre"
        r"|lesson|day|week|volume|vol|no|nr|パート)\.?\s*#?NUMBER(?![\w.]*\d)\b",
        r"[第제]\s*NUMBER\s*(?:部分|[篇章部回講讲節节天集課课話话期弹彈週周日卷步편부장회])",
        r"[(\[【]\s*(?:part\s*)?NUMBER\s*(?:(?:/|of)\s*\d{1,3}\s*)?[)\]】]",
        r"(?<![\d./])(?P<n>\d{1,3})\s*(?:/|of)\s*\d{1,3}(?![\d./])",
        r"(?<![\w.])(?P<n>\d{1,3})\s*(?:편|화|日目)",
        r"#(?P<n>\d{1,3})\b(?![.\d])",
        r"(?:その|之)\s*NUMBER\s*(?=$|[:\-])",
        r"[(\[【](?P<n>[上中下前后後])[篇編编集]?[)\]】]|(?P<m>[上中下前后後])[篇編编](?=$|[:\-])",
    )
)
_ROMAN = re.compile(r"(?<=\s)(?P<n>I{1,3}|IV|VI{1,3}|IX)(?=\s*(?:$|[:,(\-]))")
"""A numeral in capitals at the end of a title or of its first clause; `V` and `X` name products."""
_COUNT = re.compile(r"(?<![\w.@])(?:EP?)?(?P<n>\d{1,3})(?![\w%+]|\.\d)")
"""A number by itself, not of a version."""
_CHAPTER = re.compile(r"^(?P<chapter>\d{1,2})\.(?P<n>\d{1,2})(?=[\s:-])")
_CLAUSE = re.compile(r"^(.{4,60}?)\s*(?::\s| - | \| )(?=.)")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_PERIOD = re.compile(
    rf"\b(?:(?:early|mid|late|end of)[ -]\d{{4}}"
    rf"|{_MONTH}(?:\s*(?:&|and|/|-)\s*{_MONTH})?(?:,?\s+\d{{4}})?)(?!\w)"
    r"|\d{4}\s*年\s*\d{1,2}\s*月[份号號]?",
    re.IGNORECASE,
)
_EDGES = " -:,|[(【#"
_ORDINALS = {"上": 1, "前": 1, "中": 2, "下": LAST, "后": LAST, "後": LAST}
_DIGITS = {character: value for value, character in enumerate("一二三四五六七八九", 1)}
_ROMANS = {"i": 1, "v": 5, "x": 10}

_DAY = re.compile(r"^\d{4}[-_]?\d{2}[-_]?\d{2}(?:[-_ ]+|$)")
_NEIGHBOUR = re.compile(
    r"^\W*(?:(?:the )?(?:next|previous|prev|first|last|second|third)(?: (?:part|post|article"
    r"|chapter|installment|instalment))?(?: in (?:the|this) series)?|[上下前]一?[篇章節节集]"
    r"|(?:nächster?|voriger?|erster?) teil)\b",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"\bpart (?:\d|{'|'.join(_WORDS)})\b|\b(?:in|of|to) (?:this|the|our) series\b"
    r"|\b(?:first|second|third|fourth|fifth) (?:part|post|article|instal?lment)\b",
    re.IGNORECASE,
)
"""Words on a link that leads to another part of the same series, linked back or not."""


@dataclass(frozen=True, slots=True)
class _Number:
    """What a title or a file's name says of a part."""

    stem: str
    """What stands before the number, folded; what follows it if nothing does."""
    name: str
    """The stem as it is written."""
    number: int


def find_series(
    posts: Mapping[int, Post], links: Mapping[int, Sequence[ResolvedLink]]
) -> list[Series]:
    """Find the series of a blog: `posts` are all by id, `links` those of each that has any.

    A post is in one series at most. Sorted by the first part's source.
    """
    read = {number: _Reading(post) for number, post in posts.items()}
    groups = _Groups(posts)
    for bucket in _buckets(posts, read):
        groups.join(bucket)
    for pair in _linked_parts(posts, links):
        groups.join(pair)
    found = [_order(group, posts, read) for group in groups.sets() if len(group) > 1]
    return sorted(found, key=lambda series: posts[series.parts[0].post].source)


class _Reading:
    """What a post says of its place in a series."""

    __slots__ = ("counts", "folder", "joined", "slug", "title")

    def __init__(self, post: Post) -> None:
        self.title = _read_number(_clean(post.title))
        folder, _, file = post.source.rpartition("/")
        stem = file.rpartition(".")[0]
        if stem.casefold() in ("index", "_index", "readme"):
            folder, _, stem = folder.rpartition("/")
        self.folder = folder
        name = re.sub(r"[-_]+", " ", _clean(_DAY.sub("", stem)))
        self.slug = _unnamed(_read_number(name))
        self.counts = [_count(_clean(post.title), _CHAPTER), _unnamed(_count(name, None))]
        self.joined: _Number | None = None
        """The surest of them that joined it to others."""

    @property
    def number(self) -> int | None:
        """The part's number."""
        return self.joined.number if self.joined else None


def _buckets(posts: Mapping[int, Post], read: Mapping[int, _Reading]) -> Iterator[list[int]]:
    """Yield posts that are parts of one series by the same sign, the surest signs first."""
    by_sign: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, post in posts.items():
        if post.series:
            by_sign["series", post.language, _fold(post.series)].append(number)
    yield from by_sign.values()
    by_sign.clear()
    signs: dict[tuple[str, ...], dict[int, _Number]] = defaultdict(dict)
    for number, post in posts.items():
        place = (post.language, read[number].folder)
        for kind, sign in enumerate((read[number].title, read[number].slug)):
            if sign and sign.stem:
                signs["0", post.language, sign.stem].setdefault(number, sign)
            elif sign:
                signs["1", str(kind), *place].setdefault(number, sign)
        for kind, sign in enumerate(read[number].counts):
            if sign:
                signs["2", str(kind), *place, sign.stem].setdefault(number, sign)
    stems = {key[1:] for key in signs if key[0] == "0"}
    by_title: dict[tuple[str, ...], int] = {
        title: number
        for number, post in posts.items()
        if (title := (post.language, _fold(_clean(post.title)))) in stems
    }
    for key, bucket in sorted(signs.items()):
        numbers = [sign.number for sign in bucket.values()]
        opening = by_title.get(key[1:]) if key[0] == "0" and 1 not in numbers else None
        if opening is None and not (len(set(numbers)) > 1 if key[0] == "0" else _is_run(numbers)):
            continue
        for number, sign in bucket.items():
            read[number].joined = read[number].joined or sign
        yield [*([] if opening is None else [opening]), *bucket]


def _is_run(numbers: Sequence[int]) -> bool:
    """Whether numbers count the parts of one text: from 0 or 1 on, each once, few missing."""
    return (
        len(numbers) > 2
        and len(set(numbers)) == len(numbers)
        and min(numbers) <= 1
        and max(numbers) < 2 * len(numbers)
    )


def _linked_parts(
    posts: Mapping[int, Post], links: Mapping[int, Sequence[ResolvedLink]]
) -> Iterator[Sequence[int]]:
    """Yield posts that links join.

    Titles begin with the same clause, of three posts or of such as link to each other; titles of
    three posts or more are the same but for a month; a link's
    words speak of a part, or of a neighbour that links back; posts list each other by date.
    """
    clauses: dict[tuple[str, str], set[int]] = defaultdict(set)
    periods: dict[tuple[str, str], set[int]] = defaultdict(set)
    for number, post in posts.items():
        title = _clean(post.title)
        found = _CLAUSE.match(title)
        if found and len(found[1].split()) > 1:
            clauses[post.language, _fold(found[1])].add(number)
        if report := _undated(title):
            periods[post.language, _fold(report)].add(number)
    for number, post in posts.items():
        if group := clauses.get((post.language, _fold(_clean(post.title)))):
            group.add(number)
    targets = {
        number: {
            resolved.link: target.post
            for resolved in each
            if (target := resolved.target)
            and target.post != number
            and posts[target.post].language == posts[number].language
        }
        for number, each in links.items()
    }
    linked = {number: set(found.values()) for number, found in targets.items()}
    for group in clauses.values():
        if len(group) > 2 or any(not group.isdisjoint(linked.get(each, ())) for each in group):
            yield sorted(group)
    for group in periods.values():
        if len(group) > 2:
            yield sorted(group)
    for number, found_links in sorted(targets.items()):
        for link, other in found_links.items():
            is_neighbour = _NEIGHBOUR.match(link.words) and number in linked.get(other, ())
            if is_neighbour or _PART.search(link.words):
                yield number, other
    listed: defaultdict[frozenset[int], dict[int, list[str]]] = defaultdict(dict)
    for number, found_links in sorted(targets.items()):
        for listing in _listings(number, found_links):
            dates = [posts[other].date or "" for other in listing if other != number]
            listed[frozenset(listing)].setdefault(number, dates)
    for members, by_owner in listed.items():
        is_mutual = len(by_owner) == len(members)
        if is_mutual and any(all(d) and d == sorted(d) for d in by_owner.values()):
            yield sorted(members)


def _listings(number: int, targets: Mapping[Link, int]) -> Iterator[tuple[int, ...]]:
    """Yield a post with the others that it lists, each on a line of its own, two at least."""
    listing = {number: None}
    last = 0
    for link, other in [*targets.items(), (Link("", "", 0), number)]:
        if not 0 < link.line - last <= 2:
            if len(listing) > 2:
                yield tuple(listing)
            listing = {number: None}
        listing[other] = None
        last = link.line


class _Groups:
    """Posts joined to groups; two series that authors name stay two."""

    def __init__(self, posts: Mapping[int, Post]) -> None:
        self._group: dict[int, set[int]] = {}
        self._named = {number: _fold(post.series) for number, post in posts.items() if post.series}

    def join(self, bucket: Sequence[int]) -> None:
        for other in bucket[1:]:
            one, two = (self._group.setdefault(each, {each}) for each in (bucket[0], other))
            names = {self._named.get(number, "") for number in one | two} - {""}
            if one is not two and len(names) < 2:
                one |= two
                for number in two:
                    self._group[number] = one

    def sets(self) -> list[set[int]]:
        return list({id(group): group for group in self._group.values()}.values())


def _order(group: set[int], posts: Mapping[int, Post], read: Mapping[int, _Reading]) -> Series:
    """Order by the author's numbers, else by date; posts without a number come by their date."""
    numbers = {n: posts[n].part if posts[n].part is not None else read[n].number for n in group}
    known = [number for number in numbers.values() if number is not None]
    if len(known) < len(group) - 1 or len(set(known)) < len(known):
        numbers = dict.fromkeys(group)
    ordered = sorted(
        group,
        key=lambda n: (
            1 if numbers[n] is None and known else numbers[n] or 0,
            posts[n].date or "",
            posts[n].source,
        ),
    )
    parts = tuple(
        SeriesPart(n, posts[n].source, place if numbers[n] in (None, LAST) else numbers[n] or 0)
        for place, n in enumerate(ordered, 1)
    )
    return Series(_name(ordered, posts, read), parts)


def _name(ordered: Sequence[int], posts: Mapping[int, Post], read: Mapping[int, _Reading]) -> str:
    """Name a series as its author does, else by what its titles share, its folder or its start."""
    written = (posts[n].series for n in ordered)
    signs = (read[n].joined for n in ordered)
    stems = (sign.name for sign in signs if sign)
    titles = [_clean(posts[n].title) for n in ordered]
    clause = next((found[1] for title in titles if (found := _CLAUSE.match(title))), "")
    is_shared = all(_fold(title).startswith(_fold(clause)) for title in titles)
    folders = {read[n].folder for n in ordered}
    folder = re.sub(r"^\d+[-_. ]+", "", folders.pop().rpartition("/")[2]).replace("-", " ")
    place = "" if folders else folder
    reports = {_undated(title) for title in titles}
    report = reports.pop() if len(reports) == 1 else ""
    named: tuple[str, ...] = (*written, *stems, clause if is_shared else "", report, place)
    return next(filter(None, named), posts[ordered[0]].title)


def _unnamed(sign: _Number | None) -> _Number | None:
    """Drop what is written in a file's name, which titles say better."""
    return replace(sign, name="") if sign else None


def _read_number(text: str) -> _Number | None:
    """Read the first sign of a part in a title, or in a name with spaces."""
    for marker in (*_MARKERS, _ROMAN):
        found = marker.search(text)
        if found is None:
            continue
        groups = found.groupdict()
        number = _to_number(groups.get("n") or groups["m"])
        if number is None:
            continue
        before = text[: found.start()]
        stem = _fold(before)
        return _Number(stem, before.strip(_EDGES) if stem else "", number)
    return None


def _count(text: str, chapter: re.Pattern[str] | None) -> _Number | None:
    """Read the first number of a title, or of a name with spaces, that has no other sign."""
    found = (chapter and chapter.match(text)) or _COUNT.search(text)
    if found is None:
        return None
    above = found.groupdict().get("chapter")
    before = above or text[: found.start()]
    name = "" if above or not _fold(before) else before.strip(_EDGES)
    return _Number(_fold(before), name, int(found["n"]))


def _to_number(text: str) -> int | None:
    """Read digits, a Roman or Chinese numeral, an English word or an ordinal of two or three."""
    text = text.casefold()
    if text.isdecimal():
        return int(text)
    if text in _ORDINALS:
        return _ORDINALS[text]
    if text in _WORDS:
        return _WORDS.index(text) + 1
    if set(text) <= _ROMANS.keys():
        values = [_ROMANS[letter] for letter in text]
        pairs = zip(values, [*values[1:], 0], strict=True)
        return sum(-value if value < following else value for value, following in pairs)
    tens, ten, ones = text.rpartition("十")
    return (_DIGITS.get(tens, 1) * 10 if ten else 0) + _DIGITS.get(ones, 0) or None


def _undated(title: str) -> str:
    """Return a title without its month, empty if it has none or is hardly more."""
    rest = _PERIOD.sub(" ", title, count=1)
    words = rest.strip(_EDGES + ")]】").split()
    return " ".join(words) if rest != title and len("".join(words)) > LEAST_REPORT else ""


def _clean(text: str) -> str:
    """Fold wide characters and dashes; a title's case stays."""
    return re.sub(r"[\u2010-\u2015]", "-", unicodedata.normalize("NFKC", text)).strip()


def _fold(text: str) -> str:
    """Keep the words of a stem."""
    return " ".join(re.findall(r"\w+", text.casefold()))
