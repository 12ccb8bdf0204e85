"""Measurements against the budgets: ratios to a floor in the same run, never pass or fail."""

from __future__ import annotations
