"""What callers may ask: tools with their arguments, descriptions and answers."""
