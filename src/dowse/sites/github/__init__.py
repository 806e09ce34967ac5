"""GitHub: issues, pull requests and discussions as whole conversations; repositories, folders, files and releases."""
