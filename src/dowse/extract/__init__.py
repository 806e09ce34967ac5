"""HTML and other text formats to Markdown, in a process that can be killed."""
