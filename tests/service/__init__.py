"""The service on fakes: no socket, no disk, no wall clock."""
