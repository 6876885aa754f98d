"""Fixtures every room may use, and how numpy, the collector and hypothesis run in all of them."""

import gc
import os

from hypothesis import settings

from tests.loopback.fixtures import loopback

__all__ = ["loopback"]

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")  # a worker a core: more threads would only wait for each other
gc.set_threshold(50_000, 20, 50)  # screens are made and dropped by the thousand: looking through them less often saves time
settings.register_profile("steady", deadline=None, derandomize=True, max_examples=40)  # the same examples on any machine
settings.load_profile("steady")
