"""Every requirement of the registry has a test, and every test's requirement is registered."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent
REGISTRY = TESTS / "requirements.txt"


def test_the_registry_names_exactly_the_requirements_that_tests_name() -> None:
    used = {name for path in TESTS.rglob("test_*.py") for name in _used_in(path)}

    assert used == set(_registered())


def test_the_registry_is_sorted_and_says_what_each_requirement_is() -> None:
    lines = _lines()

    assert lines == sorted(set(lines))
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


def _registered() -> list[str]:
    return [line.split(maxsplit=1)[0] for line in _lines()]


def _lines() -> list[str]:
    lines = REGISTRY.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def _used_in(path: Path) -> Iterator[str]:
    """The ids in `@pytest.mark.requirement(…)`; only literals, so that a search finds them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and _is_mark(node.func):
            for argument in node.args:
                assert isinstance(argument, ast.Constant), f"{path}: an id must be a literal"
                assert isinstance(argument.value, str), f"{path}: an id must be a text"
                yield argument.value


def _is_mark(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and function.attr == "requirement"
