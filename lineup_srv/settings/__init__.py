"""The configuration of both programs: which keys there are, where values come from, who wins.

`keys` is the map, `resolve` decides and is pure, `files` finds, reads and creates files, `show`
prints. `lineup_srv.config` and `lineup_mcp.config` turn the result into their frozen records.
"""

from __future__ import annotations
