#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# testers.bash LIBRARY FOLDER: the testers of the reference BLAS (Debian: libblas-test, libblas64-test), which are in FOLDER, pass with the library
# preloaded. With EXAKT_BLAS_VERIFY they pass as well, and the table tells about the routines that ran.
set -euo pipefail
library=$1 folder=$2
name=lib$(basename "$folder").so.3 # libblas.so.3 or libblas64.so.3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

passed=0
# check PROGRAM [INPUT]: what it prints and writes to a file says that all is well
check() {
  local count
  rm -f ./*.out
  if ! LD_PRELOAD=$library "$folder/$1" <"${2:-/dev/null}" >printed.out 2>errors; then
    echo "$1 ended with an error:"
    cat errors
    exit 1
  fi
  count=$(cat ./*.out | grep -c PASS || true)
  if [ "$count" = 0 ] || grep -E 'FAIL|\*\*\*|FATAL|SUSPECT|INSTEAD' ./*.out; then
    echo "$1 did not pass"
    exit 1
  fi
  passed=$((passed + count))
}

for type in s d c z; do
  check "xblat1$type"
  check "x${type}cblat1"
  for level in 2 3; do
    check "xblat$level$type" "$folder/${type}blat$level.in"
    check "x${type}cblat$level" "$folder/${type}in$level"
  done
done
echo "$passed tests passed"
[ "$passed" -ge 500 ] || exit 1

# Every name that the reference BLAS has, but for the helpers of its own CBLAS.
behind=$(ldd "$folder/xblat1d" | awk -v name="$name" '$1 == name { print $3 }')
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | sort -u; }
if exported "$behind" | grep isamaxsub_ >/dev/null; then # others have names of their own besides
  missing=$(comm -23 <(exported "$behind" | grep -E '^(cblas_.*|[a-z0-9]+_)$' | grep -v 'sub_$') <(exported "$library"))
  [ -z "$missing" ] || {
    echo "not exported: $missing"
    exit 1
  }
fi

# names of routines in the table, and how many numbers differ
names() { grep -v '^#' table | awk '{ print $1 }' | sort -u | tr '\n' ' '; }
differing() { grep -v '^#' table | awk '{ n += $6 } END { print n + 0 }'; }

# In place of the BLAS of the system, whole.
preloaded=$library
ln -s "$library" "$name"
library=
for type in d z; do
  LD_LIBRARY_PATH=$work check "xblat1$type"
  LD_LIBRARY_PATH=$work check "xblat2$type" "$folder/${type}blat2.in"
  LD_LIBRARY_PATH=$work ldd "$folder/xblat2$type" | grep "$work/$name" >/dev/null || exit 1 # -q would break the pipe
done
library=$preloaded

# Another file behind it, and one that is not there.
EXAKT_BLAS_NEXT=$behind check xblat1d
if (EXAKT_BLAS_NEXT=$work/nowhere.so LD_PRELOAD=$library exec "$folder/xblat1d") >printed.out 2>errors ||
  ! grep -q "EXAKT_BLAS_NEXT: $work/nowhere.so" errors; then
  echo "a file that does not exist is the BLAS behind:"
  cat errors
  exit 1
fi

export EXAKT_BLAS_VERIFY=$work/table
check xblat3d "$folder/dblat3.in"
check xzcblat3 "$folder/zin3"
expected="dgemm dsymm dsyr2k dsyrk dtrmm dtrsm zgemm zhemm zher2k zherk zsymm zsyr2k zsyrk ztrmm ztrsm "
[ "$(names)" = "$expected" ] || {
  echo "the table is about $(names)and not about $expected"
  exit 1
}
echo "$(differing) numbers of the BLAS behind differ"
[ "$(differing)" -gt 0 ] || exit 1
