"""Documents: Markdown parsed into typed blocks with spans; cleaned, cut to a budget, outlined."""
