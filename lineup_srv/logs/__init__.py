"""Adapters of the RoomLog port."""
