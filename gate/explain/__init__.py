"""Decisions, policies and codes in plain English: what they say, and what would have passed."""
