"""Which tools are offered: two for every client, since a model pays for each in every session."""

from __future__ import annotations

from typing import Any, TypeAlias

from blog_search_mcp.server.settings import ToolsetName
from blog_search_mcp.server.tools.base import Tool
from blog_search_mcp.server.tools.browsing import GET_OUTLINE, LIST_POSTS
from blog_search_mcp.server.tools.drafts import FIND_SIMILAR, SUGGEST_LINKS
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG, TIMELINE

Tools: TypeAlias = tuple[Tool[Any], ...]

CORE: Tools = (SEARCH_BLOG, READ_CHUNK)
TOOLSETS: dict[ToolsetName, Tools] = {
    "core": CORE,
    "extended": (*CORE, LIST_POSTS, GET_OUTLINE),
    "author": (*CORE, FIND_SIMILAR, SUGGEST_LINKS, TIMELINE),
}
