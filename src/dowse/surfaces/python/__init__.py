"""The Python API: an asynchronous and a synchronous client, in this process or of a running server."""
