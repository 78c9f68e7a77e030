"""Runs a command in a pseudo-terminal, and prints its output.

    terminal.py COMMAND…
"""

import os
import pty
import sys

sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))
