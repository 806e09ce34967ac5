"""Words: how texts are split into them, stop words, detection of languages, stems."""
