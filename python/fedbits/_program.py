"""The command line: `fedbits …`, or `python -m fedbits …`."""

from __future__ import annotations

import signal
import sys

from fedbits import _fedbits


def main() -> None:
    """Do what the arguments of the process say, and end it with the exit code of the program."""
    # The program listens to signals itself. What is ignored, as behind `nohup` or `&`, it is to leave ignored.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    _fedbits.main(["fedbits", *sys.argv[1:]])


if __name__ == "__main__":
    main()
