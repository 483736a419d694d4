"""Take out of a post what its site does not show to everybody.

Of Quarto what stands under a condition that is not met by default, what is `.hidden` or for another
format, and the code of cells that do not show it, whatever the element
(https://quarto.org/docs/authoring/conditional.html); of Hugo what shortcodes lock or comment out.
In doubt it is taken out: what is never closed to the end of the post.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator

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
    r"|(?<!`)\[(?:[^\[\]\n]|\n(?![ \t]*\n)|\[[^\[\]]*+\])*+\](?P<span>\{[^{}]*\})(?!`)",
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
    spans = _find_hidden(text, profiles, echoes=echoes)
    for start, end in sorted(span for span in spans if span[0] >= 0):
        pieces += [text[at : max(at, start)], "\n" * text.count("\n", max(at, start), end)]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


def _find_hidden(
    text: str, profiles: Collection[str], *, echoes: bool
) -> Iterator[tuple[int, int]]:
    """Yield the spans, half open, of which one may lie in another; -1 begins what is shown."""
    opened: list[tuple[str, int]] = []
    counts: Counter[str] = Counter()
    fence, start, is_whole = "", -1, False
    for event in _EVENT.finditer(text):
        kind = event["tag"] or event["code"] or event["colons"] or ""
        attributes = event["attributes"] or (event["division"] or "").strip(": \t")
        if fence:
            if (event["fence"] or "").startswith(fence) and not event["info"].strip():
                yield start, event.end() if is_whole else event.start()
                fence = ""
        elif event["fence"]:
            fence, info = event["fence"], event["info"].strip()
            is_whole = _is_unseen(text, event, info) or _is_hidden(info, profiles)
            start = event.start() if is_whole else _find_silent(text, event, info, echoes=echoes)
        elif not kind:
            yield event.start() if _is_hidden(event["span"], profiles) else -1, event.end()
        elif (attributes or kind != ":::") and not (event["ends_tag"] or event["ends_code"]):
            is_hidden = event["code"] or _is_hidden(attributes, profiles)
            opened.append((kind, event.start() if is_hidden else -1))
            counts[kind] += 1
        elif counts[kind]:
            closed = ""
            while closed != kind:
                closed, begun = opened.pop()
                counts[closed] -= 1
                yield begun, event.end()
    yield from ((begun, len(text)) for begun in (start if fence else -1, *(at for _, at in opened)))


def _said_of_cell(text: str, fence: re.Match[str], info: str) -> re.Match[str] | None:
    """Match the options of a cell, `None` for another fence."""
    is_cell = info[:1] == "{" and info[1:2].isalpha()
    return _OPTIONS.match(text, fence.end()) if is_cell else None


def _is_unseen(text: str, fence: re.Match[str], info: str) -> bool:
    """Whether a fence is of another format, or a cell of which nothing is shown."""
    options = _said_of_cell(text, fence, info)
    is_raw = info.startswith("{=") and info.strip("{=} ").lower() not in _FORMATS
    return is_raw or bool(options and _NOTHING.search(f"{info}{options[0]}"))


def _find_silent(text: str, fence: re.Match[str], info: str, *, echoes: bool) -> int:
    """Return where the code of a cell that does not show it begins, else -1."""
    options = _said_of_cell(text, fence, info)
    is_silent = options and not (echoes and not _NO_CODE.search(f"{info}{options[0]}"))
    return options.end() if options and is_silent else -1


def _is_hidden(attributes: str, profiles: Collection[str]) -> bool:
    """Whether an element of these attributes is not, or not surely, shown."""
    met = [_is_met(profiles, *found) for found in _CONDITION.findall(attributes)]
    if "content-hidden" in attributes:
        return not met or any(each is not False for each in met)
    return bool(_HIDDEN.search(attributes)) or ("content-visible" in attributes and not all(met))


def _is_met(profiles: Collection[str], word: str, kind: str, *values: str) -> bool | None:
    """Whether a condition is met, `None` if that is not known."""
    known = _FORMATS if kind == "format" else profiles
    is_one = not set(re.split(r"[\s,]+", "".join(values).strip())).isdisjoint(known)
    return None if kind == "meta" else is_one == (word == "when")
