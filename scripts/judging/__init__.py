"""Judging how well the program hears: held-out voices, people, and table talk, through its real chain."""
