"""The small blog beside a server of `/v1/embeddings` that can be broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final

from tests.support.faults.ollama_stage import MODEL, Stage
from tests.support.ollama.faults import Fault
from tests.support.openai_standin import OpenAIStandIn, alters_data

if TYPE_CHECKING:
    from tests.support.ollama_standin import OllamaStandIn

SERVED: Final = replace(MODEL, name="nomic-embed-text")
"""The same model by the name that such a server has for it."""


@dataclass
class OpenAIStage(Stage):
    """One blog, one index and one server that speaks OpenAI's API."""

    kind: ClassVar[str] = "openai"
    canaries: ClassVar[int] = 5
    """The fingerprint texts, and before them the first alone."""
    after: ClassVar[int] = 1
    """The fingerprint text that shows the weights."""

    server: OllamaStandIn = field(default_factory=lambda: OpenAIStandIn([SERVED]))

    def heal(self) -> None:
        """Have the server well again."""
        super().heal()
        assert isinstance(self.server, OpenAIStandIn)
        self.server.models, self.server.key = [SERVED], ""


def alters_rows(change: Callable[[list[Any]], list[Any]]) -> Fault:
    """Answer 200 with the vectors changed and their numbers as they were."""

    def altered(data: list[dict[str, Any]]) -> list[dict[str, Any]]:
        rows = change([entry["embedding"] for entry in data])
        return [
            {"object": "embedding", "index": place, "embedding": row}
            for place, row in enumerate(rows)
        ]

    return alters_data(altered)
