"""Which language a text is in: text in, a two-letter code out.

It decides by which rules words are stemmed and which of them are mere grammar.
Scripts tell Chinese, Japanese and Korean; for the rest the language whose
function words occur most is taken, as a third of any running text is made of
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Snowball's algorithms by language; Latin words in any other language's posts are stemmed as
English, which is what technical terms mostly are."""

FUNCTION_WORDS = {
    "en": "a about after all also am an and any are as at be because been before being between "
    "both but by can could did do does doing down during each few for from further had has have "
    "having he her here his how i if in into is it its just me more most my no nor not of off on "
    "once only or other our out over own same she should so some such than that the their them "
    "then there these they this those through to too under until up us very was we were what "
    "when where which while who whom why will with without would you your",
    "de": "aber als am an auch auf aus bei bin bis da das dass dem den der des die doch du durch "
    "ein eine einem einen einer er es für haben hat ich ihr im in ist kann kein man mein mit nach "
    "nicht noch nur ob oder ohne sich sie sind so über um und unter vom von vor wann war warum "
    "was wenn wer werden wie wir wird wo zu zum zur",
    "es": "a al así como con cómo cuando cuál cuándo de del donde dónde el ella en entre es esa "
    "ese esta está este esto ha hay la las le les lo los me mi muy más no nos o para pero por "
    "porque puede que quien quién qué se ser si sin sobre son su sus también te tiene tu un una "
    "unos y ya yo",
    "fr": "à au aux avec ce ces cette comment dans de des du elle en est et être fait il ils je "
    "la le les leur lui mais me mes mon ne nous on ont ou où par pas plus pour pourquoi qu quand "
    "que quel quelle qui sa sans se ses si son sont sur ta te tu un une vous y",
    "it": "a ai al alla anche che chi ci come con cosa da dal dei del della delle di dove e è era "
    "gli ha hanno ho i il in io la le lo ma mi nei nel nella non o per perché più quale quando "
    "quello questa questo se si sono su sul tra un una uno",
    "nl": "aan als bij dan dat de deze die dit door een en er haar had hebben heeft het hij hoe "
    "hun ik in is je kan maar me met mijn naar niet nog nu of om ons ook op over te tot uit van "
    "veel voor waar waarom wanneer was wat we welke werd wie wij worden zal ze zich zijn zo",
    "pt": "a ao aos as até com como da das de do dos e é ela ele em entre era essa esse esta este "
    "eu foi há isso já mais mas me meu muito na nas nem no nos não o onde os ou para pela pelo "
    "por porque pode qual quando que quem se sem ser seu sua são também tem um uma você",
    "ru": "а без бы был была быть в вам вас во вот все вы где да для до его ее если есть еще же за "
    "и из или им их к как какой когда кто ли мне мы на над не нет но о об он она они от по под "
    "почему при с со так то только ты у уже чем что чтобы это этот я",
    "sv": "alla att av bara blir då de den det detta där efter ej eller en ett från för ha har hur "
    "här i icke in inte jag kan man med mer mig min mot ni nu någon när och om på sig sin ska "
    "som så till upp ut vad var varför vi vid vilken är än",
}
"""By language; in a query they weigh little, in a post they tell its language."""

LEAST_SHARE = 0.08
"""Share of function words that names a language; running text of any has .25 and more, text
made of identifiers next to none."""

LEAST_POSTS = 0.05
"""Share of the posts from which on their language's stems are looked up for every query."""

SAMPLE = 20_000
"""Characters looked at: more would not change the answer."""

_KANA = "\u3040-\u30ff"
_HANGUL = "\uac00-\ud7af"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_CHARACTERS = re.compile(rf"(?P<ja>[{_KANA}])|(?P<ko>[{_HANGUL}])|(?P<zh>[{_HAN}])")
_WORD = re.compile(rf"[^\W\d_{_KANA}{_HANGUL}{_HAN}]+")

KANA_SHARE = 0.1
"""Share of kana among the East Asian characters that makes a text Japanese: Japanese prose has
half, Chinese none."""

CHARACTERS_PER_WORD = 2
"""East Asian characters that count as one word where scripts are weighed against each other."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str:
    """The language of `text` as ISO 639-1; `en` where none stands out."""
    sample = text[:SAMPLE]
    kinds = [str(match.lastgroup) for match in _CHARACTERS.finditer(sample)]
    words = [word.lower() for word in _WORD.findall(sample)]
    if len(kinds) > CHARACTERS_PER_WORD * len(words):
        return _east_asian(kinds)
    counts = Counter(words)
    shares = {code: _share(counts, len(words), code) for code in FUNCTION_WORDS}
    best = max(shares, key=lambda code: (shares[code], code == "en"))
    if shares[best] >= LEAST_SHARE:
        return best
    return _east_asian(kinds) if kinds else "en"


def spoken(posts: Mapping[str, int]) -> tuple[str, ...]:
    """The languages that a query is looked up in, the commonest first, of posts counted by theirs.

    Each further one costs a look-up of every word, so those of a few posts are left out.
    """
    ordered = sorted(posts, key=lambda code: (-posts[code], code))
    least = LEAST_POSTS * sum(posts.values())
    return tuple(code for code in ordered if posts[code] >= least) or ("en",)


def stemmer_of(language: str) -> str:
    """Snowball's algorithm for the Latin words of a post in `language` (`de`, `pt-br`, `zh-tw`)."""
    return STEMMERS.get(primary(language), "english")


def primary(language: str) -> str:
    """The language alone of a tag that may name a script or a region too."""
    return language.partition("-")[0].lower()


@cache
def function_words(language: str) -> frozenset[str]:
    """The language's function words; none for a language without a list."""
    return frozenset(FUNCTION_WORDS.get(primary(language), "").split())


def _east_asian(kinds: list[str]) -> str:
    if kinds.count("ko") * 2 > len(kinds):
        return "ko"
    return "ja" if kinds.count("ja") >= KANA_SHARE * len(kinds) else "zh"


def _share(counts: Mapping[str, int], words: int, language: str) -> float:
    known = counts.keys() & function_words(language)
    return sum(counts[word] for word in known) / words if words else 0.0
