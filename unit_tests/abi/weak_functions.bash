#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# weak_functions.bash OBJECT: each of the library's functions that the object leaves to the linker is named after the
# flags (core/numerics/Exakt_Abi.hpp), so that no other object's copy takes its place. The object tells the tag by the name of a
# variable.
set -euo pipefail
names=$(nm "$1")
tag=$(sed -n 's/.* exakt_test_tag_is_//p' <<<"$names")
[ -n "$tag" ] || {
  echo "$1 does not tell its tag"
  exit 1
}
# In namespace Exakt, whatever is nested in what; types and variables have no instructions.
functions=$(awk '$(NF - 1) == "W" { print $NF }' <<<"$names" | grep -E '^_Z(Z|G[RV]|T[hvc][0-9n_]*)*N[rVKRO]*5Exakt' | sort -u)
count=$(grep -c . <<<"$functions" || true)
untagged=$(grep -v "$tag" <<<"$functions" | c++filt || true)
[ "$count" -ge 100 ] || {
  echo "only $count functions were found"
  exit 1
}
[ -z "$untagged" ] || {
  echo "functions without the tag $tag:"
  echo "$untagged"
  exit 1
}
echo "$count functions, all named after $tag"
