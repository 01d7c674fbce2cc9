"""Wrap verdict files that already exist as a run: find out what they are, ask for the rest."""
