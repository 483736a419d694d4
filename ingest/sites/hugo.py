"""Hugo: URLs follow sections and bundles, unless `permalinks`, `url` or `slug` replace them."""

import posixpath
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from itertools import accumulate
from typing import Any, ClassVar

from blog_search_mcp.index.errors import NoLink
from blog_search_mcp.ingest.posts.ignore_rules import write_rules
from blog_search_mcp.ingest.posts.metadata import Fields, first_date, flatten, parse_date
from blog_search_mcp.ingest.posts.paths import BUNDLE, HUGO_DAY, PostPath, parse_path, split_day
from blog_search_mcp.ingest.sites.configuration import get_map, get_text, list_maps, list_texts
from blog_search_mcp.ingest.sites.generator import DATES, Generator, Off, clean_folder, setting_at


class Hugo(Generator):
    """Hugo; its settings' names are in lower case."""

    files: ClassVar = (
        *("hugo.toml", "hugo.yaml", "hugo.yml", "hugo.json"),
        *("config.toml", "config.yaml", "config.yml", "config.json", "config"),
    )
    marks: ClassVar = {"baseurl", "languagecode", "languages", "permalinks"}
    token: ClassVar = re.compile(r":(\w+(?:\[[^\[\]]+\])?)")
    safe: ClassVar = "/!'()*$&+,:;=@-_.~"
    templates: ClassVar = "(?!)"
    expressions: ClassVar = "ignorefiles"
    """https://gohugo.io/configuration/all/#ignorefiles"""
    id_categories: ClassVar = ("L", "Nd")
    settings_of_ids: ClassVar = {
        "markup.defaultmarkdownhandler": "goldmark",
        "markup.goldmark.parser.autoheadingid": "true",
        "markup.goldmark.parser.autoheadingidtype": "github",
        "markup.goldmark.parser.autoidtype": "github",
    }

    includes: frozenset[str] = frozenset(("shortcode",))
    timezone: str = "UTC"
    address: object = setting_at("baseurl")
    folder: str = setting_at("contentdir", default="content")
    defaultcontentlanguage: str = "en"
    defaultcontentlanguageinsubdir: bool = False
    disablepathtolower: Off = False
    languages: dict[str, dict[str, Any] | None] = setting_at("languages", default={})
    permalinks: dict[str, Any] = setting_at("permalinks", default={})
    uglyurls: Off = False
    dates: str | list[Any] = setting_at("frontmatter", "date")
    mounts: object = setting_at("module", "mounts")

    def find_doubts(self) -> Iterator[str]:
        """Yield a doubt if languages have base URLs of their own."""
        if any("baseurl" in settings for settings in self.languages.values() if settings):
            yield "the site's languages have base URLs of their own"

    def list_rules(self) -> Iterator[str]:
        """Yield the usual rules, and rules for the files that mounts exclude below their source."""
        yield from super().list_rules()
        for mount in list_maps(self.mounts):
            for form in ("/", f"/{clean_folder(get_text(mount, 'source'))}/"):
                yield from write_rules(list_texts(mount.get("excludeFiles")), form)

    def list_folders(self) -> Iterable[str]:
        """List the content folders of all languages; `""` if mounts move other folders there."""
        pairs = [(get_text(m, "source"), get_text(m, "target")) for m in list_maps(self.mounts)]
        are_moved = any(to.startswith("content") and to != source for source, to in pairs)
        return ("",) if are_moved else self.list_languages()

    def list_languages(self) -> Mapping[str, str]:
        """Return the language of each folder, by mounts if any has one, else by `contentdir`."""
        pairs = [(get_text(m, "source"), get_text(m, "lang")) for m in list_maps(self.mounts)]
        if not any(code for _, code in pairs):
            languages = sorted(self.languages.items(), reverse=True)
            pairs = [(get_text(settings or {}, "contentdir"), code) for code, settings in languages]
            pairs.insert(0, (self.folder, self.defaultcontentlanguage))
        folders = {clean_folder(folder): code for folder, code in pairs if folder and code}
        return dict(sorted(folders.items(), key=lambda pair: -len(pair[0])))

    def find_path(self, folder: str, inner: str, fields: Fields) -> str:
        """Return the path of a page below the base URL, as in `.Permalink`. Raises NoLink."""
        if not folder:
            raise NoLink("some folders are mounted elsewhere")
        default = self.defaultcontentlanguage.lower()
        above, _, name = inner.rpartition(".")[0].rpartition("/")
        stem, _, suffix = name.rpartition(".")
        language = self.list_languages()[folder].lower()
        if stem and suffix.lower() in (default, *self.languages):
            name, language = stem, suffix.lower()
        is_below = self.defaultcontentlanguageinsubdir or language != default
        page = parse_path(f"{above}/{name}", BUNDLE)
        self._check_bundles(f"{folder}/{page.page if page.index == '_index' else page.folder}")
        return self.encode(self._make_path(fields, page, f"/{language}" if is_below else ""))

    def _check_bundles(self, place: str) -> None:
        """Raise NoLink for a page inside another page's bundle."""
        bundles = self.bundles - {"content"} if self.is_assumed else self.bundles
        if not bundles.isdisjoint(accumulate(place.split("/"), "{}/{}".format)):
            raise NoLink("beside an index.md, so Hugo makes no page of it")

    def _make_path(self, fields: Fields, page: PostPath, prefix: str) -> str:
        """Return the path of a page from its file's path without suffix and language."""
        if url := get_text(fields, "url"):
            if ":" in url:
                raise NoLink("its url is a whole address or a pattern")
            path = url if url.startswith("/") else f"{prefix}/{url}"
            is_file = "." in posixpath.basename(path) or path.endswith("/")
            return path if is_file else f"{path}/"
        if page.index == "_index":
            if "section" in self.permalinks:
                raise NoLink("the list page of a section, which may have a pattern of its own")
            return f"{prefix}/{_sanitize(page.page.replace(' ', '-'))}/".replace("//", "/")
        if not page.name:
            raise NoLink("the index.md of the whole blog")
        section = (page.page if page.index else page.folder).partition("/")[0]
        pages = {**self.permalinks, **get_map(self.permalinks, "page")}
        patterns = {name.strip(" /"): text for name, text in pages.items() if isinstance(text, str)}
        if pattern := self.pattern or patterns.get(section.lower()) or patterns.get("*"):
            path = self._fill(pattern, fields, page)
        else:
            slug = self._slug_and_date(fields, page.name)[0]
            path = f"{page.folder}/".replace(" ", "-") + (slug or page.name.replace(" ", "-"))
        return f"{prefix}/{_sanitize(posixpath.normpath('/' + path).strip('/'))}/"

    def _slug_and_date(self, fields: Fields, name: str) -> tuple[str, date | None]:
        """Return a page's slug (`""` if no field or dated name gives one), and its date, if any."""
        names_date = self.is_assumed or ":filename" in flatten(self.dates)
        day, undated = split_day(name, HUGO_DAY) if names_date else ("", "")
        slug = get_text(fields, "slug") or (undated if day else "")
        return _sanitize(slug).strip("-"), parse_date(day) or first_date(fields, DATES)

    def _fill(self, pattern: str, fields: Fields, page: PostPath) -> str:
        name = page.name
        slug, day = self._slug_and_date(fields, name)
        title, section = get_text(fields, "title").replace("/", "-"), page.folder.partition("/")[0]
        hyphenated = section.replace(" ", "-")
        texts = {
            "title": title,
            "slug": slug or (name if self.is_assumed else title),
            **dict.fromkeys(("slugorfilename", "slugorcontentbasename"), slug or name),
            **dict.fromkeys(("filename", "contentbasename"), name),
        }
        values = {
            **{token: _sanitize(text) or None for token, text in texts.items()},
            "section": hyphenated,
            # Whether deeper folders are sections depends on other files.
            "sections": hyphenated if section == page.folder else None,
        }
        sure = {token: None if "+" in (text or "") else text for token, text in values.items()}
        return self.fill(pattern, sure, day)


def _sanitize(text: str) -> str:
    """Drop characters that Hugo omits from paths; spaces become hyphens, letters lower case."""
    letters = re.sub(r"\s", " ", unicodedata.normalize("NFC", text))
    kept = "".join(
        c
        for c in letters
        if c in " ./\\_#+~-@" or c.isdecimal() or unicodedata.category(c)[0] in "LM"
    ).strip()
    return re.sub(" ?- ?", "-", re.sub(" +", " ", kept)).replace(" ", "-").lower()
