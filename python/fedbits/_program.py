"""The command line: `fedbits …`, or `python -m fedbits …`."""

from __future__ import annotations

import signal
import sys

from fedbits import _fedbits


def main() -> None:
    """Do what the arguments of the process say, and end it with the exit code of the program."""
    # The program listens to signals itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _fedbits.main(["fedbits", *sys.argv[1:]])


if __name__ == "__main__":
    main()
