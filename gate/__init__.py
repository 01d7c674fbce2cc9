"""A release gate for LLM checkpoints."""

__version__ = "0.1.0"
