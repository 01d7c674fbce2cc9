"""Which verdicts changed between two runs, id by id; nothing here decides."""
