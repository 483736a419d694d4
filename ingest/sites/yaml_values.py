"""YAML with the values of its own types, as generators read their configuration."""

from __future__ import annotations

import yaml

_TEXT = "tag:yaml.org,2002:str"


class ValueLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads keys as text: `no` is Norwegian, and `2024` a folder."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Merge what `<<` names, and read keys as text."""
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                key.tag = _TEXT
        super().flatten_mapping(node)


def _leave_out(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> None:
    """Stand for a value that a program makes: MkDocs' `!ENV`, `!!python/name:`."""


for _tag in ("!", "tag:yaml.org,2002:python/"):
    ValueLoader.add_multi_constructor(_tag, _leave_out)
