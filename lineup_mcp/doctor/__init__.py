"""Finds what keeps questions from arriving, and says which command mends it. Mends nothing itself.

`relay` asks the relay, `machine` looks at this machine, `programs` at the configuration of agent
programs; each yields `findings`.
"""

from __future__ import annotations
