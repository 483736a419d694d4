"""Take out of a post what its site does not show to everybody.

Of Quarto what stands under a condition that is not met by default, what is `.hidden` or for another
format, and the code of cells that do not show it, whatever the element
(https://quarto.org/docs/authoring/conditional.html); of Hugo what shortcodes lock or comment out.
In doubt it is taken out: what is never closed to the end of the post.
"""

import re
from collections import Counter
from collections.abc import Collection

_CODES = r"(?:hugo-encrypt(?:or)?|encrypt|private|draft|comment)\b"
_HINT = re.compile(
    r"content-(?:visible|hidden)|^[ \t>]*:::[^\n]*\bhidden\b|^[ \t>]*(?:```|~~~)[`~]* *\{"
    rf"|\{{\{{[<%] *{_CODES}",
    re.MULTILINE,
)
"""What a text without anything hidden has not."""
_EVENT = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$"
    r"|^[ \t>]*(?P<colons>:::):*(?P<division>[^\n]*)$"
    r"|(?<!`)<(?P<ends_tag>/)?(?P<tag>div|span)\b(?P<attributes>[^<>]*)>"
    rf"|\{{\{{[<%] *(?P<ends_code>/ *)?(?P<code>{_CODES})[^{{}}]*\}}\}}"
    r"|(?P<bracket>\[)|\](?P<span>(?:\{[^{}]*\})?)|^(?P<blank>)[ \t]*$",
    re.MULTILINE,
)
_OPTIONS = re.compile(r"\n?(?:[ \t>]*(?:#|//|--|%%)\|[^\n]*\n)*")
"""Lines of comment at the beginning of a cell, of which captions are shown."""
_DENIED = r"\b{}[ \t]*[:=][ \t]*(?:false|no|F)\b"
_NO_CODE, _NOTHING = (re.compile(_DENIED.format(option), re.I) for option in ("echo", "include"))
_FORMATS = {"html", "html:js", "html4", "html5", "markdown", "commonmark", "gfm"}
_CONDITION = re.compile(
    r"\b(when|unless)-(format|profile|meta)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s{}>]+))"
)
_HIDDEN = re.compile(r"\A\{[^=]*\.hidden(?![\w-])|\A\s*\.?hidden\s*\Z")


def take_out_hidden(text: str, profiles: Collection[str] = (), *, echoes: bool = True) -> str:
    """Return the text without what is hidden, every line at its number.

    `profiles` are those of Quarto by default; `echoes` is whether cells show their code unless
    they say otherwise.
    """
    if not _HINT.search(text):
        return text
    pieces, at = [], 0
    for start, end in sorted(_Scan(text, profiles, echoes=echoes).find_hidden()):
        pieces += [text[at : max(at, start)], "\n" * text.count("\n", max(at, start), end)]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


class _Scan:
    def __init__(self, text: str, profiles: Collection[str], *, echoes: bool) -> None:
        self._text, self._profiles, self._echoes = text, profiles, echoes
        self._hidden: list[tuple[int, int]] = []
        self._opened: list[tuple[str, int]] = []
        """What each open element is, and where it begins if it is hidden, else -1."""
        self._counts: Counter[str] = Counter()
        self._brackets: list[int] = []
        self._paragraph = 0
        self._fence, self._from, self._is_whole = "", -1, False

    def find_hidden(self) -> list[tuple[int, int]]:
        """Return the spans, half open, of which one may lie in another."""
        for event in _EVENT.finditer(self._text):
            marks = event["fence"] or ""
            if self._fence:
                if marks.startswith(self._fence) and not event["info"].strip():
                    self._hide(self._from, event.end() if self._is_whole else event.start())
                    self._fence = ""
            elif marks:
                self._fence = marks
                self._open_fence(event, event["info"].strip())
            elif event["blank"] is not None or event["bracket"] or event["span"] is not None:
                self._read_inline(event)
            else:
                self._read_element(event)
        for start in (self._from if self._fence else -1, *(start for _, start in self._opened)):
            self._hide(start, len(self._text))
        return self._hidden

    def _hide(self, start: int, end: int) -> None:
        self._hidden += [(start, end)] if start >= 0 else []

    def _open_fence(self, event: re.Match[str], info: str) -> None:
        options = _OPTIONS.match(self._text, event.end())
        after = options.end() if options else event.end()
        said = self._text[event.start() : after]
        is_cell = info[:1] == "{" and info[1:2].isalpha()
        is_raw = info.startswith("{=") and info.strip("{=} ").lower() not in _FORMATS
        self._is_whole = is_raw or self._is_hidden(info) or bool(is_cell and _NOTHING.search(said))
        is_silent = is_cell and not (self._echoes and not _NO_CODE.search(said))
        self._from = event.start() if self._is_whole else after if is_silent else -1

    def _read_inline(self, event: re.Match[str]) -> None:
        start = event.start()
        if event["blank"] is not None:
            self._paragraph, self._brackets = start, []
        elif event["bracket"]:
            self._brackets.append(start)
        else:
            opening = self._brackets.pop() if self._brackets else self._paragraph
            is_code = self._text[event.end() : event.end() + 1] == "`"
            if not is_code and self._is_hidden(event["span"]):
                self._hide(opening, event.end())

    def _read_element(self, event: re.Match[str]) -> None:
        kind = event["tag"] or event["code"] or ":::"
        attributes = event["attributes"] or (event["division"] or "").strip(": \t")
        if event["code"]:
            attributes = ".hidden"
        if not (event["ends_tag"] or event["ends_code"]) and (attributes or event["tag"]):
            self._opened.append((kind, event.start() if self._is_hidden(attributes) else -1))
            self._counts[kind] += 1
            return
        closed = "" if self._counts[kind] else kind
        while closed != kind:
            closed, start = self._opened.pop()
            self._counts[closed] -= 1
            self._hide(start, event.end())

    def _is_hidden(self, attributes: str) -> bool:
        """Whether an element of these attributes is not, or not surely, shown."""
        met = [self._is_met(*found) for found in _CONDITION.findall(attributes)]
        if "content-hidden" in attributes:
            return not met or any(each is not False for each in met)
        return bool(_HIDDEN.search(attributes)) or (
            "content-visible" in attributes and not all(met)
        )

    def _is_met(self, word: str, kind: str, *values: str) -> bool | None:
        """Whether a condition is met, `None` if that is not known."""
        known = _FORMATS if kind == "format" else self._profiles
        is_one = not set(re.split(r"[\s,]+", "".join(values).strip())).isdisjoint(known)
        return None if kind == "meta" else is_one == (word == "when")
