"""Sound to words: sources of sound, models, grammars and the recogniser."""
