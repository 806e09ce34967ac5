"""Killable processes that parse hostile pages: their pool, the pipe protocol and the jobs."""
