"""Runs a program of ours with other limits: `shortened.py PROGRAM [NAME=VALUE …] -- [ARGUMENT …]`.

A lease of 30 s and a timeout of at least 60 s are too long to wait for in a test, and no setting
of the product. NAME is one of the limits of the contract, or a constant with its module.
"""

from __future__ import annotations

import importlib
import runpy
import sys


def main() -> None:
    program, *rest = sys.argv[1:]
    end = rest.index("--")
    for change in rest[:end]:
        path, _, value = change.partition("=")
        module, _, name = path.rpartition(".")
        place = importlib.import_module(module or "lineup_srv.contract.limits")
        if not hasattr(place, name):
            sys.exit(f"there is no limit {path}")
        setattr(place, name, int(value))
    sys.argv = [program, *rest[end + 1 :]]
    runpy.run_module(program, run_name="__main__")


if __name__ == "__main__":
    main()
