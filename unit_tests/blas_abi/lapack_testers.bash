#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lapack_testers.bash LIBRARY FOLDER: LAPACK's testers of linear systems (Debian: liblapack-test), which are in FOLDER, fail no more often with
# the library preloaded than with the BLAS alone: those of real numbers with matrices of at most 30 rows and columns, those of complex ones of
# at most 10 and with two sizes of blocks. (As Debian has them, of 50, the former take twice as long, the latter minutes each.)
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

some_of_real() { sed 's/^0 1 2 3 5 10 50 /0 1 2 3 5 10 30 /' "$1"; }
some_of_complex() {
  sed -e '2s/7/6/; 3s/ 50 / /; 4s/7/6/; 5s/ 50 / /' -e '8s/5/2/; 9s/1 3 3 3 20/3 20/; 10s/1 0 5 9 1/0 1/' "$1"
}
for type in s d c z; do
  case $type in
    s | d) kind=real ;;
    *) kind=complex ;;
  esac
  some_of_$kind "$folder/${type}test.in" >input
  grep -Eq '5 10 (30)? .*Values of N' input
  "$folder/xlintst$type" <input >alone 2>&1
  LD_PRELOAD=$library "$folder/xlintst$type" <input >ours 2>&1
  echo "$type: $(grep -c 'All tests for' ours) of $(grep -c 'All tests for' alone) sets of tests pass; $(failures ours) failures, $(failures alone) without the library"
  [ "$(grep -c 'All tests for' alone)" -ge 40 ]
  [ "$(grep -c 'All tests for' ours)" -ge "$(grep -c 'All tests for' alone)" ]
  [ "$(failures ours)" -le "$(failures alone)" ]
done
