#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# exported_functions.bash LIBRARY HEADER: the shared library exports the functions that the header declares, with a version, and
# nothing else; it needs the C and the C++ library alone.
set -euo pipefail
library=$1 header=$2
declared=$(grep '^EXAKT_C_API' "$header" | grep -oE 'exakt_[a-z0-9_]+\(' | tr -d '(' | sort)
exported=$(nm -D --defined-only "$library" | awk '$2 == "T" { print $3 }' | sort)
others=$(nm -D --defined-only "$library" | awk '$2 != "T" && $2 != "A"')
wanted=$(sed 's/$/@@EXAKT_0.1/' <<<"$declared")
[ "$exported" = "$wanted" ] || {
  echo "exported (>) is not what is declared (<):"
  diff <(echo "$wanted") <(echo "$exported")
  exit 1
}
[ -z "$others" ] || {
  echo "exported, and no function:"
  echo "$others"
  exit 1
}
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p')
strangers=$(grep -vE '^(libc|libm|libstdc\+\+|libc\+\+|libc\+\+abi|libgcc_s|libpthread|libdl|ld-linux[^ ]*)\.so' <<<"$needed" || true)
[ -z "$strangers" ] || {
  echo "needed, and strange: $strangers"
  exit 1
}
echo "$(wc -l <<<"$declared") functions; needs" $needed
