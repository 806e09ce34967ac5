"""Whatever is not a web page: PDF, office files, tables, feeds and source code to Markdown."""
