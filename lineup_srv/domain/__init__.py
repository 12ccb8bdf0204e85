"""The rules of a room: commands in, facts and effects out; no I/O."""
