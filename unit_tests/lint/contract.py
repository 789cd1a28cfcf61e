#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The contract names every call: contract.py SOURCE

Reads the functions in namespace Exakt and Exakt::Mpi, and the classes that are accumulators or bins, off the public headers; each has
to stand in docs/contract.md in backquotes.
"""
import pathlib
import re
import sys

source = pathlib.Path(sys.argv[1])
# What computes nothing that is rounded, and numbers that are template arguments.
OTHERS = {"describe", "hallberg_size", "high_precision_size", "crs_matrix", "reduction_identity"}
FUNCTION = re.compile(r"^(?:template <.*> )?(?:EXAKT_ABI_TAG|EXAKT_\w*FUNCTION)\b[^\n(;=]*?\b(\w+)\(")
CLASS = re.compile(r"^class (?:EXAKT_\w+ )?(\w*(?:Accumulator|Expansion|Binned|Hallberg|HighPrecision|Scatter|Assembly)\w*)\b")


def public_names(text):
    spaces = []
    for line in text.splitlines():
        opened = re.match(r"(?:inline )?namespace ?([\w:. ]*)\{(.*)", line)
        if opened and "}" not in opened[2]:
            spaces.append(opened[1].strip() or "Impl")
        elif line.startswith("}  // namespace"):
            spaces.pop()
        found = FUNCTION.match(line) or CLASS.match(line)
        if found and spaces and "Impl" not in " ".join(spaces) and "Compiled" not in " ".join(spaces):
            yield found[1]


contract = (source / "docs/contract.md").read_text()
named = {word for code in re.findall(r"`([^`\n]+)`", contract) for word in re.findall(r"\w+", code)}
missing, count = [], 0
for folder in ["core"] + ["packages/" + name for name in ("blas", "sparse", "scatter", "mpi")]:
    for header in sorted((source / folder).glob("Exakt*.hpp")):
        for name in sorted(set(public_names(header.read_text())) - OTHERS):
            count += 1
            if name not in named:
                missing.append("%s: docs/contract.md does not name %s" % (header.name, name))
assert count > 80, "%d names: the headers are written in another way than this script reads" % count
sys.exit("\n".join(missing) or 0)
