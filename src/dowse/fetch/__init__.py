"""Gets the bytes behind a URL and tells pages from refusals."""
