#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compare.bash LIBRARY PROGRAM [ARGUMENT...]: what the program prints at one and at two threads, with its own BLAS and with libexakt_blas.so
# preloaded. Fails if the latter two differ.
set -euo pipefail
library=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for threads in 1 2; do
  OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads "$@" >"$work/plain$threads"
  OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads EXAKT_NUM_THREADS=$threads LD_PRELOAD=$library "$@" >"$work/exakt$threads"
done
echo "The program's own BLAS, one thread, then the lines that are others at two:"
cat "$work/plain1"
{ diff "$work/plain1" "$work/plain2" || true; } | sed -n 's/^>/two threads:/p'
echo "With libexakt_blas, one thread and two:"
cat "$work/exakt1"
cmp "$work/exakt1" "$work/exakt2"
[ -s "$work/exakt1" ]
