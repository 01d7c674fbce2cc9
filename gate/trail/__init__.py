"""Evidence that outlives the job: baseline records, the history, verification, signatures."""
