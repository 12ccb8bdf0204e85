"""Generates the Python and TypeScript code of proto/ that the repository carries.

``generate.py`` writes it in place; ``generate.py --check`` writes it elsewhere and fails
if the repository holds anything else. protoc runs in an environment of its own under
.cache/: it is older than the runtime on purpose, because generated code works with
runtimes of its own or a later version and never with earlier ones.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
PYTHON_OUT = Path("lineup_srv/wire/_gen")
TYPESCRIPT_OUT = Path("web/src/proto")
ENVIRONMENT = ROOT / ".cache/generate"
# grpcio-tools 1.74.0 carries protoc 31.1, whose code wants protobuf >= 6.31.1 (see pyproject).
TOOLS = ("grpcio-tools==1.74.0", "protobuf==6.33.6", "mypy-protobuf==3.6.0", "setuptools<81")
PROTOC_GEN_ES = ROOT / "web/node_modules/.bin/protoc-gen-es"


def ensure_tools() -> Path:
    """Makes the environment if its stamp does not name exactly TOOLS; returns its bin."""
    stamp, wanted = ENVIRONMENT / "tools.txt", "\n".join(TOOLS)
    binaries = ENVIRONMENT / "bin"
    if not stamp.exists() or stamp.read_text() != wanted:
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        pip = [str(binaries / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--disable-pip-version-check", *TOOLS], check=True)
        stamp.write_text(wanted)
    return binaries


def generate(target: Path, protos: list[str]) -> None:
    """Writes all generated files below target, at their places in the repository."""
    binaries = ensure_tools()
    python, typescript = target / PYTHON_OUT, target / TYPESCRIPT_OUT
    for folder in (python, typescript):
        folder.mkdir(parents=True, exist_ok=True)
    command = [str(binaries / "python"), "-m", "grpc_tools.protoc", f"--proto_path={PROTO}"]
    outputs = [
        f"--python_out={python}",
        f"--pyi_out={python}",
        f"--grpc_python_out={python}",
        f"--mypy_grpc_out=quiet:{python}",
        f"--plugin=protoc-gen-es={PROTOC_GEN_ES}",
        f"--es_out={typescript}",
        "--es_opt=target=ts",
    ]
    path = os.pathsep.join([str(binaries), str(ROOT / ".venv/bin"), os.environ["PATH"]])
    subprocess.run([*command, *outputs, *protos], env={**os.environ, "PATH": path}, check=True)
    finish_python(python)


def finish_python(folder: Path) -> None:
    """Turns protoc's output into a package that can live below another one.

    protoc imports by the path of the .proto, ``lineup.v1``, which would be a top-level
    package. All files of a package lie in one folder, so relative imports say the same.
    """
    for file in [*folder.rglob("*_pb2*.py"), *folder.rglob("*_pb2*.pyi")]:
        text = file.read_text()
        if "_pb2_grpc" in file.name and not re.search(r"^class \w+Stub", text, re.M):
            file.unlink()  # a file without services
            continue
        package = ".".join(file.parent.relative_to(folder).parts)
        dotted = re.escape(package)
        text = re.sub(rf"^from {dotted} import ", "from . import ", text, flags=re.M)
        text = re.sub(rf"^import {dotted}\.(\w+)$", r"from . import \1", text, flags=re.M)
        if file.name.endswith("_pb2_grpc.pyi"):
            text = text.replace(f"{package}.", "")
        file.write_text(text)
    for directory in {folder, *(f.parent for f in folder.rglob("*_pb2.py"))}:
        for level in (directory, *directory.parents):
            if not level.is_relative_to(folder):
                break
            (level / "__init__.py").write_text('"""Generated from proto/ by `make generate`."""\n')


def snapshot(root: Path) -> dict[str, str]:
    """Returns path → text of every generated file below root."""
    files = (f for d in (PYTHON_OUT, TYPESCRIPT_OUT) for f in (root / d).rglob("*"))
    return {
        f.relative_to(root).as_posix(): f.read_text()
        for f in files
        if f.is_file() and f.suffix in {".py", ".pyi", ".ts"}
    }


def main() -> int:
    """Runs the command; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    protos = sorted(p.relative_to(PROTO).as_posix() for p in PROTO.rglob("*.proto"))
    if not protos:
        sys.stdout.write("generate: no .proto files\n")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch), protos)
        fresh, old = snapshot(Path(scratch)), snapshot(ROOT)
    differing = sorted(p for p in fresh.keys() | old.keys() if fresh.get(p) != old.get(p))
    if check:
        for path in differing:
            before, after = old.get(path, "").splitlines(), fresh.get(path, "").splitlines()
            diff = difflib.unified_diff(before, after, path, "generated", lineterm="", n=0)
            sys.stdout.write("\n".join(list(diff)[:20]) + "\n")
        if differing:
            sys.stdout.write("generate: the committed code is stale; run `make generate`\n")
        return 1 if differing else 0
    for path in differing:
        if path not in fresh:
            (ROOT / path).unlink()
            continue
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(fresh[path])
    sys.stdout.write(f"generate: {len(fresh)} files, {len(differing)} changed\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
