"""The browser's only way out: a proxy inside our process, one for each page, that asks the guard about everything."""
