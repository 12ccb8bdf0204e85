"""Runs rooms against ports: logs, clocks, outboxes; no sockets."""
