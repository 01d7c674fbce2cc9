"""What checkpoints left behind: manifests, verdict files, ledgers, pairs."""
