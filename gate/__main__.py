"""`python -m gate`."""

from gate.cli.main import main

if __name__ == "__main__":
    main()
