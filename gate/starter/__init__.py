"""A first policy, with limits that the observed runs can show, and a workflow that applies it."""
