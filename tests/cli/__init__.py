"""Tests of the commands of `lineup-srv`."""

from __future__ import annotations
