"""Remove the parts of a post that its site does not show to everybody.

That are comments of every kind, scripts and what MDX imports and exports; of Quarto what stands
under a condition of a profile, metadata or another format, what is `.hidden`, and the code of cells
that do not show it (https://quarto.org/docs/authoring/conditional.html); of Hugo what shortcodes
lock or comment out; and what a program keeps in a post, such as a drawing. It is decided on the
whole post, whose passages hold halves. In doubt it is taken out.
"""

import re

from blog_search_mcp.ingest.posts.markdown.parser import find_code_of, find_outside

_UNSEEN = re.compile(
    r"""(?=[<{%]|^[ie\[ ])(?:(?P<html><!--(?!-?>))
      | (?P<script>(?i:<script)(?=[\s>])) | (?P<style>(?i:<style)(?=[\s>]))
      | (?P<mdx>(?<!\{)\{[ ]?/\*)
      | (?P<obsidian>(?<![\w%])%%(?!%))
      | (?P<liquid>\{%-?\s*comment\b)
      | (?P<kramdown>\{::comment\})
      | (?P<jinja>\{\#(?![\w-]+[ }]))
      | (?P<inline>\{%-?\s*\#)
      | <!--+> | ^[ ]{0,3}\[(?://|comment|_|\.)[^\[\]\n]*\]:[ ]*(?:\#|<>)[^\n]*$
      | ^import\s++(?:type\s++)?(?:[\w*{}\s,$]{1,300}?\sfrom\s++)?["'][^"'\n]+["'];?[ \t]*
        (?://[^\n]*)?$
      | ^export\s++(?=(?:const|let|var)\s[^\n]*=|(?:default\s+)?(?:async\s+)?function\b
          |default\s+(?:\w+;?[ \t]*$|[({]|class\b)|class\s|\{|\*\s+from\s)
        (?:(?P<export>[^\n]*[(\[{`][ \t]*$)|(?P<paragraph>)))
    """,
    re.MULTILINE | re.VERBOSE,
)
"""Parts that no reader sees: the beginning of a comment or script, or all of it. A lookahead for
its first sign takes a third of the time."""
_UNSEEN_ENDS = {
    "html": re.compile("-->"),
    "script": re.compile(r"</script\s*>", re.IGNORECASE),
    "style": re.compile(r"</style\s*>", re.IGNORECASE),
    "mdx": re.compile(r"\*/\s*\}"),
    "obsidian": re.compile(r"%%(?![\w%])"),
    "liquid": re.compile(r"\{%-?\s*endcomment\s*-?%\}"),
    "kramdown": re.compile(r"\{:/(?:comment)?\}"),
    "jinja": re.compile(r"#\}"),
    "inline": re.compile(r"%\}"),
    "export": re.compile(r"^[)\]}`][^\n]*", re.MULTILINE),
    "paragraph": re.compile(r"[^\n]*+(?:\n(?!\n|export\s)[^\n]*+)*+"),
}
_UNCLOSED = re.compile(r"^(?: {0,3}<(?:!--|script|style)|[ \t]*%%[ \t]*$)", re.M | re.I)
"""Start of a part that hides the rest of the post if it is never closed."""


def take_out_unseen(text: str) -> str:
    """Return the text without comments and scripts outside code, every line at its number."""
    if not _UNSEEN.search(text):
        return text
    code, unclosed = find_code_of(text), set[str]()
    pieces, at, place = [], 0, 0
    while opening := next(find_outside(code, _UNSEEN, text, place), None):
        start, place, kind = *opening.span(), opening.lastgroup
        if kind == "export" and kind in unclosed:
            kind = "paragraph"
        if kind in unclosed:
            continue
        if kind and (end := _UNSEEN_ENDS[kind].search(text, place)):
            place = end.end()
        elif kind and _UNCLOSED.match(text, text.rfind("\n", 0, start) + 1):
            place = len(text)
        elif kind:
            unclosed.add(kind)
            place = start
            continue
        pieces += [text[at:start], "\n" * text.count("\n", start, place)]
        at = place
    return "".join([*pieces, text[at:]])


_CODES = r"(?:hugo-encrypt(?:or)?|encrypt|protect(?:ed)?|password|private|draft|comment)\b"
_TAG_END = r"[^{}]*\}\}"
_PART = re.compile(
    r"(?=[\[{]|^[ \t>`~:])(?:"
    r"^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)\n?(?P<code>.*?)"
    r"(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"
    rf"|\{{\{{[<%] *(?P<lock>{_CODES}){_TAG_END}.*?(?:\{{\{{[<%] */ *(?P=lock){_TAG_END}|\Z)"
    r"|(?<!`)\[(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]*+\])*+\](?P<span>\{[^{}]*\})(?!`)"
    r"|^[ \t>]*:::+[ \t]*(?P<division>\{[^{}]*\}|[^\n]*)$)",
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
"""Conditions that the site's profile or metadata decide."""
_STATE = re.compile(
    r"compressed-json|hand(?:written|drawn)-ink|TLDRAW_DATA|\"type\": *\"excalidraw|<mxfile"
)
"""Text at the start of a fence that holds a drawing."""
_DATA = re.compile(r"(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])\s*+(?:[\w+/=-]{60,}+\s*+)+\Z")
LONGEST_EXAMPLE = 1_000
"""Characters of a fence that may be encoded bytes and are read all the same."""
_HIDDEN = re.compile(r"\A\{[^=]*\.hidden(?![\w-])|\A\s*\.?hidden\s*\Z")


def take_out_hidden(text: str, *, echoes: bool = True) -> str:
    """Return the text without what is hidden, every line at its number.

    `echoes` is whether cells show their code unless they say otherwise.
    """
    pieces, at = [], 0
    divisions, hiding = list[bool](), 0
    for part in _PART.finditer(text):
        was_hidden = hiding > 0
        if part["division"] is None:
            start, end = _find_hidden(part, echoes=echoes)
        else:
            start, end = part.span()
            if part["division"].strip(": \t"):
                divisions.append(_is_hidden(part["division"]))
                hiding += divisions[-1]
            elif divisions:
                hiding -= divisions.pop()
            start = start if was_hidden or hiding else end
        start = at if was_hidden else start
        pieces += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end
    return "".join([*pieces, "\n" * text.count("\n", at) if hiding else text[at:]])


def _find_hidden(part: re.Match[str], *, echoes: bool) -> tuple[int, int]:
    """Return the hidden span of a fence, a lock or a span of text; empty if all is shown."""
    info = (part["info"] or "").strip()
    is_raw = info.startswith("{=") and info.strip("{=} ").lower() not in _FORMATS
    code = part["code"] or ""
    is_data = len(code) > LONGEST_EXAMPLE and _DATA.match(code)
    is_hidden = part["lock"] or is_raw or _is_hidden(info or part["span"] or "")
    if is_data or is_hidden or _STATE.search(info + code[:300]):
        return part.span()
    if code and info[:1] == "{" and info[1:2].isalpha():
        options = _OPTIONS.match(code)
        said = info + (options[0] if options else "")
        if _NOTHING.search(said):
            return part.span()
        if not echoes or _NO_CODE.search(said):
            return part.start("code") + (options.end() if options else 0), part.end("code")
    return part.end(), part.end()


def _is_hidden(attributes: str) -> bool:
    """Return whether an element with these attributes is hidden, or may be."""
    if _UNSURE.search(attributes) or _HIDDEN.search(attributes):
        return True
    met = [
        _FORMATS.isdisjoint(re.split(r"[\s,]+", "".join(names))) == (word == "unless")
        for word, *names in _CONDITION.findall(attributes)
    ]
    if "content-hidden" in attributes:
        return not met or any(met)
    return "content-visible" in attributes and not all(met)
