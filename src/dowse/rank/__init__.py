"""What is worth reading: duplicates out, the rest in order."""
