"""The web console: pages over the REST API. `door` admits visitors; the first request imports the rest."""
