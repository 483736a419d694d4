"""Where the posts of a whole site lie, and what a blog is called."""

from collections.abc import Mapping
from pathlib import Path

from blog_search_mcp.ingest.sites.settings import Config
from blog_search_mcp.ingest.sites.site import find_configured

_TITLES = ("title", "site_name", "website.title", "book.title")
_DESCRIPTIONS = (
    *("description", "site_description", "website.description", "params.description"),
    *("extra.description", "tagline", "subtitle", "params.subtitle"),
)
_PLAIN = {"content", "posts", "_posts", "docs", "source", "src", "blog", "pages"}
"""Names of folders that say nothing of a blog."""


def describe_blog(content: Path, config: Config) -> tuple[str, str]:
    """Return the title of a blog, that of its folder without one, and its description."""
    settings = (
        [_find_setting(config, path) for path in paths] for paths in (_TITLES, _DESCRIPTIONS)
    )
    titles, told = (
        [text for text in texts if isinstance(text, str) and text] for texts in settings
    )
    names = (folder.name for folder in (content, content.parent))
    titles += [name for name in names if name not in _PLAIN]
    return next(iter(titles), ""), next(iter(told), "")


def _find_setting(config: Config, path: str) -> object:
    """Return the setting at a path of names as `params.title`, `None` if there is none."""
    value: object = config
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def find_posts(folder: Path) -> Path:
    """Return where the posts lie if `folder` is that of a whole site, else the folder itself."""
    generator, _ = find_configured(folder)
    inner = generator.list_folders() if generator and not generator.prefix else ()
    folders = [folder / name for name in inner if name and (folder / name).is_dir()]
    return folders[0] if len(folders) == 1 else folder
