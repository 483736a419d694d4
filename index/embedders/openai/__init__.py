"""Servers that speak OpenAI's `/v1/embeddings`: vLLM, TEI, llama.cpp, LM Studio and others."""
