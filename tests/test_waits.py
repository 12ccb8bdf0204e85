"""How tests wait: for what they name, never for less."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# What a script has in it whose answer is a promise.
LATER = ("async ", "await ", ".then(", ".ready", "getNotifications", "caches.")


def waits_for_promises(source: str) -> list[int]:
    """Lines that give `wait_for_function` a promise: Playwright takes any for true, and goes on."""
    tree = ast.parse(source)
    constants = {
        target.id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }

    def script(call: ast.Call) -> str:
        names = [node.id for node in ast.walk(call) if isinstance(node, ast.Name)]
        return "\n".join([ast.unparse(call), *(constants.get(name, "") for name in names)])

    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "wait_for_function"
        and any(sign in script(node) for sign in LATER)
    ]


@pytest.mark.parametrize(
    "path", sorted(TESTS.glob("browser/*.py")), ids=lambda path: str(path.relative_to(TESTS))
)
def test_browser_tests_do_not_take_a_promise_for_true(path: Path) -> None:
    lines = waits_for_promises(path.read_text(encoding="utf-8"))
    assert lines == [], f"use Device.becomes in {path.name}, lines {lines}"


def test_a_promise_is_found() -> None:
    assert waits_for_promises("await page.wait_for_function('async () => true')") == [1]
    assert waits_for_promises("KEPT = 'async () => 1'\nawait page.wait_for_function(KEPT)") == [2]
    assert waits_for_promises("await page.wait_for_function('() => true')") == []
