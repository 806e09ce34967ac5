"""Drop-in contracts: the tools of other servers under their names, arguments and answers."""
