"""``python -m areorag`` is the ``areorag`` command."""

from .cli import main

if __name__ == "__main__":
    main()
