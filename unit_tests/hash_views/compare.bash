#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compare.bash LIBRARY PROGRAM FOLDER: two runs with one thread have the same hashes, a run with three threads has others, from the kernel
# on that adds plainly; what the host wrote is not put down to a kernel, and a View without entries never changes; a rank has a file
# of its own.
set -euo pipefail
library=$1 program=$2 folder=$3
mkdir -p "$folder"
record() {
  OMP_NUM_THREADS=$1 OMP_PROC_BIND=false KOKKOS_PROFILE_LIBRARY=$library KOKKOS_TOOLS_LIBS=$library EXAKT_HASH_VIEWS=$folder/$2 "$program" >/dev/null
}
fail() {
  echo "$1"
  cat "$folder"/*.txt
  exit 1
}
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID
rm -f "$folder"/*.txt*
record 1 one.txt
record 1 again.txt
record 3 three.txt
cmp "$folder/one.txt" "$folder/again.txt" || fail "two runs of the same kind differ"
first=$(diff "$folder/one.txt" "$folder/three.txt" | sed -n 2p || true)
[[ $first =~ "add plainly: plain sum#1 " ]] || fail "the first difference is '$first'"
for line in "fill: x#1 " "before add exactly: by host#1 " "before add plainly: exact sum#1 " "scale: scaled#1 " "fill 128 bytes: 128 bytes#1 " \
  "outer/inner/last float: three floats#1 " "outer/other twin: twin#2 " "one twin: twin#1 " "deep_copy: copy#1 " "add up: sums#1 "; do
  grep -q "^[0-9]* $line" "$folder/three.txt" || fail "there is no line '$line'"
done
[ "$(wc -l <"$folder/three.txt")" -eq 11 ] || fail "there are other lines"
EXAKT_HASH_VIEWS_LABELS='^sca' record 3 some.txt
[ "$(wc -l <"$folder/some.txt")" -eq 1 ] || fail "not one line with the chosen label"
for rank in OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID; do
  export $rank=27
  record 1 $rank.txt
  unset $rank
  cmp "$folder/one.txt" "$folder/$rank.txt.27" || fail "there is no such file of rank 27 by $rank"
done
