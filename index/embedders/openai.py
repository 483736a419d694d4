"""Servers with OpenAI's `/v1/embeddings` (vLLM, TEI, llama.cpp, LM Studio).

No encoding is requested, since some servers refuse any. Both base64 and numbers are read: if base64
is requested, as OpenAI's own client does, some servers reply with numbers, and others with a
quarter of the width (BerriAI/litellm#42426). Only strings are sent: LM Studio and Ollama refuse
token arrays.
"""

from blog_search_mcp.index.embedders.connection import KEY_VARIABLE, Wire
from blog_search_mcp.index.embedders.endpoints import resolve_openai


class OpenAIWire(Wire):
    """A server with OpenAI's API; an address that is not valid fails at the first use."""

    kind = "openai"
    name = "The embedding server"
    setting = f"--embedder-url or EMBEDDER_URL, and {KEY_VARIABLE} if it asks for a key"
    fetch = "Start it with that model, or name one that it has with --model"
    key_variable = KEY_VARIABLE

    @property
    def address(self) -> str:
        """URL for embedding requests. Raises UsageError for an invalid address."""
        return resolve_openai(self.url)
