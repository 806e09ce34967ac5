"""Documents other than web pages: PDF, office files, tables, feeds and source code to Markdown."""
