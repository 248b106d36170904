"""The record: every match of every evening in one SQLite file, and what is told from it."""
