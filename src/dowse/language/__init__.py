"""Scripts, words and stems, stop words, language detection: once for all other folders."""
