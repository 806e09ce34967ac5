"""Web pages and documents to Markdown, in a process that can be killed."""
