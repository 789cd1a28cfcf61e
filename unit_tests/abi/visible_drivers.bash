#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# visible_drivers.bash LIBRARY: what libExaktBlasKokkos has compiled would be exported if it were shared, as it is with a shared Kokkos.
set -euo pipefail
symbols=$(readelf -sW "$1" | c++filt | grep -E ' FUNC .*[ :]Exakt::Compiled::[a-z_]+<' | grep -vE ' UND |lambda|clone' || true)
hidden=$(grep -vE ' DEFAULT ' <<<"$symbols" || true)
count=$(grep -c . <<<"$symbols" || true)
echo "$count functions; ${hidden:-all of them visible}"
[ "$count" -ge 40 ] && [ -z "$hidden" ]
