"""Policies under change: what a change loosens, and whether a policy decides as it should."""
