"""Pages of search engines (SERPs): their results, or the interstitial in their place."""
