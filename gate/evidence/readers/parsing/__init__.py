"""What the readers share: JSON and table sources, label maps, and the columns they fill."""
