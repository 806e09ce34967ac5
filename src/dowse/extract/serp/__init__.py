"""The pages of search engines: their results, or what stands in their place."""
