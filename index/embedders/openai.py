"""Servers with OpenAI's `/v1/embeddings` (vLLM, TEI, llama.cpp, LM Studio).

OpenAI's own client asks for base64 by default; servers that ignore this reply with numbers, and
others with a quarter of the width (BerriAI/litellm#42426). Here no encoding is requested, since
some servers refuse any, and both are read. Only strings are sent: LM Studio and Ollama refuse token
arrays. Such a server names neither version nor weights, so only the vectors of the fingerprint
texts can show a change.
"""

from blog_search_mcp.index.embedders.connection import KEY_VARIABLE, Wire
from blog_search_mcp.index.embedders.endpoints import resolve_openai


class OpenAIWire(Wire):
    """A server; its address has any form of `resolve_openai`, an invalid one fails at first use."""

    kind = "openai"
    name = "The embedding server"
    setting = f"--embedder-url or EMBEDDER_URL, and {KEY_VARIABLE} if it asks for a key"
    fetch = "Start it with that model, or name one that it has with --model"
    key_variable = KEY_VARIABLE

    @property
    def address(self) -> str:
        """URL for embedding requests. Raises UsageError for an invalid address."""
        return resolve_openai(self.url)
