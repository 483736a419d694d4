"""Embedding leaves no trace outside the index: the runtime's telemetry stays off."""

import os
from pathlib import Path

from tests.support.python import output_of

CODE = """
from blog_search_mcp.index.embedders.packaged import OnnxEmbedder
from blog_search_mcp.index.embedders.packaged import PACKAGED
print([OnnxEmbedder(model).embed_query("a private draft").shape for model in PACKAGED.values()])
"""


def test_embedding_writes_nothing_into_the_home_folder(tmp_path: Path) -> None:
    home = {name: str(tmp_path) for name in ("HOME", "XDG_CACHE_HOME", "TMPDIR", "LOCALAPPDATA")}
    environment = {**os.environ, **home}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    assert output_of(CODE, env=environment) == "[(384,), (384,)]\n"
    assert list(tmp_path.rglob("*")) == []
