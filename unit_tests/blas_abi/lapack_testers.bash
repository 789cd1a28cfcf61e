#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lapack_testers.bash LIBRARY FOLDER: LAPACK's testers of linear systems (Debian: liblapack-test), which are in FOLDER, fail no more often with
# the library preloaded than with the BLAS alone: those of real numbers, of at most 30 rows and columns. (As Debian has them, of 50, they take
# twice as long, and those of complex ones ten minutes.)
set -euo pipefail
library=$1 folder=$2
export OPENBLAS_NUM_THREADS=1 # its threads wait busily
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# failures FILE: how many tests failed, and calls that did not notice wrong arguments
failures() {
  awk '/tests failed to pass|out of .* failed/ { n += $2 } /illegal|\*\*\*/ { ++n } END { print n + 0 }' "$1"
}
for type in s d; do
  sed 's/^0 1 2 3 5 10 50 /0 1 2 3 5 10 30 /' "$folder/${type}test.in" >input
  grep -q '10 30 .*Values of N' input
  "$folder/xlintst$type" <input >alone 2>&1
  LD_PRELOAD=$library "$folder/xlintst$type" <input >ours 2>&1
  echo "$type: $(grep -c 'All tests for' ours) of $(grep -c 'All tests for' alone) sets of tests pass; $(failures ours) failures, $(failures alone) without the library"
  [ "$(grep -c 'All tests for' alone)" -ge 40 ]
  [ "$(grep -c 'All tests for' ours)" -ge "$(grep -c 'All tests for' alone)" ]
  [ "$(failures ours)" -le "$(failures alone)" ]
done
