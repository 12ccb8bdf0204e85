"""The messages on the wire and their codecs; no transport."""
