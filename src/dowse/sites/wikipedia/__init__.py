"""Wikipedia: articles in every language, and a search over them."""
