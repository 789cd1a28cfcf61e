#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# kernel_instructions.bash LIBRARY: outside of the namespaces of its instruction sets the library runs on every x86-64.
# Instructions of AVX and later have names with a v; SSE's later ones are left to the tests on an emulated processor.
set -euo pipefail

functions=$(objdump -dC --no-show-raw-insn "$1" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $0; sub(/^[0-9a-f]+ </, "", name); sub(/>:$/, "", name); in_set = name ~ /::N_(AVX|SSE|SSSE)[A-Z0-9_]*::/; ++count; sets += in_set }
  /^ +[0-9a-f]+:\t/ && !in_set && $2 ~ /^v/ && $2 !~ /^ver[rw]$/ { print name ": " $2 }
  END { if (count == 0 || sets == 0) print "no function of an instruction set was found" }' | sort -u)
[ -z "$functions" ] || {
  echo "instructions that not every processor has, outside of their namespace:"
  echo "$functions"
  exit 1
}
