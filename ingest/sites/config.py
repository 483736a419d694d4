"""A site's configuration comes in as mappings; the rules of its generator go out.

Nothing here touches the disk. Values of an unexpected type count as not given: no
configuration is worth losing an ingest, and a site without a base URL just has no links.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from blog_search_mcp.ingest.sites.base import Anchors
from blog_search_mcp.ingest.sites.hexo import DEFAULT, Hexo
from blog_search_mcp.ingest.sites.hugo import Hugo
from blog_search_mcp.ingest.sites.jekyll import Jekyll
from blog_search_mcp.ingest.sites.zola import Zola

Config = Mapping[str, Any]


def hugo(config: Config, sections: tuple[str, ...] = ()) -> tuple[str, Hugo, Anchors]:
    """Base URL, rules and anchors of a Hugo site, whose keys know no case.

    `sections` are the folders below the content folder that hold an `_index`.
    """
    known = _lowered(config)
    languages = {
        code.lower(): _lowered(_map(own)) for code, own in _map(known, "languages").items()
    }
    default = _text(known, "defaultcontentlanguage").lower() or "en"
    foreign = tuple(sorted(code for code in languages if "baseurl" in languages[code]))
    rules = Hugo(
        contents=_hugo_contents(known, languages),
        patterns=_hugo_patterns(known),
        section_patterns=tuple(sorted(_map(known, "permalinks", "section"))),
        default_language=default,
        languages=tuple(sorted({*languages} - {default, *foreign})),
        foreign=foreign,
        default_in_subdir=known.get("defaultcontentlanguageinsubdir") is True,
        ugly=_hugo_ugly(known.get("uglyurls")),
        lower=known.get("disablepathtolower") is not True,
        dated_names=":filename" in str(_map(known, "frontmatter").get("date", "")),
        sections=sections,
    )
    return _text(known, "baseurl"), rules, _hugo_anchors(known)


def jekyll(config: Config) -> tuple[str, Jekyll, Anchors]:
    """Base URL, rules and anchors of a Jekyll site."""
    posts = _map(config, "collections", "posts")
    rules = Jekyll(
        permalink=_text(posts, "permalink") or _text(config, "permalink") or "date",
        patterns=_jekyll_patterns(config.get("defaults")),
        source=_text(config, "source").strip("./"),
        timezone=_text(config, "timezone"),
    )
    url = _text(config, "url").rstrip("/")
    base = _text(config, "baseurl").strip("/")
    return (f"{url}/{base}" if url else ""), rules, _jekyll_anchors(config)


def hexo(config: Config, package: Config) -> tuple[str, Hexo, Anchors]:
    """Base URL, rules and anchors of a Hexo site; `package` is its `package.json`."""
    pretty = _map(config, "pretty_urls")
    rules = Hexo(
        permalink=_text(config, "permalink") or DEFAULT,
        source=_text(config, "source_dir").strip("./") or "source",
        new_post_name=_text(config, "new_post_name") or ":title.md",
        default_category=_text(config, "default_category") or "uncategorized",
        categories=_pairs(config, "category_map"),
        defaults=_pairs(config, "permalink_defaults"),
        lower_categories=str(config.get("filename_case", 0)) == "1",
        asset_folders=config.get("post_asset_folder") is True,
        index_shown=pretty.get("trailing_index") is not False,
        html_shown=pretty.get("trailing_html") is not False,
        timezone=_text(config, "timezone"),
    )
    return _text(config, "url"), rules, _hexo_anchors(config, package)


def zola(config: Config) -> tuple[str, Zola, Anchors]:
    """Base URL, rules and anchors of a Zola site."""
    slugify = _map(config, "slugify")
    paths = slugify.get("paths", "on")
    default = _text(config, "default_language") or "en"
    rules = Zola(
        slugs=paths if paths in ("safe", "off") else "on",
        keep_dates=slugify.get("paths_keep_dates") is True,
        languages=tuple(sorted({*_map(config, "languages")} - {default})),
        default_language=default,
    )
    smart = _map(config, "markdown").get("smart_punctuation") is True
    anchors = Anchors("zola" if slugify.get("anchors", "on") == "on" else "zola-safe", smart)
    return _text(config, "base_url"), rules, anchors


def _hugo_contents(known: Config, languages: Mapping[str, Config]) -> tuple[tuple[str, str], ...]:
    own = ((code, _text(languages[code], "contentdir").strip("./")) for code in sorted(languages))
    folders = tuple(pair for pair in own if pair[1])
    return (*folders, ("", _text(known, "contentdir").strip("./") or "content"))


def _hugo_patterns(known: Config) -> tuple[tuple[str, str], ...]:
    written = known.get("permalinks")
    if isinstance(written, list):
        return (("*", ":targets"),)
    flat = _lowered(_map(written))
    pages = {**flat, **_map(flat, "page")}
    found = {name.strip(" /"): text for name, text in pages.items() if isinstance(text, str)}
    return tuple(sorted(found.items()))


def _hugo_ugly(written: object) -> tuple[str, ...]:
    if isinstance(written, Mapping):
        return tuple(sorted(str(name) for name, value in written.items() if value is True))
    return ("*",) if written is True else ()


def _hugo_anchors(known: Config) -> Anchors:
    markup = _lowered(_map(known, "markup"))
    goldmark = _lowered(_map(markup, "goldmark"))
    parser = _lowered(_map(goldmark, "parser"))
    is_github = parser.get("autoheadingidtype", "github") == "github"
    is_goldmark = markup.get("defaultmarkdownhandler", "goldmark") == "goldmark"
    made = (
        parser.get("autoheadingid") is not False and parser.get("autoidtype", "github") == "github"
    )
    return Anchors("goldmark" if is_github and is_goldmark and made else "")


def _jekyll_patterns(defaults: object) -> tuple[tuple[str, str], ...]:
    found = {}
    for default in defaults if isinstance(defaults, list) else []:
        scope, pattern = _map(default, "scope"), _text(_map(default, "values"), "permalink")
        if pattern and scope.get("type", "posts") == "posts":
            found[_text(scope, "path").strip("/")] = pattern
    return tuple(sorted(found.items()))


def _jekyll_anchors(config: Config) -> Anchors:
    kramdown = _map(config, "kramdown")
    plain = kramdown.get("auto_ids") is not False and not _text(kramdown, "auto_id_prefix")
    if config.get("markdown", "kramdown") != "kramdown" or not plain:
        return Anchors()
    if kramdown.get("input", "GFM") == "GFM":
        return Anchors("gfm")
    return Anchors("" if kramdown.get("transliterated_header_ids") is True else "kramdown")


def _hexo_anchors(config: Config, package: Config) -> Anchors:
    marked = _map(config, "marked")
    used = _map(package, "dependencies")
    case = marked.get("modifyAnchors", 0)
    plain = marked.get("headerIds") is not False and marked.get("anchorAlias") is not True
    others = any(name.startswith("hexo-renderer-m") for name in {*used} - {"hexo-renderer-marked"})
    if not plain or str(case) not in "01" or others or "hexo-renderer-pandoc" in used:
        return Anchors()
    smart = marked.get("smartypants") is not False and "quotes" not in marked
    return Anchors("marked", smart, lower=str(case) == "1")


def _lowered(config: Config) -> Config:
    return {str(name).lower(): value for name, value in config.items()}


def _map(value: object, *names: str) -> Config:
    """Walk down into a mapping; an empty one where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _text(config: Config, name: str) -> str:
    value = config.get(name)
    return value.strip() if isinstance(value, str) else ""


def _pairs(config: Config, name: str) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((str(key), str(value)) for key, value in _map(config, name).items()))
