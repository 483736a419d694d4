"""Queries for posts by when and by whom: without a subject they are listed, not searched.

"Posts from March 2019", "what have you written lately", 最近寫了什麼: words for posts and for what
is new, in six languages, beside function words, a time and an author's name.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from blog_search_mcp.index.analysis.languages import CJK
from blog_search_mcp.index.analysis.query import is_stopword
from blog_search_mcp.index.analysis.tokenizer import fold
from blog_search_mcp.index.types import Filters

_POSTS = re.compile(
    r"^\W*\*\W*$|\b(?:(?:blog)?posts|articles|latest|newest|recent(?:ly)?|lately|beiträge|artikel"
    r"|neu(?:e?ste[nrs]?)|zuletzt|kürzlich|entradas|artículos|publicaciones|últim[ao]s?|recientes?"
    r"|recientemente|billets|récente?s?|récemment|derni(?:er|ère)s)\b"
    r"|文章|[貼帖博]文|帖子|最近|最新|近期|記事|投稿|新着",
    re.IGNORECASE,
)
"""Words that ask for posts, or for new ones, by themselves."""
_WRITTEN = re.compile(
    r"\b(?:blog|post|article|entr(?:y|ies)|news?|last|written|wrote|write|publish(?:ed)?|posted"
    r"|beitrag|einträge|geschrieben|schreibst|veröffentlicht|neues?|letzte[nrs]?|entrada|artículo"
    r"|escrito|publicado|nuev[ao]s?|billet|écrit|publié|nouveautés?|nouve(?:au|lle)s?"
    r"|derni(?:er|ère))\b|[寫写書]|[發発发][表布文佈]|更新|公開|ブログ|部落格|博客",
    re.IGNORECASE,
)
"""Words that do so beside other words."""
_MANNER = re.compile(
    r"\W*(?:how(?! many)|why|wie|warum|cómo|por qué|comment|pourquoi)\b", re.IGNORECASE
)
_MONTHS = (
    "jan|ene,feb|fév,mar|mär,apr|abr|avr,may|mai,jun|juin,jul|juil,aug|ago|aoû,sep,oct|okt,nov"
)
_MONTH_NAMES = [*_MONTHS.split(","), "dec|dez|dic|déc"]
_TIME = re.compile(
    r"(?:\b(?:(?P<since>since|after|seit|nach|desde|depuis|après)"
    r"|(?P<until>before|until|vor|bis|antes|avant|hasta)|in|from|of|im|aus|en|de)\s+(?:de\s+)?)?"
    rf"(?:\b(?P<name>{'|'.join(_MONTH_NAMES)})[^\W\d]*\.?,?\s+(?:de\s+|of\s+)?)?"
    r"(?<![\w.])(?P<year>(?:19|20)\d\d)(?![\d.])(?:(?:[-/]|\s*年\s*)(?P<month>\d{1,2})\s*月?|\s*年)?",
    re.IGNORECASE,
)
_BY = r"\b(?:by|from|von|par|por|de)\s+"
_ABOUT = re.compile(r"\b(?:about|über|sobre|sur)\s*$", re.IGNORECASE)
_BESIDE = (
    "s many two three five ten week month year today day days show list give tell anything "
    "something everything ever please hast habt woche monat jahr heute cual cuales semana mes "
    "ano hoy quel quels quelle quelles semaine mois annee"
)
_FILLERS = {*_BESIDE.split(), *"两兩三四五六七八九十些新篇年月周週天今去列出请您麽吗说讲看本個"}
"""Words that name no subject, beside function words; folded."""
_TOKEN = rf"[{CJK}]|[^\W_{CJK}]+"
_LANGUAGES = ("en", "de", "es", "fr", "zh")


def read_request(text: str, filters: Filters, authors: Iterable[str]) -> tuple[str, Filters] | None:
    """Return the subject of a query for posts, perhaps `""`, and what its posts must satisfy.

    `None` for any other query, which is searched for as it is.
    """
    is_written = bool(_WRITTEN.search(text)) and len(re.findall(_TOKEN, text)) > 1
    if _MANNER.match(text) or not (_POSTS.search(text) or is_written):
        return None
    given, rest, by = filters, text, ""
    plain = text.casefold()
    for name in sorted((n for n in authors if n.casefold() in plain), key=len, reverse=True):
        named = re.search(rf"({_BY})?(?<!\w){re.escape(name)}(?!\w)", rest, re.IGNORECASE)
        if named and not _ABOUT.search(rest[: named.start()]):
            by, rest = named[1] or "", rest.replace(named[0], " ")
            given = replace(given, author=given.author or name)
            break
    if match := _TIME.search(rest):
        rest = rest.replace(match[0], " ")
        given = _limit_days(given, match)
    rest = re.sub(r"(?<![\w.])\d{1,2}(?![\w.])", " ", _WRITTEN.sub(" ", _POSTS.sub(" ", rest)))
    tokens = [fold(token) for token in re.findall(_TOKEN, rest)]
    is_subject = any(not (is_stopword(t, _LANGUAGES) or t in _FILLERS) for t in tokens)
    if not is_subject:
        return "", given
    is_sure = bool(_POSTS.search(text)) and (given.author == filters.author or by)
    return (rest, given) if is_sure and given != filters else None


def _limit_days(filters: Filters, time: re.Match[str]) -> Filters:
    """Add the first and last day of a time, as far as it has them, where none are given."""
    name, year = (time["name"] or "").lower(), int(time["year"])
    named = sum(n for n, names in enumerate(_MONTH_NAMES, 1) if name in names.split("|"))
    month = min(int(time["month"] or 0), 12) or named
    first = date(year, month or 1, 1)
    last = date(year, month or 12, monthrange(year, month or 12)[1])
    until = first - timedelta(1) if time["until"] else last
    after = filters.after or (None if time["until"] else first.isoformat())
    before = filters.before or (None if time["since"] else until.isoformat())
    return replace(filters, after=after, before=before)
