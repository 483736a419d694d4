"""Find the title and description of a blog, and the folder of posts in a site."""

from pathlib import Path

from blog_search_mcp.ingest.sites.configuration import Config, find_setting
from blog_search_mcp.ingest.sites.site import find_configured

_TITLE_PATHS = ("title", "site_name", "website.title", "book.title")
_DESCRIPTION_PATHS = (
    *("description", "site_description", "website.description", "params.description"),
    *("extra.description", "tagline", "subtitle", "params.subtitle"),
)
_USUAL_FOLDERS = {"content", "posts", "_posts", "docs", "source", "src", "blog", "pages"}
"""Usual names of content folders. None of them becomes a blog's title."""


def describe_blog(content: Path, config: Config) -> tuple[str, str]:
    """Return a blog's title (else the name of its folder) and description; `""` if unknown."""
    titles, descriptions = (
        [text for path in paths if isinstance(text := find_setting(config, path), str) and text]
        for paths in (_TITLE_PATHS, _DESCRIPTION_PATHS)
    )
    names = (folder.name for folder in (content, content.parent))
    titles += [name for name in names if name not in _USUAL_FOLDERS]
    return next(iter(titles), ""), next(iter(descriptions), "")


def find_posts_folder(folder: Path) -> Path:
    """Return the folder of posts if `folder` is the root of a site with only one, else `folder`."""
    generator, _ = find_configured(folder)
    inner = generator.list_folders() if generator and not generator.prefix else ()
    folders = [folder / name for name in inner if name and (folder / name).is_dir()]
    return folders[0] if len(folders) == 1 else folder
