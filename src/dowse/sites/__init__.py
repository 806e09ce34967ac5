"""Sites that are read and searched through their own APIs, one file or folder each; `table` imports them lazily."""
