"""The installer."""
