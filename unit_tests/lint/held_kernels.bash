#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every kernel that the library starts runs in the default floating-point environment (Exakt_Environment.hpp): its functor
# is wrapped by held(), or goes to loop(), which does that (Exakt_Loop.hpp). Loops inside of a kernel run in that of the kernel.
set -euo pipefail
root=$1
# What needs no wrapper: functors that count or compare integers; those that hold the environment themselves, look at it,
# or are on devices alone; and those that call a user's function in its own environment, or pass on what reduce_loop() got.
bare_ones='(LookAtKeys|CountKeys|NumberKeys|LookAtOffsets|JoinExponents)[<{]'
bare_ones+='|AnyKernel\{|Enclose\{|policy_of_teams<Kernel>\(space, teams, threads\), kernel\)'
bare_ones+='|AddCell<|tiles\.tiles\(\), tiles,|AnyTerm<|label, range, f, reducer\)'
launches=0 bare=0
while IFS= read -r -d "" file; do
  while IFS= read -r -d '' launch; do
    case $launch in
      *TeamThreadRange* | *TeamVectorRange* | *ThreadVectorRange* | *range\(workers\)*) continue ;;
    esac
    launches=$((launches + 1))
    if ! grep -qE 'held(<.*>)?\(|^ *([A-Za-z]+::)*loop\(|'"$bare_ones" <<<"$launch"; then
      bare=$((bare + 1))
      printf '%s: not held: %s\n' "${file#"$root"/}" "$(tr -s '\n ' ' ' <<<"$launch")"
    fi
  done < <(grep -v '^ *//' "$file" | grep -Pzo '(Kokkos::parallel_(for|reduce|scan)|\n *(Exakt::)?(Impl::)?(reduce_)?loop)\([^;]*;' || true)
done < <(find "$root"/core "$root"/packages -name "*.hpp" -print0)
echo "$launches kernels, $bare of them not held"
[ "$launches" -gt 15 ] && [ "$bare" -eq 0 ]
