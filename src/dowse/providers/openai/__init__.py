"""OpenAI's Responses API: a model that searches the web and writes an answer with citations."""
