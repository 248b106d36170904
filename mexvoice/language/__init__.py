"""Words to commands, and events to sentences; everything of a language comes from its locale file."""
