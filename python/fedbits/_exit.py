"""The end of the interpreter, which waits for methods of models, compressors and protocols."""

from __future__ import annotations

import atexit
import contextlib
import multiprocessing
import multiprocessing.util  # Before `add`: what it does at exit, after that, ends pools that a method may wait for.
import os
import sys
import time

from fedbits import _fedbits

_SAID, _WAITED = 1.0, 2.0
"""After how many seconds a wait for a method is reported, and when the process ends. A call without a method is waited
for as well: it lets go what it holds of the interpreter, such as open files, at its end."""


def add() -> None:
    """Has the interpreter wait for methods when it ends."""
    atexit.register(_leave)


def _leave() -> None:
    start, is_said, is_over = time.monotonic(), False, False
    try:
        while not is_over:
            is_alone, is_idle = _fedbits.left(50)
            waited = time.monotonic() - start
            is_over = is_alone and (is_idle or waited > _WAITED)
            if not is_over and waited > _WAITED:
                _end(130 if getattr(sys, "last_type", None) is KeyboardInterrupt else 1)
            if not is_alone and waited > _SAID and not is_said:
                is_said = True
                with contextlib.suppress(AttributeError, OSError, ValueError):  # It is closed, or none.
                    sys.stderr.write("fedbits waits for a method of Python; in a second the process ends without it\n")
    finally:
        # Another Ctrl-C, or what its handler raises.
        if not is_over:
            _end(130)


def _end(code: int) -> None:
    """Ends the process where it is: where the interpreter ended, it would unwind threads that are in Rust."""
    with contextlib.suppress(Exception):
        for child in multiprocessing.active_children():
            if child.daemon:
                child.terminate()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code)
