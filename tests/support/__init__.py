"""What tests of several levels share, and that is no double."""
