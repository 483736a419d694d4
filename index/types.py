"""The nouns of the project, frozen: what an index is made of and what it answers.

They import nothing of ours but for types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from blog_search_mcp.index.text.query import Query

Ids: TypeAlias = "npt.NDArray[np.int64]"
Vectors: TypeAlias = "npt.NDArray[np.float32]"

VERSIONED = re.compile(r"((?:.*/)?)([\w-]+_)?versioned_docs/version-([^/]+)/")
"""Above an old page of Docusaurus: the folder, the plugin's if it has a name, and the version."""

MAX_ADDRESS = 2048
"""Characters of an address, or of a part of one; the limit of https://www.sitemaps.org/protocol.html.
What is longer is none, so that it cannot fill an answer."""

Order = Literal["newest", "oldest", "title"]

Translated: TypeAlias = tuple[tuple[str, str], ...]
"""Language and source of each translation of a post."""


@dataclass(frozen=True, slots=True)
class Post:
    """One post's metadata, as the author wrote it or as its file implies it."""

    source: str
    """Path below the content folder, with `/` on every system; unique."""
    title: str
    date: str | None = None
    """ISO day, `YYYY-MM-DD`."""
    tags: tuple[str, ...] = ()
    description: str = ""
    slug: str = ""
    language: str = ""
    """BCP 47 tag in lower case (`zh-tw`, `en`), as the author says or as the text shows."""
    url: str | None = None
    """URL of the post on the site, without an anchor; `None` if it is not sure."""
    translation_key: str = ""
    """Key that the author gave to the post and its translations."""
    series: str = ""
    """The series it belongs to, by the author's name for it."""
    part: int | None = None
    """Its number in the series, where the author says it."""
    aliases: tuple[str, ...] = ()
    """Its other names and addresses: notes' `aliases`, paths of the front matter, redirects."""
    authors: tuple[str, ...] = ()
    """Who wrote it, by name where the site knows one."""
    words: str = ""
    """Names and values of the other fields of the front matter, ` · ` between the fields."""
    outdated: str = ""
    """The word by which the author calls it outdated, or the ISO day after which it is."""

    @property
    def section(self) -> str:
        """The folder the post lies in, `""` for the content folder itself."""
        return self.source.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class Posts:
    """A page of posts, of `total` on all pages."""

    page: tuple[Post, ...]
    total: int
    offset: int

    @property
    def next_offset(self) -> int | None:
        """Where the next page begins, `None` after the last one."""
        end = self.offset + len(self.page)
        return end if self.page and end < self.total else None


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage of a post: a contiguous piece of its file."""

    source: str
    index: int
    """Place in the post, from 0, without gaps."""
    text: str
    """The author's words, verbatim but for comments."""
    plain: str
    """`text` without markup: embedded, analyzed and previewed. Headings have none either."""
    headings: tuple[str, ...]
    """The path of headings above the passage, outermost first."""
    first_line: int
    """Line of the file, from 1."""
    last_line: int
    """Inclusive."""
    anchors: tuple[str, ...] = ()
    """Fragment (`#…`) of each of `all_headings`; `""` if it is not sure."""
    inner_headings: tuple[str, ...] = ()
    """The headings that stand in the passage itself, in order."""
    coverage: float = 1.0
    """The share of it that the embedder's vocabulary covers, in [0, 1]."""
    lead: str = ""
    """Lines from further above that its Markdown needs, such as the head of a table."""

    @property
    def all_headings(self) -> tuple[str, ...]:
        """The headings above the passage and in it, in the order of the post."""
        return (*self.headings, *self.inner_headings)

    @property
    def anchor(self) -> str:
        """Of the headings over its first words, the nearest anchor that is sure."""
        count = len(self.headings) + self.plain.startswith(self.inner_headings[:1])
        return next(filter(None, reversed(self.anchors[:count])), "")


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a post."""

    href: str
    """The target as written; generators' own forms as `posts.markdown.inline` writes them."""
    words: str
    """Text of the link without markup; `""` for an element of HTML."""
    line: int
    """Line of the file, from 1."""
    kind: str = ""
    """`newer` or `older` for the address of a post that replaces this one, or that it replaces."""


class SeriesPart(NamedTuple):
    """One post of a series, with its number as the author gives it, else its place, from 1."""

    post: int
    source: str
    part: int


@dataclass(frozen=True, slots=True)
class Series:
    """Two posts or more that are parts of one text, in the order in which they are to be read."""

    name: str
    parts: tuple[SeriesPart, ...]

    def place_of(self, post: int) -> PlaceInSeries:
        """Return where one of its posts stands."""
        at = next(at for at, each in enumerate(self.parts) if each.post == post)
        after = self.parts[at + 1 : at + 2]
        return PlaceInSeries(self.name, self.parts[at].part, after[0].source if after else None)


@dataclass(frozen=True, slots=True)
class PlaceInSeries:
    """Where a post stands in its series, and the source of the part after it."""

    name: str
    part: int
    next: str | None


class Replacement(NamedTuple):
    """A post that is replaced, or that its author calls outdated."""

    source: str
    current: int | None
    """ID of the post that took its place, `None` if the author names none that is there."""
    notice: str
    """Words for a reader of the post: `replaced by SOURCE`, `deprecated`, `since DAY`."""


class Translation(NamedTuple):
    """One post of a group of translations."""

    post: int
    source: str
    language: str
    """BCP 47 tag in lower case, different from every other one's in the group."""


Translations: TypeAlias = Mapping[int, tuple[Translation, ...]]
"""Group of translations of each post that has any; the post itself is included."""


@dataclass(frozen=True, slots=True)
class PostTerms:
    """Everything of one post that can be searched by word, as terms apart by spaces."""

    whole: str = ""
    """Terms of title, file name, tags, description, every heading and the text."""
    chunks: tuple[str, ...] = ()
    """Terms of each chunk, with title, file name, tags and the headings above and in it."""


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must satisfy; `None` lets everything through. Applied before ranking.

    Days are ISO days, inclusive, which a post without a date does not pass.
    """

    section: str | None = None
    """A folder below the content folder; posts in it and below it pass, of `/` every post."""
    tag: str | None = None
    """A tag, compared by its letters and digits, or several; `sea/fish` passes `sea` too."""
    after: str | None = None
    before: str | None = None
    author: str | None = None
    """Words of an author's name, without regard to case."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One result of a search: a chunk and its post."""

    post: Post
    chunk: Chunk
    score: float
    """0 to 1, higher is better, comparable between queries."""
    preview: str
    """A line of `chunk.plain` around what matched (`index.search.previews.WIDTHS`)."""
    translations: Translated = ()
    """None of them is a hit itself."""
    series: PlaceInSeries | None = None
    replacement: Replacement | None = None

    @property
    def url(self) -> str | None:
        """Address of the post and of the heading over the chunk, `None` if it is not known."""
        anchor = f"#{self.chunk.anchor}" if self.chunk.anchor else ""
        return f"{self.post.url}{anchor}" if self.post.url else None


KEYWORDS_ONLY = "Keyword matches only, without search by meaning:"
"""Begins the notice of an answer for whose query there was no vector; the reason follows."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of hits."""

    query: Query
    """The query as searched: with corrected spelling and without what was left out."""
    hits: tuple[Hit, ...]
    total: int
    """How many hits paging can reach, this page's included."""
    offset: int
    confidence: str = "normal"
    """`normal`, or `low` where the blog has nothing on the subject."""
    certainty: float = 0.0
    """Estimated probability that the blog holds an answer, in [0, 1]; decides `confidence`."""
    notice: str | None = None
    """One sentence the reader must see (a retriever that did not answer)."""


@dataclass(frozen=True, slots=True)
class Passage:
    """What `read_chunk` reads: a chunk with what stands around it, and where that is."""

    post: Post
    chunks: tuple[Chunk, ...]
    """The asked-for chunk with its neighbours, in the order of the post."""
    asked: int
    """The asked-for chunk's index."""
    count: int
    """How many chunks the post has."""
    headings: tuple[tuple[int, str], ...] = ()
    """The post's headings in order, each with the index of the chunk that it stands in."""
    translations: Translated = ()
    replacement: Replacement | None = None
    linked_from: Posts = Posts((), 0, 0)
    """The newest three of the posts that link to it."""
    notice: str | None = None
    """One sentence the reader must see (the post may have changed)."""


ANALYSIS = 6
"""Version of `index.text.tokenizer`. Raise it when the same text would give other terms; the
next ingest then writes the lexical index anew."""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What an embedding server's vectors were at ingest, to compare with after an update.

    Those of `index.embedders.fingerprint.TEXTS`, as `pack_vectors` encodes them, and the server's
    version, empty if it reports none.
    """

    version: str
    vectors: str


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Everything that decides which vector a text gets. Equal identities, comparable vectors."""

    kind: str
    """`ollama`, `openai` for any other server, or `embedded` for a model of the package."""
    model: str
    """Name as a person would ask for it: `nomic-embed-text`, `all-MiniLM-L6-v2`."""
    digest: str
    """Hash of the weights: the manifest digest Ollama lists, or the model file's SHA-256."""
    dimension: int
    document_prefix: str = ""
    query_prefix: str = ""
    fingerprint: Fingerprint | None = None
    """`None` for a model that only changes with this package."""

    @property
    def name(self) -> str:
        """For machines and tables: `ollama nomic-embed-text`."""
        return f"{self.kind} {self.model}"

    @property
    def title(self) -> str:
        """For sentences: `Ollama's nomic-embed-text`."""
        return name_embedder(self.kind, self.model)


def name_embedder(kind: str, model: str) -> str:
    """Name an embedder in a sentence."""
    servers = {"ollama": "Ollama's", "openai": "the embedding server's"}
    return f"{servers.get(kind, 'the packaged model')} {model}"
