"""Read a post from its file, once; all later steps use the result."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePath

from blog_search_mcp.index.embedders.packaged import english_coverage
from blog_search_mcp.index.errors import UnreadablePost
from blog_search_mcp.index.text.languages import UNDETERMINED, is_spoken, language_of
from blog_search_mcp.index.types import Link, Post
from blog_search_mcp.ingest.posts.front_matter import decode, split_front_matter
from blog_search_mcp.ingest.posts.markdown.body import Body
from blog_search_mcp.ingest.posts.markdown.hidden_parts import cut_hidden_cells, cut_hidden_forms
from blog_search_mcp.ingest.posts.markdown.inline import strip_title
from blog_search_mcp.ingest.posts.markdown.parser import find_code_of, find_outside, write_headings
from blog_search_mcp.ingest.posts.metadata import (
    Fields,
    describe_post,
    find_other_title,
    find_title,
    normalize_names,
    read_replacements,
    unread_date,
)
from blog_search_mcp.ingest.posts.paths import PATTERNS, spelled_languages


@dataclass(frozen=True, slots=True)
class Document:
    """A post read from its file."""

    post: Post
    """Post as described by front matter, body and path; only the front matter gives `language`."""
    fields: Fields
    """Front matter under the author's own names."""
    named: Fields
    """Front matter under normalized names."""
    body: Body
    first_line: int = 1
    """Line of the file on which the body begins, from 1."""
    problems: tuple[str, ...] = ()
    """Problems that the author should know, each a clause about the file."""

    @property
    def links(self) -> tuple[Link, ...]:
        """Links to replaced and replacing posts, then the links of the body, with file lines."""
        above = self.first_line - 1
        below = (replace(link, line=link.line + above) for link in self.body.links[0])
        return (*read_replacements(self.named), *below)


MAX_MARKS = 400_000
"""Maximum lines, cells, links, quotations, headings and list items, together. Parsing a list item
takes up to 2.8 kB and 60 µs; other marks take less. Posts of three corpora have up to 24,999."""
_COSTLY_MARK = re.compile(r"[\n|\[>]|(?<![^\s>])(?:[-*+]|\d{1,9}[.)]|\#{1,6})[ \t]")
_DATA_URL = re.compile(r"data:[\w/+.-]+;base64,[A-Za-z0-9+/=]{60,}")
"""An embedded picture or font."""
_INCLUDE = re.compile(PATTERNS["include"], re.MULTILINE | re.DOTALL)
"""Places where MDX (`mdx`), Quarto or Hugo (`shortcode`), Jekyll, Eleventy or MkDocs (`jinja`),
MkDocs (`snippet`), mdBook (`hash`), MyST (`myst`), VitePress (`vue`) include a file; raw blocks."""
_FORM_BY_SUFFIX = {".mdx": "mdx", ".qmd": "shortcode"}
"""Form of inclusion that files of a suffix may have on every site."""
MAX_PARTS = 200_000
"""Maximum characters that included files add to a post; a file included twice counts twice. It is
also the maximum bytes read for a post, where each file counts at least 1,000."""


def _include_parts(body: str, forms: Collection[str], read_part: Callable[[str], str]) -> str:
    """Replace inclusions by their files' words; inclusions without words, and other code, stay."""
    if not (forms and any(sign in body for sign in ("import", "include", "readfile", "8<"))):
        return body
    imported, room, pieces, at = dict[str, str](), MAX_PARTS, list[str](), 0
    code = [span for span in find_code_of(body) if "{include}" not in body[span[0] : span[0] + 20]]
    for part in find_outside(code, _INCLUDE, body):
        form = part.lastgroup or ""
        if part["name"] and form in forms:
            imported[part["name"]] = part["mdx"]
            continue
        path = imported.get(part[form], "") if form == "tag" else part[form] * (form in forms)
        if words := read_part(path)[:room] if path and room else "":
            room -= len(words)
            pieces += [body[at : part.start()], words]
            at = part.end()
    return "".join([*pieces, body[at:]])


def read_document(
    data: bytes,
    source: str,
    *,
    splits_tags: bool = False,
    keeps_braces: bool = False,
    reads_hashes: bool = False,
    reads_hashtags: bool = True,
    sidecar: str = "",
    echoes: bool = True,
    includes: Collection[str] = (),
    read_part: Callable[[str], str] = lambda _: "",
) -> Document:
    """Decode a file, split off its front matter and describe the post. Raises UnreadablePost.

    `source` is the path below the content folder, with `/`. `splits_tags` is as in `describe_post`.
    With `keeps_braces` the site prints `{{ x }}`, and no template replaces it. With `reads_hashes`
    `#word` is a heading; with `reads_hashtags` it is a tag. `sidecar` has fields that yield to the
    file's own. With `echoes` cells show their code by default. `includes` are names of groups of
    `_INCLUDE`. `read_part` returns the words of the file at a path, on one line.
    """
    text, encoding, repaired = decode(data)
    if len(text) > MAX_MARKS and next(islice(_COSTLY_MARK.finditer(text), MAX_MARKS, None), None):
        excess = f"{MAX_MARKS:,} lines, cells, links and items of lists"
        raise UnreadablePost(f"it has more than {excess}; split it, or name it in a .blogignore")
    front = split_front_matter(text)
    fields = {**split_front_matter(sidecar).fields, **front.fields}
    cells = fields.get("execute")
    echo = str(cells.get("echo", "")).lower() if isinstance(cells, Mapping) else ""
    text = _DATA_URL.sub("data:", front.body) if ";base64," in front.body else front.body
    text = write_headings(text) if reads_hashes else text
    forms = {*includes, _FORM_BY_SUFFIX.get(PurePath(source).suffix.lower(), "")} - {""}
    text = cut_hidden_forms(_include_parts(text, forms, read_part), runs_templates=not keeps_braces)
    shown = cut_hidden_cells(text, echoes=echo != "false" and (echoes or echo == "true"))
    body = Body(shown, keeps_braces=keeps_braces)
    is_of_plugin = any(name.endswith("-plugin") for name in fields)
    named = normalize_names(fields)
    title = strip_title(find_title(named)) or ("" if is_of_plugin else body.title)
    title = title or strip_title(find_other_title(named))
    hashtags = body.hashtags if reads_hashtags else ()
    post = describe_post(named, source, title, hashtags, splits_tags=splits_tags)
    unread = unread_date(fields, named, source)[:40]
    problems = (
        "" if encoding.startswith("utf") else f"it is not UTF-8 and was read as {encoding}",
        f"{repaired} of its characters could not be read" if repaired else "",
        front.problem,
        f"its date “{unread}” is not read; write it as date: 2024-12-31" if unread else "",
    )
    return Document(post, fields, named, body, front.first_line, tuple(filter(None, problems)))


LANGUAGE_CHARACTERS = 6_000
"""Maximum characters of prose that `find_language` reads, in 2 ms. With 20,000, only 3 of the 4,647
posts of nine blogs get another language; all 3 are written in two languages."""


def find_language(document: Document, usual: str = "") -> str:
    """Return the author's language tag (`zh-tw`), else the language of the title and the prose.

    A language in the file's path comes before the text's if the text may be in it. Blocks of code
    are ignored, since their keywords are English. If no language is found, the result is `usual`;
    without it UNDETERMINED for five words or more of which none is English, else `""`.
    """
    post, body, left = document.post, document.body, LANGUAGE_CHARACTERS
    if post.language:
        return post.language
    words = [post.title]
    for block in body.blocks:
        if left > 0 and block.kind not in ("fence", "code_block"):
            end = min(block.end, block.start + left)
            left -= end - block.start
            words.append(body.plain_text(block.start, end))
    prose = "\n".join(words)
    shown = language_of(prose)
    if not shown and len(prose.split()) > 4 and not any(english_coverage([prose])):
        shown = UNDETERMINED
    spelled = (tag for tag in spelled_languages(post.source) if is_spoken(tag, shown))
    return next(spelled, usual if usual and shown in ("", UNDETERMINED) else shown)
