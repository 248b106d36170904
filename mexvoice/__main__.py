"""``python -m mexvoice``."""

from mexvoice.cli import main

if __name__ == "__main__":
    main()
