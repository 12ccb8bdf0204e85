"""The core: conversations of commands, facts and effects, compared whole."""

from __future__ import annotations
