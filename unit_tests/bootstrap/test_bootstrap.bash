#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_bootstrap.bash SOURCE FOLDER: what cmake/bootstrap.sh does again when it has been run before, without a network. A CMake that
# builds nothing and an apt-get that reaches nobody stand in for the real ones.
set -euo pipefail
source=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/tree/cmake" "$folder/bin"
cp "$source"/cmake/bootstrap.sh "$source"/cmake/bootstrap_cross.sh "$folder/tree/cmake"
cd "$folder/tree"

cat >"$folder/bin/cmake" <<'CMAKE'
#!/usr/bin/env bash
set -euo pipefail
case "$*" in
  --version) echo "cmake version 3.25.1" ;;
  *" -B "*/probe/build*) mkdir "$4" && printf '\n' >"$4/found" ;;
  -S*)
    [ -d "$2" ] || exit 1
    mkdir -p "$4" .deps/install/lib/cmake/Kokkos
    echo 'set(PACKAGE_VERSION "3.4.01")' >.deps/install/lib/cmake/Kokkos/KokkosConfigVersion.cmake
    touch .deps/install/lib/cmake/Kokkos/KokkosConfig.cmake
    ;;
esac
CMAKE
cat >"$folder/bin/apt-get" <<'APT'
#!/usr/bin/env bash
echo "$*" >>"$BOOTSTRAP_APT_LOG"
[ -z "${BOOTSTRAP_APT_SAYS:-}" ] || echo "$BOOTSTRAP_APT_SAYS" >&2
exit 100
APT
printf '#!/bin/sh\n' >"$folder/bin/dpkg-query"
chmod +x "$folder"/bin/*
export PATH="$folder/bin:$PATH" BOOTSTRAP_APT_LOG="$folder/apt"
unset Kokkos_ROOT Kokkos_DIR CMAKE_PREFIX_PATH CXX CXXFLAGS

fail() {
  printf 'FAILED: %s\n' "$1"
  cat "$folder/said"
  exit 1
}
bootstrap() { cmake/bootstrap.sh --no-packages >"$folder/said" 2>&1; }
is_ready() { grep -q '^Ready: Kokkos 3\.4\.01 (SERIAL;OPENMP), built here, ' "$folder/said"; }

# The source was brought here, as the usage says of a machine without a network.
mkdir -p .deps/source/kokkos .deps/source/kokkos-kernels
bootstrap && is_ready || fail "the first run is not ready"
[ ! -d .deps/source/kokkos-kernels ] || fail "the source of Kokkos Kernels is left"
bootstrap && is_ready || fail "the second run is not ready"

# Another place to look for a Kokkos, where none is: the one that was built remains, and needs nothing more.
CMAKE_PREFIX_PATH=$folder/nothing bootstrap && is_ready || fail "with another CMAKE_PREFIX_PATH it is not ready"
bootstrap && is_ready || fail "without CMAKE_PREFIX_PATH again it is not ready"
[ ! -e "$folder/apt" ] || fail "packages were asked for: $(cat "$folder/apt")"

# Where a source is needed and cannot be had, there is always a reason.
rm -rf .deps
if bootstrap; then fail "it is ready without a source"; fi
grep -q '^bootstrap: source: [^ (]' "$folder/said" || fail "no reason is given"
rm -rf .deps
if BOOTSTRAP_APT_SAYS="E: Could not resolve 'packages.invalid'" bootstrap; then fail "it is ready without a network"; fi
grep -q '^bootstrap: source: no network' "$folder/said" || fail "it does not say that there is no network"
