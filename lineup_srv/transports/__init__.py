"""How bytes reach the relay: gRPC, WebSocket and HTTP."""
