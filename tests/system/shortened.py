"""Runs a program of ours with other limits: `shortened.py PROGRAM [NAME=VALUE …] -- [ARGUMENT …]`.

A lease of 30 s and a timeout of at least 60 s are too long to wait for in a test, and no setting
of the product.
"""

from __future__ import annotations

import runpy
import sys

from lineup_srv.contract import limits


def main() -> None:
    program, *rest = sys.argv[1:]
    end = rest.index("--")
    for change in rest[:end]:
        name, _, value = change.partition("=")
        if not hasattr(limits, name):
            sys.exit(f"there is no limit {name}")
        setattr(limits, name, int(value))
    sys.argv = [program, *rest[end + 1 :]]
    runpy.run_module(program, run_name="__main__")


if __name__ == "__main__":
    main()
