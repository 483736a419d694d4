"""Which tools are offered: two for every client, more for those who browse a blog or write it.

Two tools answer questions, and a model pays for each definition in every session, so the
others are asked for at the start.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from blog_search_mcp.server.settings import ToolsetName
from blog_search_mcp.server.tools.base import Tool
from blog_search_mcp.server.tools.find_similar import FIND_SIMILAR
from blog_search_mcp.server.tools.get_outline import GET_OUTLINE
from blog_search_mcp.server.tools.list_posts import LIST_POSTS
from blog_search_mcp.server.tools.read_chunk import READ_CHUNK
from blog_search_mcp.server.tools.search_blog import SEARCH_BLOG
from blog_search_mcp.server.tools.suggest_links import SUGGEST_LINKS
from blog_search_mcp.server.tools.timeline import TIMELINE

Tools: TypeAlias = tuple[Tool[Any], ...]

CORE: Tools = (SEARCH_BLOG, READ_CHUNK)
EXTENDED: Tools = (*CORE, LIST_POSTS, GET_OUTLINE)
AUTHOR: Tools = (*CORE, FIND_SIMILAR, SUGGEST_LINKS, TIMELINE)

TOOLSETS: dict[ToolsetName, Tools] = {"core": CORE, "extended": EXTENDED, "author": AUTHOR}
