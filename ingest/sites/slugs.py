"""Text comes in; the form that a site generator gives it in a path or an anchor goes out.

Each function does what one generator's own does, found in its source and held against its
output. Where that needs tables which are not to be had here, the answer is `None`: no link is
better than one that leads nowhere.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import quote

_IN_HUGO_PATH = frozenset("./\\_#+~-")

_HEXO_SEPARATORS = re.compile(r"[\s\ufeff~`!@#$%^&*()\-_+=[\]{}|\\;:\"'<>,.?/]+")
_CONTROL = re.compile(r"[\x00-\x1f]")

_SPELLED = {
    "ß": "ss",
    "æ": "ae",
    "Æ": "AE",
    "œ": "oe",
    "Œ": "OE",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "đ": "d",
    "Đ": "D",
    "ı": "i",
}
"""Letters that no Unicode decomposition spells out."""
_HEXO_SPELLED = {**_SPELLED, "ß": "s"}
_ZOLA_SPELLED = {"么": "Me ", "什": "Shen ", "价": "Jia ", "旅": "Lv ", "术": "Shu "}
"""Where deunicode, which Zola spells with, has left the tables it shares with text-unidecode."""
_UNKNOWN = "[?]"
"""What text-unidecode says where it has no spelling."""


def hugo_slug(text: str, *, lower: bool = True) -> str:
    """Sanitize a path or a part of one, as Hugo does; slashes stay."""
    kept: list[str] = []
    gap = False
    for char in unicodedata.normalize("NFC", text):
        if char in _IN_HUGO_PATH or unicodedata.category(char)[0] in "LM" or _is_digit(char):
            if gap and char != "-":
                kept.append("-")
            gap = False
            kept.append(char)
        elif kept and char.isspace() and kept[-1] != "-":
            gap = True
    return "".join(kept).lower() if lower else "".join(kept)


def jekyll_slug(text: str) -> str:
    """Put a hyphen for every run of what is no letter or digit; in lower case."""
    return _hyphenated(text, "").lower()


def jekyll_title(text: str) -> str:
    """Like `jekyll_slug`, but case and the signs that a path may hold stay."""
    return _hyphenated(text, "._~!$&'()+,;=@")


def hexo_slug(text: str, *, lower: bool = False) -> str | None:
    """Put a hyphen for every run of ASCII signs; Chinese and its signs stay as they are."""
    folded = [_hexo_letter(char) for char in text]
    if None in folded:
        return None
    plain = _CONTROL.sub("", "".join(filter(None, folded)))
    slug = re.sub("-{2,}", "-", _HEXO_SEPARATORS.sub("-", plain)).strip("-")
    return slug.lower() if lower else slug


def zola_slug(text: str) -> str | None:
    """Spell text in ASCII, `快取` as `kuai-qu`, and put a hyphen for every run of signs."""
    spelled = [_zola_letter(char) for char in text]
    if None in spelled:
        return None
    return re.sub("[^a-z0-9]+", "-", "".join(filter(None, spelled)).lower()).strip("-")


def encoded(path: str, safe: str) -> str:
    """Percent-encode all but unreserved characters and `safe`; what is encoded already stays."""
    return quote(path, safe=safe + "%" if re.search("%[0-9A-Fa-f]{2}", path) else safe)


def readable(path: str) -> str:
    """Percent-encode only what cannot stand in a link: spaces, quotes, brackets and the like."""
    return re.sub(r"[\x00-\x20\"<>\\^`{|}\x7f]", lambda found: quote(found[0]), path)


def _is_digit(char: str) -> bool:
    return unicodedata.category(char) == "Nd"


def _hyphenated(text: str, also: str) -> str:
    def stays(char: str) -> bool:
        return char in also or unicodedata.category(char)[0] in "LM" or _is_digit(char)

    slug = re.sub("\x00+", "-", "".join(char if stays(char) else "\x00" for char in text))
    return slug.removeprefix("-").removesuffix("-")


def _hexo_letter(char: str) -> str | None:
    if char.isascii() or not _is_latin(char):
        return char
    return _HEXO_SPELLED.get(char) or _decomposed(char)


def _is_latin(char: str) -> bool:
    """Whether Hexo's table of letters may spell it another way."""
    named = unicodedata.name(char, "")
    return "LATIN" in named and unicodedata.category(char) in ("Lu", "Ll", "Lt", "So")


def _zola_letter(char: str) -> str | None:
    if char.isascii():
        return char
    from text_unidecode import unidecode

    spelled = _ZOLA_SPELLED.get(char) or unidecode(char)
    return None if not spelled or _UNKNOWN in spelled else spelled


def _decomposed(char: str) -> str | None:
    """Give the ASCII letters below its accents, `None` if that is no sure spelling."""
    if "LIGATURE" in unicodedata.name(char, "") or char == "ſ":
        return None
    parts = unicodedata.normalize("NFKD", char)
    letters = "".join(part for part in parts if not unicodedata.combining(part))
    return letters if letters.isascii() and letters.isalpha() else None
