"""PDF to Markdown: words with positions, lines in reading order, blocks, and the text they make."""
