"""Processes that parse hostile pages: pool, process, protocol and jobs."""
