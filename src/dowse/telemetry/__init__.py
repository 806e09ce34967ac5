"""What we saw: events, logs and the filter that keeps secrets in."""
