"""The match at the table: the assistant, its screen, and the demo."""
