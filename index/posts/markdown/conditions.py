"""Take out of a post what its site does not show to everybody.

Of Quarto what stands under a condition of a profile, metadata or another format, what is `.hidden`,
and the code of cells that do not show it
(https://quarto.org/docs/authoring/conditional.html); of Hugo what shortcodes lock or comment out.
In doubt it is taken out: what is never closed to the end of the post.
"""

import re

_CODES = r"(?:hugo-encrypt(?:or)?|encrypt|private|draft|comment)\b"
_TAG_END = r"[^{}]*\}\}"
_PART = re.compile(
    r"^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)\n?(?P<code>.*?)"
    r"(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"
    rf"|\{{\{{[<%] *(?P<lock>{_CODES}){_TAG_END}.*?(?:\{{\{{[<%] */ *(?P=lock){_TAG_END}|\Z)"
    r"|(?<!`)\[(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+\](?P<span>\{[^{}\n]*\})(?!`)"
    r"|^[ \t>]*:::+[ \t]*(?P<division>[^\n]*)$",
    re.MULTILINE | re.DOTALL,
)
"""A whole fence, text behind a lock or in a span, or a line that opens or closes a division."""
_OPTIONS = re.compile(r"(?:[ \t>]*(?:#|//|--|%%)\|[^\n]*\n?)*")
"""Lines of comment at the beginning of a cell, of which captions are shown."""
_DENIED = r"\b{}[ \t]*[:=][ \t]*(?:false|no|F)\b"
_NO_CODE, _NOTHING = (re.compile(_DENIED.format(option), re.I) for option in ("echo", "include"))
_FORMATS = {"html", "html:js", "html4", "html5", "markdown", "commonmark", "gfm"}
_CONDITION = re.compile(r"\b(when|unless)-format\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s{}>]+))")
_UNSURE = re.compile(r"\b(?:when|unless)-(?:profile|meta)\b")
"""What the site's profile or metadata decide."""
_HIDDEN = re.compile(r"\A\{[^=]*\.hidden(?![\w-])|\A\s*\.?hidden\s*\Z")


def take_out_hidden(text: str, *, echoes: bool = True) -> str:
    """Return the text without what is hidden, every line at its number.

    `echoes` is whether cells show their code unless they say otherwise.
    """
    pieces, at = [], 0
    divisions: list[bool] = []
    for part in _PART.finditer(text):
        was_hidden = any(divisions)
        if part["division"] is None:
            start, end = _find_hidden(part, echoes=echoes)
        else:
            start, end = part.span()
            if part["division"].strip(": \t"):
                divisions.append(_is_hidden(part["division"]))
            elif divisions:
                divisions.pop()
            start = start if was_hidden or any(divisions) else end
        start = at if was_hidden else start
        pieces += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end
    rest = text[at:]
    return "".join([*pieces, "\n" * rest.count("\n") if any(divisions) else rest])


def _find_hidden(part: re.Match[str], *, echoes: bool) -> tuple[int, int]:
    """Return what is hidden of a fence, a lock or a span, which begins at its end if nothing is."""
    info = (part["info"] or "").strip()
    is_raw = info.startswith("{=") and info.strip("{=} ").lower() not in _FORMATS
    if part["lock"] or is_raw or _is_hidden(info or part["span"] or ""):
        return part.span()
    if part["code"] and info[:1] == "{" and info[1:2].isalpha():
        options = _OPTIONS.match(part["code"])
        said = info + (options[0] if options else "")
        if _NOTHING.search(said):
            return part.span()
        if not echoes or _NO_CODE.search(said):
            return part.start("code") + (options.end() if options else 0), part.end("code")
    return part.end(), part.end()


def _is_hidden(attributes: str) -> bool:
    """Whether an element of these attributes is not, or not surely, shown."""
    if _UNSURE.search(attributes) or _HIDDEN.search(attributes):
        return True
    met = [
        _FORMATS.isdisjoint(re.split(r"[\s,]+", "".join(names))) == (word == "unless")
        for word, *names in _CONDITION.findall(attributes)
    ]
    if "content-hidden" in attributes:
        return not met or any(met)
    return "content-visible" in attributes and not all(met)
