"""The only way out of the process: what may be dialled, and the clients that dial."""
