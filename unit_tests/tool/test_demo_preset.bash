# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the README's first command builds and shows: bash test_demo_preset.bash SOURCE BUILD KOKKOS_DIR
set -euo pipefail
source=$1 build=$2 kokkos=$3

fail() {
  printf 'FAILED: %s\n' "$1"
  exit 1
}

command='./cmake/bootstrap.sh --demo && cmake --workflow --preset demo'
for page in README.md docs/start.md; do grep -q -x -F "$command" "$source/$page" || fail "$page does not say: $command"; done
"$source/cmake/bootstrap.sh" --help | grep -q '^  --demo ' || fail "bootstrap.sh has no option --demo"

cd "$source" # where the presets are
# For the plainest instruction set alone, compiled in a quarter of the time: what it says is the same.
flags="-O1 -DHWY_COMPILE_ONLY_STATIC"
cmake --preset demo -B "$build" -DKokkos_DIR="$kokkos" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS= -DCMAKE_CXX_FLAGS_DEBUG="$flags" >"$build.log"
cmake --build "$build" --target demo >>"$build.log" || { cat "$build.log" && exit 1; }
grep -q '^All exact values have the same bits, the correct ones\.$' "$build.log" || fail "no verdict: $(tail -n 3 "$build.log")"

# A minute is enough for as little as this.
objects=$(find "$build" -name '*.o' | wc -l)
((objects <= 19)) || fail "$objects files are compiled for the demo"
exec bash "$source/unit_tests/tool/test_tool_demo.bash" "$build/packages/tool/exakt_demo"
