"""What runs hold: suite by suite, judged or not, and what a policy would miss."""
