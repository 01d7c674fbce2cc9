"""A checkpoint and test cases in, completions out, under the exact protocol of a benchmark."""
