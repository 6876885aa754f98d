"""Serve until standard input ends: `python -m tests.loopback [MODEL…]` prints the base URL first."""

import sys

from tests.loopback.server import Loopback

with Loopback(*sys.argv[1:]) as server:
    print(server.base_url, flush=True)
    sys.stdin.read()
