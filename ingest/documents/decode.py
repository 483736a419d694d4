"""Bytes of a file come in; text goes out, with the encoding it was read as.

UTF-8 is tried first and kept even with a few bad bytes, because a post that is almost UTF-8 is
UTF-8 that was damaged. What is left is told apart by a byte order mark, by the zeros of UTF-16,
by the shape of its bytes, and last by charset-normalizer among the encodings posts were really
written in. Text is verbatim but for three things: line endings become LF, a byte order mark is
dropped, and NUL becomes U+FFFD as CommonMark asks (2.3, insecure characters).
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import CharsetMatch, from_bytes

from blog_search_mcp.index.errors import UnreadablePost

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_LEGACY = ("big5hkscs", "gb18030", "cp932", "euc_jp", "cp949", "cp1251", "koi8_r", "cp1252")
"""Each the superset browsers use for its family (WHATWG Encoding); the earlier wins a tie."""

_SCRIPTS = {
    "cp932": (re.compile("[\u3040-\u30ff]"), 0.2),
    "euc_jp": (re.compile("[\u3040-\u30ff]"), 0.2),
    "cp949": (re.compile("[\uac00-\ud7a3]"), 0.9),
}
"""Least share of kana or Hangul among letters beyond ASCII that proves the encoding right:
Chinese bytes read as Japanese give half-width kana, and read as Korean half Hangul."""

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes no text holds; tab, line ends, form feed and escape (terminal colours) are allowed."""

_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_LETTER = re.compile(r"[^\W\x00-\x7f]")
_NOT_ASCII = re.compile("[^\x00-\x7f\ufffd]")
_LINE_END = re.compile("\r\n?")

_UTF16_ZEROS = 0.01
"""Least share of zero bytes in BOM-less UTF-16: one ASCII character (a line end) in fifty."""
_BINARY_CONTROLS = 0.02
"""Share of control bytes above which a file is no text; images and archives have above 5 %."""
_STRAY_CONTROLS = 8
"""Control bytes any file may hold, so that a short post is not judged by two of them."""
_REPAIRABLE = 0.1
"""Most bad sequences for each good multi-byte character; Big5 or GBK read as UTF-8 has above 3."""
_SINGLE_BYTE_RUN = 2.0
"""Mean length of runs of high bytes below which a text is Western: umlauts stand alone."""
_CHAOS_LIMIT = 0.4
"""charset-normalizer's own 0.2 refuses one Chinese post in sixty, those with tables and code."""
_CHAOS_SLACK = 0.1
"""charset-normalizer's `chaos` (0 clean to 1 mess) within which candidates count as equal."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file and how it was read."""

    text: str
    """Lines end with LF; no byte order mark."""
    encoding: str
    """Python's name: `utf-8`, `utf-16-le`, `big5hkscs`, …"""
    had_bom: bool
    repaired: int
    """How many characters became U+FFFD."""


def decode(data: bytes) -> Decoded:
    """Read bytes as text. Raises UnreadablePost, with the reason, for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding)
    utf16 = _unmarked_utf16(data)
    if utf16:
        return _decoded(data, utf16)
    if _is_binary(data):
        raise UnreadablePost(
            "it is not text but a binary file; rename it, or name it in a .blogignore"
        )
    return _decoded(data, "utf-8" if _is_utf8(data) else _legacy(data))


def _is_binary(data: bytes) -> bool:
    return len(_CONTROL.findall(data)) > _STRAY_CONTROLS + len(data) * _BINARY_CONTROLS


def _marked(data: bytes, encoding: str) -> Decoded:
    decoded = _decoded(data, encoding, had_bom=True)
    if decoded.repaired > len(decoded.text) * _REPAIRABLE:
        raise UnreadablePost(f"it is marked as {encoding.upper()} but is not; save it as UTF-8")
    return decoded


def _decoded(data: bytes, encoding: str, *, had_bom: bool = False) -> Decoded:
    text = data.decode(encoding, errors="replace")
    repaired = text.count("\ufffd") + text.count("\x00") - _replacements_written(data, encoding)
    text = _LINE_END.sub("\n", text.lstrip("\ufeff").replace("\x00", "\ufffd"))
    return Decoded(text, encoding, had_bom, repaired)


def _replacements_written(data: bytes, encoding: str) -> int:
    """U+FFFD that the author's own file holds."""
    return data.count("\ufffd".encode()) if encoding == "utf-8" else 0


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8", errors="surrogatepass")  # halves of pairs, as old exporters write them
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
        return text.count("\ufffd") <= len(_NOT_ASCII.findall(text)) * _REPAIRABLE
    return True


def _unmarked_utf16(data: bytes) -> str | None:
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if len(data) % 2 or even + odd < max(1, len(data) * _UTF16_ZEROS):
        return None
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text or _is_binary(text.encode()) else encoding


def _legacy(data: bytes) -> str:
    runs = _HIGH_RUN.findall(data)
    if sum(map(len, runs)) < len(runs) * _SINGLE_BYTE_RUN:
        return "cp1252"
    matches = list(from_bytes(data, threshold=_CHAOS_LIMIT, cp_isolation=list(_LEGACY)))
    matches = [match for match in matches if _decodes(data, match.encoding)]
    if not matches:
        raise UnreadablePost("its encoding cannot be told; save it as UTF-8")
    cleanest = min(match.chaos for match in matches)
    equal = [match for match in matches if match.chaos <= cleanest + _CHAOS_SLACK]
    return max(equal, key=lambda match: _confidence(data, match)).encoding


def _confidence(data: bytes, match: CharsetMatch) -> tuple[bool, float, int]:
    return _in_its_script(data, match.encoding), match.coherence, -_LEGACY.index(match.encoding)


def _in_its_script(data: bytes, encoding: str) -> bool:
    if encoding not in _SCRIPTS:
        return False
    script, least = _SCRIPTS[encoding]
    text = data.decode(encoding)
    return len(script.findall(text)) >= least * len(_LETTER.findall(text))


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return encoding in _LEGACY
