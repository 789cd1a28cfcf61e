#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Code on the pages is compiled: samples.py SOURCE

Each block of C, C++ and Fortran in a page stands, line by line, in a file of unit_tests/samples or examples.
"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
# Few lines of an example that is compiled: 15_belos, 12_petsc.
SHORTENED = {"packages/belos/README.md", "packages/petsc/README.md"}


def lines_of(text):
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]


compiled = []
for folder in ("unit_tests/samples", "examples"):
    for path in sorted((source / folder).rglob("*")):
        if path.suffix in (".c", ".cpp", ".f90"):
            compiled.append("\n".join([""] + lines_of(path.read_text()) + [""]))
pages = [p for pattern in ("*.md", "docs/*.md", "core/*.md", "packages/*/*.md", "python/*.md", "examples/*/*.md", "unit_tests/*/*.md",
                           "perf_tests/*.md") for p in sorted(source.glob(pattern))]
count, missing = 0, []
for page in pages:
    name = page.relative_to(source).as_posix()
    text = page.read_text()
    for block in re.finditer(r"^```(\w+)\n(.*?)^```", text, re.M | re.S):
        if block[1] not in ("c", "cpp", "fortran") or name in SHORTENED:
            continue
        count += 1
        # Of a page an #include stands alone.
        lines = lines_of(block[2])
        head = [line for line in lines if line.startswith("#include")]
        body = "\n" + "\n".join(lines[len(head):]) + "\n"
        if not any(body in file and all("\n%s\n" % line in file for line in head) for file in compiled):
            missing.append("%s:%d: no file has these lines" % (name, text.count("\n", 0, block.start()) + 1))
assert count > 5
sys.exit("\n".join(missing) or 0)
