"""Builds the relay and owns its start and its end. The only place with a real clock and chance."""

from __future__ import annotations

from lineup_srv.app.listeners import CertificateUnusable, Listening, PortTaken
from lineup_srv.app.serving import run, serve

__all__ = ["CertificateUnusable", "Listening", "PortTaken", "run", "serve"]
