"""Completions in, verdicts out; the only package that imports torch, and only when it runs."""
