"""Sentences to sound: the synthesiser, the player and the announcer."""
