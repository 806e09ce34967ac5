"""A page of HTML as it can be seen."""
