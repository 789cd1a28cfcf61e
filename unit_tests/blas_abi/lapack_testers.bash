#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lapack_testers.bash LIBRARY FOLDER: LAPACK's testers of linear systems (Debian: liblapack-test), which are in FOLDER, fail no more often with
# the library preloaded than with the BLAS alone: those of real numbers with at most 30 rows and columns, those of complex ones with at most
# 10 and two sizes of blocks. (As Debian has them, with 50 and five, the former take twice as long and the latter ten minutes.)
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
# some_of FILE: with the largest of M and N 30 instead of 50
some_of() {
  sed -e '3s/ 50 / 30 /; 5s/ 50 / 30 /' "$1"
}
# few_of FILE: without that, and of the blocks the second and the last
few_of() {
  sed -e '2s/7/6/; 3s/ 50 / /; 4s/7/6/; 5s/ 50 / /' -e '8s/5/2/; 9s/1 3 3 3 20/3 20/; 10s/1 0 5 9 1/0 1/' "$1"
}
for type in s d c z; do
  case $type in
    s | d) some_of "$folder/${type}test.in" ;;
    *) few_of "$folder/${type}test.in" ;;
  esac >input
  ! cmp -s input "$folder/${type}test.in"
  "$folder/xlintst$type" <input >alone 2>&1
  LD_PRELOAD=$library "$folder/xlintst$type" <input >ours 2>&1
  echo "$type: $(grep -c 'All tests for' ours) of $(grep -c 'All tests for' alone) sets of tests pass; $(failures ours) failures, $(failures alone) without the library"
  [ "$(grep -c 'All tests for' alone)" -ge 40 ]
  [ "$(grep -c 'All tests for' ours)" -ge "$(grep -c 'All tests for' alone)" ]
  [ "$(failures ours)" -le "$(failures alone)" ]
done
