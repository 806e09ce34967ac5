"""What happens: search and read, from the question to the finished answer."""
