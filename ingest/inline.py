"""A paragraph's Markdown outside code comes in; without an editor's marks it goes out.

What wiki links, attribute lists, block names, highlights, footnotes and inlined files leave
behind when CommonMark alone is read.
"""

import re

_MARKED = re.compile(
    r"\[\[|\[\^|\]:|\{|==|\^|;base64,|^ {0,3}\[_?toc_?\]|^`\}\}|8<-", re.MULTILINE | re.IGNORECASE
)
"""What a paragraph that needs cleaning holds."""

_VALUE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s{}\"']+)"
_ATTRIBUTE = rf"(?:[#.][\w-][\w:.-]*|[\w-]+={_VALUE}|\w+-toc)"
_ATTRIBUTES = rf"\{{:?[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*+[ ]*\}}"
"""`{#id .class key="value"}` of Hugo, Docusaurus and Pandoc; `{: …}` of kramdown and MkDocs."""

_GONE = re.compile(
    rf"""
      (?:(?<=[\])*_])|\A){_ATTRIBUTES}           # behind a link, an image or emphasised words
    | [ \t]*{_ATTRIBUTES}[ \t]*$                 # behind a heading, or below a block
    | \{{:(?!:)[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*+[ ]*\}}
    | \{{\{{[ ]*raw[ ]+`|^`\}}\}}                 # halves of a Go template's raw text
    | ^[ ]{{0,3}}\[(?!\^)[^\[\]\n]+\]:[ ]*\S+(?:\s+(?:"[^"\n]*"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*$
    | ^[ ]{{0,3}}\[{{1,2}}_?toc_?\]{{1,2}}[ \t]*$
    | \[\^[^\[\]\s]+\]:?                         # footnote references and marks
    | (?:^|[ \t]+)\^(?:[A-Za-z][\w-]+|[A-Za-z0-9]{{6}})[ \t]*$   # names of Obsidian's blocks
    | ^[ \t]*;?-+8<-+[^\n]*$                      # MkDocs snippets, named by their file
    | data:[\w/+.-]+;base64,[A-Za-z0-9+/=]+
    """,
    re.VERBOSE | re.MULTILINE | re.IGNORECASE,
)
_HIGHLIGHT = re.compile(r"(?<![A-Za-z0-9=])==(?=[^\s=])([^=\n]*[^\s=])==(?![A-Za-z0-9=])")
_WIKI_LINK = re.compile(r"!?\[\[([^\[\]|\n]+)(?:\|([^\[\]\n]*))?\]\]")
_FILE = re.compile(
    r"\.(?:avif|bmp|gif|jpe?g|mov|mp[34]|ogg|pdf|png|svg|wav|webm|webp)(?:#.*)?\s*$", re.IGNORECASE
)
_SIZE = re.compile(r"\d+(?:x\d+)?")


def is_clean(source: str) -> bool:
    """Tell whether `cleaned` would leave a paragraph as it is."""
    return _MARKED.search(source) is None


def cleaned(source: str) -> str:
    """Leave the words; the rest is CommonMark."""
    if is_clean(source):
        return source
    return _WIKI_LINK.sub(_wiki_words, _HIGHLIGHT.sub(r"\1", _GONE.sub("", source)))


def _wiki_words(link: re.Match[str]) -> str:
    """Give the label, else the page and its heading; an embedded file shows no name."""
    page, label = link[1].rstrip("\\"), (link[2] or "").rpartition("|")[2].strip()
    if label and not (link[0].startswith("!") and _SIZE.fullmatch(label)):
        return label
    if link[0].startswith("!") and _FILE.search(page):
        return ""
    return " ".join(re.sub(r"#\^[\w-]+", "", page).replace("#", " ").split())
