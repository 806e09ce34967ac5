"""Stack Exchange: questions with answers and comments, and a search over them."""
