"""Decode a file's bytes.

UTF-8 is tried first and kept even with a few bad bytes, because a post that is almost UTF-8 is
UTF-8 that was damaged. Others are known by a byte order mark, by the zeros of UTF-16, or by
charset-normalizer among the encodings posts were really written in. Text stays verbatim but for
three things: line endings become LF, a byte order mark is dropped, and NUL becomes U+FFFD as
CommonMark asks (2.3, insecure characters).
"""

import codecs
import re
from dataclasses import dataclass

from charset_normalizer import from_bytes

from blog_search_mcp.index.errors import UnreadablePost

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LEGACY = ["big5hkscs", "gb18030", "cp932", "euc_jp", "cp949", "cp1251", "koi8_r", "cp1252"]
"""Each the superset browsers use for its family (WHATWG Encoding)."""

_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes no text holds; tab, line ends, form feed and escape (terminal colours) are allowed."""
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
_NOT_ASCII = re.compile("[^\x00-\x7f\ufffd]")
_KANA = re.compile("[\u3040-\u30ff]")
_KANA_SHARE = 0.2
"""Of letters beyond ASCII, the least that proves Shift-JIS: charset-normalizer takes Japanese
without tables and code for rare Korean syllables."""
_LETTER = re.compile(r"[^\W\x00-\x7f]")
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
_MESS = 0.8
"""Most of charset-normalizer's mess ratio that is read. Of 248 posts in five languages put in these
encodings it reads all at 0.8, 227 at 0.4 and 169 at its own 0.2: tables and code count as mess."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """The text of a file and how it was read."""

    text: str
    """Lines end with LF; no byte order mark."""
    encoding: str
    """Python's name: `utf-8`, `utf-16-le`, `big5hkscs`, …"""
    repaired: int = 0
    """How many characters became U+FFFD."""


def decode(data: bytes) -> Decoded:
    """Read bytes as text. Raises UnreadablePost, with the reason, for what is no text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            decoded = _decode_as(data[len(mark) :], encoding)
            if decoded.repaired > len(decoded.text) * _REPAIRABLE:
                marked = f"it is marked as {encoding.upper()} but is not; save it as UTF-8"
                raise UnreadablePost(marked)
            return decoded
    if utf16 := _detect_utf16(data):
        return _decode_as(data, utf16)
    if _is_binary(data):
        raise UnreadablePost(
            "it is not text but a binary file; rename it, or name it in a .blogignore"
        )
    return _decode_as(data, "utf-8" if _is_utf8(data) else _detect_legacy(data))


def _is_binary(data: bytes) -> bool:
    return len(_CONTROL.findall(data)) > _STRAY_CONTROLS + len(data) * _BINARY_CONTROLS


def _decode_as(data: bytes, encoding: str) -> Decoded:
    text = data.decode(encoding, errors="replace")
    written = data.count("\ufffd".encode()) if encoding == "utf-8" else 0
    repaired = text.count("\ufffd") + text.count("\x00") - written
    text = _LINE_END.sub("\n", text.lstrip("\ufeff").replace("\x00", "\ufffd"))
    return Decoded(text, encoding, repaired)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8", errors="surrogatepass")  # halves of pairs, as old exporters write them
    except UnicodeDecodeError:
        text = data.decode("utf-8", errors="replace")
        return text.count("\ufffd") <= len(_NOT_ASCII.findall(text)) * _REPAIRABLE
    return True


def _detect_utf16(data: bytes) -> str | None:
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if len(data) % 2 or even + odd < max(1, len(data) * _UTF16_ZEROS):
        return None
    encoding = "utf-16-be" if even > odd else "utf-16-le"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\x00" in text or _is_binary(text.encode()) else encoding


def _detect_legacy(data: bytes) -> str:
    runs = _HIGH_RUN.findall(data)
    if sum(map(len, runs)) < len(runs) * _SINGLE_BYTE_RUN:
        return "cp1252"
    matches = list(from_bytes(data, threshold=_MESS, cp_isolation=_LEGACY))
    if not matches:
        raise UnreadablePost("its encoding cannot be told; save it as UTF-8")
    japanese = [match for match in matches if match.encoding == "cp932" and _has_kana(str(match))]
    return (japanese or matches)[0].encoding


def _has_kana(text: str) -> bool:
    return len(_KANA.findall(text)) >= _KANA_SHARE * len(_LETTER.findall(text))
