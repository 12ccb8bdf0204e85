"""Values against schemas, and strangers' patterns."""

from __future__ import annotations
