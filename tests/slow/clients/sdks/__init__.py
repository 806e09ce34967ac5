"""Programs that use SDKs as their documentation says, run by the interpreter that has these; a line of JSON tells it."""
