"""What is public is declared, in the contract and in the core."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest

import lineup_srv.contract
import lineup_srv.domain

if TYPE_CHECKING:
    from types import ModuleType


def modules(package: ModuleType) -> list[ModuleType]:
    found = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    return [importlib.import_module(info.name) for info in found]


ALL = [*modules(lineup_srv.contract), *modules(lineup_srv.domain)]
DECLARING = [module for module in ALL if hasattr(module, "__all__")]


@pytest.mark.parametrize("module", DECLARING, ids=lambda module: module.__name__)
def test_everything_that_is_declared_exists_and_stands_there_once(module: ModuleType) -> None:
    names: list[str] = module.__all__

    assert all(hasattr(module, name) for name in names)
    assert len(names) == len(set(names))
    assert not [name for name in names if name.startswith("_")]


@pytest.mark.parametrize("module", DECLARING, ids=lambda module: module.__name__)
def test_every_public_class_and_function_is_declared(module: ModuleType) -> None:
    made = {
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (isinstance(value, type) or callable(value))
        and getattr(value, "__module__", "") == module.__name__
    }

    assert made <= set(module.__all__)


def test_every_module_but_the_limits_declares_its_names() -> None:
    assert [m.__name__ for m in ALL if m not in DECLARING] == ["lineup_srv.contract.limits"]
