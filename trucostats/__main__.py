"""`python -m trucostats` is the command line."""

from trucostats.cli import main

if __name__ == "__main__":
    main()
