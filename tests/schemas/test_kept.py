"""Schemas that are kept ready between checks."""

from __future__ import annotations

from lineup_srv.schemas import KeptSchemas

STRICT = '{"type":"object","required":["x"]}'


def test_a_misfit_is_named_by_its_path_without_the_value() -> None:
    schemas = KeptSchemas()
    number = '{"type":"object","properties":{"x":{"type":"number"}}}'
    assert schemas.misfit(number, {"x": 1}, "arguments") == ""
    words = schemas.misfit(number, {"x": "my password"}, "arguments")
    assert words.startswith("arguments.x: ")
    assert "password" not in words


def test_only_the_schemas_used_last_are_kept() -> None:
    schemas = KeptSchemas(kept=2)
    for schema in (STRICT, '{"type":"object"}', STRICT, '{"type":"array"}'):
        schemas.misfit(schema, {}, "arguments")
    assert list(schemas._schemas) == [STRICT, '{"type":"array"}']
    assert schemas.misfit(STRICT, {}, "arguments")
