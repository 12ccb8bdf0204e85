"""Generated from proto/ by `make generate`."""
