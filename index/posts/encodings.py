"""Guess the encoding of a text that is not UTF-8 by the letters that its language would have.

Read in another 8-bit encoding a text has letters that no language mixes, signs within words, or
letters of two scripts in one. Where none makes a language of it, charset-normalizer is asked for
one of East Asia's.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from unicodedata import category

_LATIN = {
    "cp1252 cp850 mac_roman": "äöüß àâæçèéêëîïôœùûüÿ áéíñóúü àáâãçéêíóôõú àèéìíòóùú ëïéèöüá åäöé "
    "åæøé äõöü áðéíóúýþæö",
    "cp1250 iso8859_2 cp852": "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű ăâîşţ čćđšž",
    "cp1254": "çğıöşü",
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äõöüšž",
}
"""Encodings, and the letters beyond ASCII of each of their languages."""
_SCRIPTS = {
    "cp1251 koi8_r koi8_u cp866 iso8859_5": "Russian Ukrainian Bulgarian Serbian",
    "cp1253 iso8859_7": "Greek",
    "cp1255": "Hebrew",
    "cp1256 iso8859_6": "Arabic Farsi",
}
"""Those of other scripts, and their languages by charset-normalizer's names."""
_ANY = 0.6
"""What a letter counts that is of another language of the encoding; one of the same counts 1."""
_SURE = 0.5
"""Least mean of a text that is read; texts of East Asia have .36 at most."""

_EAST_ASIAN = ["big5hkscs", "gb18030", "cp932", "euc_jp", "cp949"]
"""Each the superset browsers use for its family (WHATWG Encoding)."""
_MESS = 0.8
"""Most of charset-normalizer's mess ratio that is read: tables and code count as mess."""
_KANA = re.compile("[\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\x00-\x7f]")
_KANA_SHARE = 0.2
"""Of letters beyond ASCII, the least that proves Shift-JIS: charset-normalizer takes Japanese
without tables and code for rare Korean syllables."""

_WORD = re.compile(rb"[A-Za-z\x80-\xff]*[\x80-\xff][A-Za-z\x80-\xff]*")
_SAMPLE = 3000
"""Bytes of words that are looked at."""


def guess_encoding(data: bytes) -> str:
    """Return Python's name of the encoding, `""` if it cannot be told."""
    sample = b" ".join(_WORD.findall(data))[:_SAMPLE]
    rated = {
        encoding: _rate([*_list_signs(sample.decode(encoding, "replace"), names in _LATIN)], names)
        for names in (*_LATIN, *_SCRIPTS)
        for encoding in names.split()
    }
    best = max(rated, key=rated.__getitem__)
    return best if rated[best] >= _SURE else _guess_east_asian(data)


def _list_signs(words: str, is_latin: bool) -> Iterator[str]:
    """Yield the letters beyond ASCII in lower case, and `""` for what words do not have."""
    for before, sign, after in zip(f" {words}", words, f"{words[1:]} ", strict=False):
        foreign = [x for x in (before, after) if x.isalpha() and x.isascii() != is_latin]
        if sign.isalpha() and not sign.isascii():
            is_odd = len(foreign) > is_latin or (sign.isupper() and before.islower())
            yield "" if is_odd else sign.lower()
        elif not sign.isascii() and sign not in "’°©®\u00ad\u200c":
            is_within = after.isalpha() and (before.isalpha() or category(sign) in ("No", "Sk"))
            yield from [""] * (is_within or category(sign) in ("Cc", "So"))


def _rate(signs: list[str], encodings: str) -> float:
    """Return how well the letters are those of a language, in [-1, 1]."""
    sums = (
        sum(weights.get(x, -1.0 - 0.1 * (not x)) for x in signs)
        for weights in _alphabets(encodings)
    )
    return max(sums) / len(signs) if signs else 1.0


@cache
def _alphabets(encodings: str) -> list[Mapping[str, float]]:
    """Return what each letter counts in each language; in other scripts the frequent ones more."""
    from charset_normalizer.constant import FREQUENCIES  # which a blog in UTF-8 need not wait for

    if encodings in _LATIN:
        letters = _LATIN[encodings]
        return [dict.fromkeys(letters, _ANY) | dict.fromkeys(one, 1.0) for one in letters.split()]
    languages = [[*dict.fromkeys(FREQUENCIES[name])] for name in _SCRIPTS[encodings].split()]
    return [{x: 1 - at / (2 * len(each)) for at, x in enumerate(each)} for each in languages]


def _guess_east_asian(data: bytes) -> str:
    from charset_normalizer import from_bytes

    matches = from_bytes(data, threshold=_MESS, cp_isolation=_EAST_ASIAN)
    for text in (str(match) for match in matches if match.encoding == "cp932"):
        if len(_KANA.findall(text)) >= _KANA_SHARE * len(_LETTER.findall(text)):
            return "cp932"
    best = matches.best()
    return best.encoding if best else ""
