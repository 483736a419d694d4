"""Remove the parts of a post that its site does not show to everybody, or keeps from search.

`hidden_forms.txt` has the openings and closings of each kind. Attributes hide an HTML element, a
block or the section of a heading; templates have branches that no site builds; Quarto and MyST have
conditions (https://quarto.org/docs/authoring/conditional.html) and removed cells. The whole post is
read, not single blocks. Code and templates in `raw` are kept. If in doubt, a part is removed.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from blog_search_mcp.ingest.posts.markdown.parser import Span, find_code_of, find_outside, is_inside

_HIDDEN_FORMS = Path(__file__).with_name("hidden_forms.txt").read_text("utf-8")
"""Name, opening and closing pattern of each kind. In a closing, NAME is the name in the opening; a
kind without a closing is matched whole. Rows in capitals are parts of other rows. KEPT are names
that hide a part from search or non-members (Material for MkDocs, Pagefind, MarkBind, Ghost,
WordPress). `remark`, `deletion` and `substitution` are CriticMarkup (criticmarkup.com). `myst` is a
comment in a MyST file (https://github.com/jupyter-book/myst-spec); `percent` is one in any file, at
the start of a paragraph or after a sentence's end."""
_PATTERNS: dict[str, list[str]] = {}
for _row in _HIDDEN_FORMS.strip().replace("\n   |", "|").replace("\n   ", "  ").split("\n"):
    _whole = re.sub("[A-Z]{4,}", lambda name: _PATTERNS.get(name[0], [name[0]])[0], _row)
    _kind, *_columns = _whole.split("  ")
    _PATTERNS[_kind] = [*_columns, ""][:2]
_KEPT = _PATTERNS["KEPT"][0]
_ANY = "|".join(f"(?P<{kind}>{opens})" for kind, (opens, _) in _PATTERNS.items() if kind.islower())
_UNSEEN = re.compile(rf"(?=[<{{%\[(+=~]|^[ \tieSD:#bculhq-])(?:{_ANY})", re.MULTILINE)
"""Openings of hidden parts; the first lookahead saves two thirds of the time."""
_UNCLOSED = re.compile(r"^(?: {0,3}<(?:!--|script|style)|[ \t]*%%[ \t]*$)", re.M | re.I)
"""Start of a part that hides the rest of the post if it is never closed."""
_MYST = re.compile(r"(?:`{3}|:{3})\{[a-z]|^\([^()\n]+\)=[ \t]*$|\{[a-z:-]+\}`", re.MULTILINE)
_RAW = re.compile(r"\{%-?\s*(raw|verbatim)\b.*?(?:\{%-?\s*end\1\b|\Z)", re.DOTALL)


def cut_hidden_forms(text: str, *, runs_templates: bool = False) -> str:
    """Return the text without the parts that `_HIDDEN_FORMS` hide; code and line numbers stay.

    With `runs_templates`, template branches that the published site surely lacks are cut too.
    """
    if runs_templates and "{%" in text:
        text = _cut(text, _find_unbuilt(text))
    if not _UNSEEN.search(text):
        return text
    code, raw = find_code_of(text), [raw.span() for raw in _RAW.finditer(text)]
    unclosed = set[str]() if _MYST.search(text) else {"myst"}
    spans, place = list[Span](), 0
    while opening := next(find_outside(code, _UNSEEN, text, place), None):
        (start, place), kind = opening.span(), str(opening.lastgroup)
        name = next(filter(None, opening.group("barred", "code", "block", "locked")), "")
        if kind == "export" and (opening["plain"] is not None or kind in unclosed):
            kind = "paragraph"
        is_of_template = kind in ("liquid", "jinja", "inline", "tag")
        if kind + name in unclosed or (is_of_template and is_inside(start, raw)):
            continue
        if kind in ("element", "behind"):
            start, place = _find_hidden_element(text, opening, code)
        elif closes := _PATTERNS[kind][1]:
            line = text.rfind("\n", 0, start) + 1
            ending = re.compile(closes.replace("NAME", re.escape(name)), re.M | re.I)
            if closing := ending.search(text, place):
                place = closing.end()
            elif (name and kind != "bracket") or _UNCLOSED.match(text, line):
                place = len(text)
            else:
                unclosed.add(kind + name)
                place = start
                continue
        spans.append((start, place))
    return _cut(text, spans)


def _cut(text: str, spans: Iterable[Span]) -> str:
    pieces, at = list[str](), 0
    for start, end in spans:
        pieces += [text[at:start], "\n" * text.count("\n", max(start, at), end)]
        at = max(at, end)
    return "".join([*pieces, text[at:]])


_ANY_ATTRIBUTE = re.compile(
    r"[^\s\"'=<>{}/]++(?:\s*+=\s*+(?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*+\}|[^\s\"'<>{}]+))?"
)
_HIDING = re.compile(
    rf"(?!class|[^=]*=\W?(?:false|until))[^=]*(?<![a-z]){_KEPT}(?![a-z]).*|(?:\.d-none|\.?hidden)(?:=(?!\W*(?:false"
    r"|until)).*)?|(?:v-(?:if|show)|[\w-]+-(?:index|search))=\W?false.?"
    r"|style\s*=.*(?:display\W+none|visibility\W+hidden).*|class(?:name)?\s*=(?!.*(?:\w:|d-\w\w-))(?:.*[^a-z])?"
    rf"(?:{_KEPT}|(?<!-)(?:hidden|d-none)(?![-\w]))(?:[^a-z].*)?",
    re.DOTALL,
)


def _hides(attributes: str) -> bool:
    return any(map(_HIDING.fullmatch, _ANY_ATTRIBUTE.findall(attributes)))


_SINGLE = re.compile("area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr")
_HEADING = re.compile(r"[ >]{0,3}(?P<hashes>#{1,6})|[^\n]+\n {0,3}(?P<line>=+|-+)[ \t]*$", re.M)


def _find_hidden_element(text: str, opening: re.Match[str], code: Sequence[Span]) -> Span:
    """Return the span hidden by a tag or by attributes (even in the line above); empty if none."""
    (start, place), name, level = opening.span(), (opening["opened"] or "").lower(), 0
    attributes = (opening["marks"] or opening["attributes"] or "").lower()
    is_named = name == "template" or bool(re.fullmatch(_KEPT, name))
    if not (is_named or _hides(attributes)):
        return place, place
    if not name:
        line = text.rfind("\n", 0, start) + 1
        is_below = line > 1 and not text[line:start].strip(" \t>")
        is_above = is_below and text[line - 2 : line] == "\n\n" != text[place : place + 2]
        floor = max(line - 9_000, 0)
        above = text.rfind("\n\n", floor, line - 1)
        start = above + 2 if above >= 0 else floor
        start = place + 1 if is_above else start if is_below else line
        if heading := _HEADING.match(text, start):
            level = len(heading["hashes"] or heading["line"][0].replace("-", "--"))
        elif is_above:
            return start, max(text.find("\n\n", start), 0) or len(text)
        elif not is_below:
            return place, place
    elif re.fullmatch("h[1-6]", name):
        level = int(name[1])
    if level:
        line_below = rf"\S[^\n]*\n {{0,3}}{'[=-]' if level > 1 else '='}+[ \t]*$"
        higher = rf"^ {{0,3}}(?:#{{1,{level}}}\s|<h[1-{level}]\b|{line_below})"
        headings = find_outside(code, re.compile(higher, re.M | re.I), text, place)
        return start, next((heading.start() for heading in headings), len(text))
    is_bar, depth = "wall" in opening[0].lower(), 1
    if not name or _SINGLE.fullmatch(name) or attributes.endswith("/"):
        return start, len(text) if is_bar else place
    tags = re.compile(rf"<(/?){name}(?=[\s/>])[^<>]*>", re.I)
    for tag in find_outside(code, tags, text, place):
        depth += -1 if tag[1] else not tag[0].endswith("/>")
        if not depth:
            is_bar = is_bar and not text[place : tag.start()].strip()
            return start, len(text) if is_bar else tag.end()
        if name == "p":
            break
    end = text.find("\n\n", place) if name == "p" else -1
    return start, len(text) if end < 0 else end


_BRANCH = re.compile(
    r"\{%-?\s*(?P<word>(?P<end>end)?(?P<opens>if\w*|unless|for|case)|el(?:s?e? ?if|se)|when)\b"
    r"(?P<test>[^%]*)%\}"
)
_BUILT, _OTHER = r"[\"'](?:prod(?:uction)?|build)[\"']", r"[\"'](?!prod|build)[^\"']*[\"']"
_SIDE = (
    r"(?:(?:(?:jekyll|eleventy|process|site|env|build)\.(?:\w+\.)?)?(?:\w+_env|environment|env"
    rf"|runmode)|{_BUILT})"
)
_IS, _NOT = " ?(?:===?|contains) ?", " ?!==? ?"
_TRUE = re.compile(rf"true|{_SIDE}{_IS}{_BUILT}|{_SIDE}{_NOT}{_OTHER}|({_OTHER}) ?===? ?\1")
_FALSE = re.compile(
    rf"false|nil|null|none|{_SIDE}{_NOT}{_BUILT}|{_SIDE}{_IS}{_OTHER}|{_OTHER}{_IS}{_SIDE}"
    rf"|(\d+|{_OTHER}) ?===? ?(?!\1$)(?:\d+|{_OTHER})"
)


def _find_unbuilt(text: str) -> Iterator[Span]:
    """Yield the spans of template branches that the production site surely does not build."""
    code, raw = find_code_of(text), [raw.span() for raw in _RAW.finditer(text)]
    stack: list[tuple[bool, bool, int, str]] = []
    for tag in find_outside(code, _BRANCH, text):
        is_first = tag["opens"] and not tag["end"]
        if is_inside(tag.start(), raw) or not (is_first or stack):
            continue
        is_met, is_hidden, start, case = (False, False, 0, "") if is_first else stack.pop()
        if is_hidden:
            yield start, tag.start()
        if not tag["end"]:
            test = " ".join(tag["test"].lower().strip("-").split())
            case = test if tag["word"] == "case" else case
            is_value = tag["word"] == "when" and len(case) + len(test) < 1_000
            values = re.split(", ?| or ", test) if is_value else ()
            met = _decide(" or ".join(f"{case} == {value}" for value in values) or test)
            met = met if met is None else met != (tag["word"] == "unless")
            stack.append((is_met or met is True, is_met or met is False, tag.end(), case))


def _decide(test: str) -> bool | None:
    """Return whether a condition on literals and the environment is met; `None` if unknown."""
    for word, decides in ((" or ", True), (" and ", False)):
        if word in test:
            met = list(map(_decide, test.split(word)))
            return decides if decides in met else None if None in met else not decides
    term = test.strip("()! ").removeprefix("not ")
    is_met = True if _TRUE.fullmatch(term) else False if _FALSE.fullmatch(term) else None
    return is_met if is_met is None else is_met != test.strip("( ").startswith(("!", "not "))


_PART = re.compile(
    r"(?=[\[{]|^[ \t>`~:])(?:"
    r"^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,}|:{3,}(?=\{code-cell))(?P<info>[^\n]*)"
    r"\n?(?P<code>.*?)(?:^[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|(?<!`)\[(?:[^\[\]\n]|\n(?!\s*\n)|\[[^\[\]\n]*+\])*+\](?P<span>\{[^{}]*\})(?!`)"
    r"|^[ \t>]*:::+[ \t]*(?P<division>\{[^{}]*\}|[^\n]*)$)",
    re.MULTILINE | re.DOTALL,
)
"""A whole fence, a span with attributes, or a line that opens or closes a division."""
_OPTIONS = re.compile(r"(?:[ \t>]*(?:(?:#|//|--|%%)\||:[\w-]+:|---|tags:|- )[^\n]*\n?)*")
"""Options at the start of a cell. Options in comments may hold a caption, which is shown."""
_NO_CODE = re.compile(r"\becho[ \t]*[:=][ \t]*(?:false|no|F)\b|\bremove[-_]input\b", re.I)
_NOTHING = re.compile(r"\binclude[ \t]*[:=][ \t]*(?:false|no|F)\b|\bremove[-_]cell\b", re.I)
_FORMATS = {"html", "html:js", "html4", "html5", "markdown", "commonmark", "gfm"}
_CONDITION = re.compile(r"\b(when|unless)-format\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s{}>]+))")
_STATE = re.compile(
    r"compressed-json|hand(?:written|drawn)-ink|TLDRAW_DATA|\"type\": *\"excalidraw|<mxfile"
)
"""Text in the info string or the first 300 characters of a fence that holds a drawing."""
_ENCODED_DATA = re.compile(
    r"(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])\s*+(?:[\w+/=-]{60,}+\s*+)++[\w+/=-]*+\s*\Z"
)
MAX_EXAMPLE = 1_000
"""Maximum characters of a fence that is kept although it may be encoded bytes."""
_HIDDEN = re.compile(
    r"\b(?:when|unless)-(?:profile|meta)\b|\A\s*\.?hidden\s*\Z|\A\{(?:todo|comment|ifconfig)\}"
    r"|\A\{(?:only|raw)\}(?!.*(?<!not )\bhtml\b)"
)
"""Attributes that hide a part, with conditions on a profile and Sphinx's `only` without HTML."""


def cut_hidden_cells(text: str, *, echoes: bool = True) -> str:
    """Return the text without hidden cells, fences, spans and divisions; line numbers stay.

    With `echoes` cells show their code by default.
    """
    spans, at = list[Span](), 0
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
        spans.append((at if was_hidden else start, end))
        at = end
    return _cut(text, [*spans, (at, len(text))] if hiding else spans)


def _find_hidden(part: re.Match[str], *, echoes: bool) -> tuple[int, int]:
    """Return the hidden span of a fence or attributed span; empty if all is shown."""
    info = (part["info"] or "").strip()
    is_raw = info.startswith("{=") and info.strip("{=} ").lower() not in _FORMATS
    code = part["code"] or ""
    is_data = len(code) > MAX_EXAMPLE and _ENCODED_DATA.match(code)
    is_hidden = is_raw or _is_hidden(info or part["span"] or "")
    if is_data or is_hidden or _STATE.search(info + code[:300]):
        return part.span()
    if code and info[:1] == "{" and info[1:2].isalpha():
        options = _OPTIONS.match(code)
        said = info + (options[0] if options else "")
        if _NOTHING.search(said):
            return part.span()
        if not echoes or _NO_CODE.search(said):
            shown = options.end() if options and "|" in options[0] else 0
            return part.start("code") + shown, part.end("code")
    return part.end(), part.end()


def _is_hidden(attributes: str) -> bool:
    """Return whether an element with these attributes is hidden, or may be."""
    if _HIDDEN.search(attributes) or (attributes[:1] == "{" and _hides(attributes.lower())):
        return True
    met = [
        _FORMATS.isdisjoint(re.split(r"[\s,]+", "".join(names))) == (word == "unless")
        for word, *names in _CONDITION.findall(attributes)
    ]
    if "content-hidden" in attributes:
        return not met or any(met)
    return "content-visible" in attributes and not all(met)
