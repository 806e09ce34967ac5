"""Who serves it: the order of providers, their breakers, and the walk through them."""
