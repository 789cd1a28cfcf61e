# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the cases of a file with refusals: see exakt_add_refusals in cmake/ExaktTest.cmake.

refusals.py COMPILE_COMMANDS TARGET SOURCE CASES together|alone [MACRO]...

A case is what stands between `#ifdef CASE_<name>` and `#endif`; CASES is a file of lines `<name> <words>`. Each is compiled alone, by
the command of the object library TARGET. `together` takes much less time and is for GCC, whose messages tell which case they are about: all are compiled at once. A
compiler says only once what is wrong with a template for the same types, so cases whose first error does not hold
their words are compiled again without those whose does, and in the end alone. Nothing else in the file may be refused.
"""

import json
import os
import re
import shlex
import subprocess
import sys


def command_of(target, commands):
    for entry in json.load(open(commands)):
        if f"/{target}.dir/" in entry["command"]:
            command = shlex.split(entry["command"])
            for option in ("-o", "-c"):  # and what follows it
                place = command.index(option)
                del command[place : place + 2]
            return entry["directory"], command
    sys.exit(f"{commands} has no command of {target}")


def cases_of_lines(source):
    """The case of each line that belongs to one."""
    cases, case, depth = {}, None, 0
    for number, line in enumerate(open(source), 1):
        if line.startswith("#if"):
            depth += 1
            if line.startswith("#ifdef CASE_"):
                case, depth = line.split()[1][len("CASE_") :], 0
        elif line.startswith("#endif"):
            depth -= 1
            if depth < 0:
                case = None
        if case:
            cases[number] = case
    return cases


class Compiler:
    def __init__(self, commands, target, source, macros):
        self.directory, self.command = command_of(target, commands)
        self.source = source
        self.macros = macros
        self.environment = dict(os.environ, LC_ALL="C", CCACHE_DISABLE="1")  # which would expand the precompiled header

    def messages(self, cases):
        macros = [f"-D{macro}" for macro in self.macros + [f"CASE_{case}" for case in cases]]
        run = subprocess.run(
            self.command + macros + ["-fsyntax-only", self.source],
            cwd=self.directory, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return run.stdout, run.returncode != 0


def first_errors(messages, source, cases):
    """The first error of each case. GCC tells in front of an error from where in the source what it is in was required."""
    place = re.compile(re.escape(source) + r":(\d+):\d+:")
    first, case = {}, None
    for line in messages.splitlines():
        at = place.search(line)
        if at:
            case = cases.get(int(at[1]))
        if "error:" in line:
            first.setdefault(case, line)
    return first


def main(commands, target, source, expected, how, *macros):
    words = dict(line.rstrip("\n").split(" ", 1) for line in open(expected))
    cases = cases_of_lines(source)
    strangers = set(words) ^ set(cases.values())
    if strangers:
        sys.exit(f"either {source} or its list in CMakeLists.txt is without {', '.join(sorted(strangers))}")
    compiler = Compiler(commands, target, source, list(macros))

    left = list(words)
    while left and how == "together":
        first = first_errors(compiler.messages(left)[0], source, cases)
        if None in first:
            sys.exit(f"an error that belongs to no case:\n  {first[None]}")
        undecided = [case for case in left if words[case] not in first.get(case, "")]
        if len(undecided) == len(left):
            break
        left = undecided

    wrong = 0
    for case in left:
        messages, failed = compiler.messages([case])
        first = next((line for line in messages.splitlines() if "error:" in line), "")
        if not failed:
            print(f"{case} compiles; it should be refused: {words[case]}")
        elif words[case] not in first:
            print(f"the first error of {case} is\n  {first}\nand should say\n  {words[case]}\n\n{messages[:4000]}")
        else:
            continue
        wrong += 1
    print(f"{len(words) - wrong} of {len(words)} cases are refused in the words that are expected")
    return wrong != 0


if __name__ == "__main__":
    if len(sys.argv) < 6 or sys.argv[5] not in ("together", "alone"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
