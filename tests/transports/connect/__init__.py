"""Connect on the HTTP port, over real sockets."""
