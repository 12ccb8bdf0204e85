"""Whole conversations over real processes: relay, bridges, devices; some are killed on the way."""
