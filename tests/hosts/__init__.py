"""Real agent programs, each against a scripted model and the real bridge and relay, offline.

`host.py` and `fake_model.py` are programs of their own, which need nothing but Python.
"""

from __future__ import annotations
