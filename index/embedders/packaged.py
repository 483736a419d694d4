"""The models in the package: what each is, and how a text becomes the pieces it reads."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from blog_search_mcp.index.embedders.base import ENGLISH_WINDOW, replace_surrogates
from blog_search_mcp.index.embedders.coverage import (
    ENGLISH_MODEL,
    english_coverage,
    script_coverage,
)
from blog_search_mcp.index.embedders.model_files import load_character_map, load_tokenizer
from blog_search_mcp.index.types import EmbedderIdentity

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class PackagedModel:
    """One model: its identity, and what its tokenizer's file does not say."""

    identity: EmbedderIdentity
    """The digest is the SHA-256 of model.onnx; hashing it at each start would buy nothing."""
    most_pieces: int
    """Pieces it reads at once, those at the beginning and the end included."""
    frame: tuple[int, int]
    """The pieces that stand at the beginning and the end of each text."""
    has_character_map: bool
    """Whether a text is composed (NFC) and mapped by `normalizer.json` before it is cut."""
    window_pieces: int
    """As `Embedder.window_pieces`."""
    measure_coverage: Callable[[Sequence[str]], list[float]]
    """As `Embedder.vocabulary_coverage`."""

    @property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer, loaded once a process. Raises EmbedderRefused."""
        return load_tokenizer(self.identity.model)

    def encode(self, text: str) -> list[int]:
        """Return the pieces of a text, without the frame; none for a blank one."""
        text = replace_surrogates(text)
        if self.has_character_map:
            table = load_character_map(self.identity.model)
            text = unicodedata.normalize("NFC", text).translate(table).strip()
        ids: list[int] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return ids


MINILM: Final = PackagedModel(
    identity=EmbedderIdentity(
        kind="embedded",
        model=ENGLISH_MODEL,
        digest="30df2cb605f69fdb18af8861425e4243fcbd43dee54478cef5b15f3dae61b02b",
        dimension=384,
    ),
    most_pieces=256,
    frame=(101, 102),
    has_character_map=False,
    window_pieces=ENGLISH_WINDOW,
    measure_coverage=english_coverage,
)
"""all-MiniLM-L6-v2: English, trained on 256 pieces."""

E5: Final = PackagedModel(
    identity=EmbedderIdentity(
        kind="embedded",
        model="multilingual-e5-small",
        digest="c486d8a173fb269e93ee7044ab8342c77bf7433a2e1c58a3f44ee9a321683298",
        dimension=384,
        document_prefix="passage: ",
        query_prefix="query: ",
    ),
    most_pieces=512,
    frame=(0, 2),
    has_character_map=True,
    window_pieces=400,
    measure_coverage=script_coverage,
)
"""multilingual-e5-small: about a hundred languages, of which the package has the scripts of
Europe and East Asia."""

OTHER_SHARE: Final = 0.1
"""Share of posts in another language than English from which E5 is taken. Of nine sites the six
English ones have at most .002, the three others .79 and more, and a blog of two languages .38."""


def share_not_english(posts: Mapping[str, int]) -> float:
    """Return the share of posts, counted by language tag, that are not in English.

    Those that show no language (`""`) are none of them. 0 without posts.
    """
    others = [count for tag, count in posts.items() if tag.partition("-")[0] not in ("en", "")]
    return sum(others) / max(sum(posts.values()), 1)


def choose_packaged(posts: Mapping[str, int]) -> PackagedModel:
    """Choose the model for posts that are counted by their languages."""
    return E5 if share_not_english(posts) >= OTHER_SHARE else MINILM


PACKAGED: Final[Mapping[str, PackagedModel]] = {each.identity.model: each for each in (MINILM, E5)}
"""By name."""
