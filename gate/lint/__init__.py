"""What is wrong with a policy, alone or held against runs; nothing here decides."""
