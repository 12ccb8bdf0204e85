"""The facts in docs are true."""
