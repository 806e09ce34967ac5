"""The web console: pages over the REST API. `door` decides who may enter; the first request imports the rest."""
