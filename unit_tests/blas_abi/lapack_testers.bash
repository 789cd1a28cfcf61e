#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lapack_testers.bash LIBRARY FOLDER: LAPACK's testers of linear systems (Debian: liblapack-test), which are in FOLDER, fail no more often with
# the library preloaded than with the BLAS alone: those of real numbers with at most 30 rows and columns, those of complex ones with at most
# 10, and two sizes of blocks. (As Debian has them, with 50 and five, they take more than ten minutes.)
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
for type in s d c z; do
  case $type in
    s | d) sizes='3s/ 50 / 30 /; 5s/ 50 / 30 /' ;;
    *) sizes='2s/7/6/; 3s/ 50 / /; 4s/7/6/; 5s/ 50 / /' ;;
  esac
  sed -e "$sizes" -e '8s/5/2/; 9s/1 3 3 3 20/3 20/; 10s/1 0 5 9 1/0 1/' "$folder/${type}test.in" >input
  for number in 3 5 8 9 10; do
    [ "$(sed -n ${number}p input)" != "$(sed -n ${number}p "$folder/${type}test.in")" ] # else this is another edition of the file
  done
  "$folder/xlintst$type" <input >alone 2>&1
  LD_PRELOAD=$library "$folder/xlintst$type" <input >ours 2>&1
  echo "$type: $(grep -c 'All tests for' ours) of $(grep -c 'All tests for' alone) sets of tests pass; $(failures ours) failures, $(failures alone) without the library"
  [ "$(grep -c 'All tests for' alone)" -ge 40 ]
  [ "$(grep -c 'All tests for' ours)" -ge "$(grep -c 'All tests for' alone)" ]
  [ "$(failures ours)" -le "$(failures alone)" ]
done
