"""Questions to pages, and what counts as an answer to them."""
