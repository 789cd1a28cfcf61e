#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exported_symbols.bash LIBRARY REGEX...: the shared library exports what one of the expressions matches, as c++filt
# writes it, something for each of them, and nothing else.
set -euo pipefail
library=$1
shift
names=$(nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | c++filt | sort -u)
for expected in "$@"; do
  grep -qE "$expected" <<<"$names" || {
    echo "nothing matches $expected among:"
    echo "$names"
    exit 1
  }
  names=$(grep -vE "$expected" <<<"$names" || true)
done
[ -z "$names" ] || {
  echo "exported, and nobody means it:"
  echo "$names"
  exit 1
}
