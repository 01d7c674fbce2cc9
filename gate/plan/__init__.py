"""What a policy will do before it has decided anything, and proof that it can fire."""
