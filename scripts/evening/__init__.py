"""An evening at the table for the benches: people, their voices, and the room they sit in."""
