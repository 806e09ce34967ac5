"""Main-content extraction: text blocks, their features, the model, and the rules after it."""
