"""YAML as generators' configurations have it: scalars as text, and tags of programs."""

from blog_search_mcp.index.posts.text import StringLoader


class ConfigLoader(StringLoader):
    """Reads what a program makes, as MkDocs' `!ENV` and `!!python/name:`, as `...`."""


for _tag in ("!", "tag:yaml.org,2002:python/"):
    ConfigLoader.add_multi_constructor(_tag, lambda _loader, _tag, _node: ...)
