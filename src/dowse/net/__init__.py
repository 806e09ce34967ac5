"""Network access: SSRF guard, HTTP clients and the browser's proxy. Only this folder opens connections."""
