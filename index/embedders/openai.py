"""Servers that speak OpenAI's `/v1/embeddings` (vLLM, TEI, llama.cpp, LM Studio).

OpenAI's own client asks for base64 unless told not to, which servers that ignore the wish answer
with numbers and other servers with a quarter of the width (BerriAI/litellm#42426). Here no
encoding is asked for, since some servers refuse any wish, and both are read. Strings alone are
sent: LM Studio and Ollama refuse token arrays.
Such a server names neither version nor weights, so the vectors of the fingerprint texts have to
tell them.
"""

from blog_search_mcp.index.embedders.connection import KEY_VARIABLE, Wire
from blog_search_mcp.index.embedders.endpoints import resolve_openai


class OpenAIWire(Wire):
    """One server, by an address in any form of `resolve_openai`; another one fails at first use."""

    kind = "openai"
    name = "The embedding server"
    setting = f"--embedder-url or EMBEDDER_URL, and {KEY_VARIABLE} if it asks for a key"
    fetch = "Start it with that model, or name one that it has with --model"
    key_variable = KEY_VARIABLE

    @property
    def address(self) -> str:
        """URL of requests for vectors. Raises UsageError for an address that cannot be meant."""
        return resolve_openai(self.url)
