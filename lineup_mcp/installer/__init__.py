"""Enters LineUp into the configuration of agent programs, and takes it out again.

`formats` edit a text and keep all that is not ours, `wishes` say what must hold in a file,
`programs` know each agent program's files and switches, `rules` the block of instructions, `hooks`
Claude Code's hooks, `start` how the bridge is started;
`plan` puts these together and touches nothing, `writing` carries a plan out.
"""

from __future__ import annotations
