#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A file that names a host space of Kokkos asks whether Kokkos has it: some have OpenMP alone. packages/c and packages/blas_abi have
# a Kokkos of their own.
set -euo pipefail
cd "$1"
found= named=0
while IFS=: read -r file space; do
  named=$((named + 1))
  grep -q "KOKKOS_ENABLE_${space^^}" "$file" || found+="$file names Kokkos::$space and does not ask for KOKKOS_ENABLE_${space^^}"$'\n'
done < <(grep -roE 'Kokkos::(Serial|OpenMP|Threads)\b' core packages unit_tests perf_tests examples --include='*.[ch]pp' |
  grep -vE '^packages/(c|blas_abi)/' | sed 's/Kokkos:://' | sort -u)
printf '%s' "$found"
echo "$named spaces are named"
[ "$named" -ge 4 ] && [ -z "$found" ]
