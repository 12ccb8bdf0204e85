"""Adapters of the ports RoomLog, Blobs and Tokens, and what they share.

`records` is how facts and snapshots look at rest, `derived` is what a fact changes beside the
log itself, `lock` is the claim on a data directory. `sqlite` keeps all of it in one file.
"""
