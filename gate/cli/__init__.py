"""Commands, one module each; `main.py` turns whatever happens into an exit code."""
