"""Markdown as every part reads it: clean, blocks, outline, code fences, break points, pages of it."""
