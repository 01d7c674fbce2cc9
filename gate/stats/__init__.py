"""Intervals, tests and power figures: arrays and numbers in, numbers out.

Nothing here knows a check, a policy or a column name, and nothing here imports the rest of
``gate``. Only numpy and ``scipy.special`` are used, so that importing a check stays cheap.
Modules are imported by name (``from gate.stats.paired import delta_interval``).
"""
