#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# test_bootstrap.bash SOURCE FOLDER: what cmake/bootstrap.sh does again when it has been run before, without a network. A CMake that
# builds nothing and an apt-get that reaches nobody stand in for the real ones.
set -euo pipefail
source=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/tree/cmake" "$folder/bin" "$folder/keyrings"
cp "$source"/cmake/bootstrap.sh "$source"/cmake/bootstrap_cross.sh "$folder/tree/cmake"
cd "$folder/tree"
sed "s|/usr/share/keyrings|$folder/keyrings|" cmake/bootstrap.sh >"$folder/edited" && cat "$folder/edited" >cmake/bootstrap.sh

# As CMake, it takes nothing else into a build folder than what that was made for, and installs what was built there.
cat >"$folder/bin/cmake" <<'CMAKE'
#!/usr/bin/env bash
set -euo pipefail
case "$*" in
  --version) echo "cmake version 3.25.1" ;;
  *" -B "*/probe/build*) mkdir "$4" && printf '\n' >"$4/found" ;;
  -S*)
    [ -d "$2" ] || exit 1
    if [ -n "${BOOTSTRAP_CMAKE_SAYS:-}" ]; then printf %b "$BOOTSTRAP_CMAKE_SAYS" && exit 1; fi
    mkdir -p "$4"
    made_for=$(printf '%s\n' "$@" | grep -E '^-D(CMAKE_INSTALL_PREFIX|Kokkos_ARCH)')
    [ ! -e "$4/made_for" ] || [ "$made_for" = "$(cat "$4/made_for")" ] || { echo "CMake Error: $4 is that of another build" && exit 1; }
    echo "$made_for" >"$4/made_for"
    ;;
  --build*) [ -z "${BOOTSTRAP_BUILD_STOPS:-}" ] || exit 1 ;;
  --install*)
    to=$(sed -n 's/^-DCMAKE_INSTALL_PREFIX=//p' "$2/made_for")/lib/cmake/Kokkos
    mkdir -p "$to"
    echo 'set(PACKAGE_VERSION "3.4.01")' >"$to/KokkosConfigVersion.cmake"
    echo "# by ${CXX:-the default}" >"$to/KokkosConfig.cmake"
    ;;
esac
CMAKE
cat >"$folder/bin/apt-get" <<'APT'
#!/usr/bin/env bash
echo "$* LC_ALL=${LC_ALL:-} LANGUAGE=${LANGUAGE:-}" >>"$BOOTSTRAP_APT_LOG"
case "$*" in
  *indextargets*) [ -z "${BOOTSTRAP_APT_SECTION:-}" ] || { echo "$BOOTSTRAP_APT_SECTION" && exit; } ;;
esac
[ -z "${BOOTSTRAP_APT_SAYS:-}" ] || echo "$BOOTSTRAP_APT_SAYS" >&2
exit 100
APT
# A disk of 10 PB; a user whom no file names; locks that cannot be had for whatever reason.
cat >"$folder/bin/df" <<'DF'
#!/bin/sh
printf 'Filesystem 1024-blocks Used Available Capacity Mounted\nx 10000000000001 1 10000000000000 1%% /\n'
DF
cat >"$folder/bin/id" <<'ID'
#!/bin/sh
case $* in -u) echo 54321 ;; *) echo "id: cannot find name for user ID 54321" >&2 && exit 1 ;; esac
ID
cat >"$folder/bin/flock" <<'FLOCK'
#!/bin/sh
exit ${BOOTSTRAP_FLOCK_STATUS:-0}
FLOCK
cat >"$folder/bin/sudo" <<'SUDO'
#!/bin/sh
echo "$*" >>"$BOOTSTRAP_APT_LOG"
case $* in *" true") exit 0 ;; esac
exit 1
SUDO
printf '#!/bin/sh\n' >"$folder/bin/dpkg-query"
printf '#!/bin/sh\n' >"$folder/bin/hipcc"
chmod +x "$folder"/bin/*
export PATH="$folder/bin:$PATH" BOOTSTRAP_APT_LOG="$folder/apt"
unset Kokkos_ROOT Kokkos_DIR CMAKE_PREFIX_PATH CXX CXXFLAGS http_proxy https_proxy no_proxy

fail() {
  printf 'FAILED: %s\n' "$1"
  cat "$folder/said"
  exit 1
}
bootstrap() { cmake/bootstrap.sh --no-packages "$@" >"$folder/said" 2>&1; }
is_ready() { grep -q '^Ready: Kokkos 3\.4\.01 (SERIAL;OPENMP), built here, ' "$folder/said"; }
bring_source() { mkdir -p .deps/source/kokkos .deps/source/kokkos-kernels; }

# The source was brought here, as the usage says of a machine without a network.
bring_source
bootstrap && is_ready || fail "the first run is not ready"
[ ! -d .deps/source/kokkos-kernels ] || fail "the source of Kokkos Kernels is left"
bootstrap && is_ready || fail "the second run is not ready"

# Another place to look for a Kokkos, where none is: the one that was built remains, and needs nothing more.
CMAKE_PREFIX_PATH=$folder/nothing bootstrap && is_ready || fail "with another CMAKE_PREFIX_PATH it is not ready"
bootstrap && is_ready || fail "without CMAKE_PREFIX_PATH again it is not ready"
[ ! -e "$folder/apt" ] || fail "packages were asked for: $(cat "$folder/apt")"

# Another compiler: where the Kokkos of hosts is to be left alone it is, and it stays until there is a source for the next one.
built_by() { grep -q -x "# by $1" .deps/install/lib/cmake/Kokkos/KokkosConfig.cmake; }
CXX=other bootstrap --no-host-kokkos || fail "it is not ready with --no-host-kokkos"
built_by "the default" || fail "--no-host-kokkos has deleted the Kokkos of hosts"
for _ in first second; do
  if CXX=other bootstrap; then fail "another compiler needs no source"; fi
  built_by "the default" || fail "Kokkos was deleted before there was a source for another one"
done
bootstrap && is_ready || fail "with the first compiler again it is not ready"
bring_source
CXX=other bootstrap && is_ready && built_by other || fail "Kokkos was not built by the other compiler"
rm -f "$folder/apt"
CXX=other bootstrap && is_ready || fail "with the other compiler it is not ready again"
[ ! -e "$folder/apt" ] || fail "packages were asked for: $(cat "$folder/apt")"

# A folder that holds no Kokkos is refused as often as it is named, with --demo as well.
for options in "" --demo --demo; do
  # shellcheck disable=SC2086
  if CXX=other Kokkos_ROOT=$folder/nothing bootstrap $options; then fail "it is ready with a Kokkos_ROOT that is not there ($options)"; fi
done
CXX=other bootstrap --demo || fail "--demo is not ready behind the whole"

# A build for one kind of machine, interrupted or ended, is not in the way of the next one.
rm -rf .deps
bring_source
if BOOTSTRAP_BUILD_STOPS=1 bootstrap --demo; then fail "it is ready with a build that was interrupted"; fi
if BOOTSTRAP_BUILD_STOPS=1 bootstrap --no-host-kokkos --hip VEGA906; then fail "--hip is ready with a build that was interrupted"; fi
grep -q 'that of another build' .deps/log/hip.log && fail "--hip goes on in the folder of another build"
bootstrap --no-host-kokkos --hip VEGA908 || fail "--hip does not begin anew for another GPU"
bootstrap --demo || fail "--demo is not ready behind --hip"
[ ! -d .deps/build ] || fail "--demo leaves its build"
bootstrap && is_ready || fail "it is not ready behind --demo and --hip"

# Without apt, where the source was brought.
mkdir "$folder/few"
for tool in awk bash cat dirname env getconf grep head locale mkdir rm sed sort tail touch tr uname wc cmake df flock id; do
  ln -s "$(command -v $tool)" "$folder/few/$tool"
done
rm -rf .deps
bring_source
PATH=$folder/few bootstrap && is_ready || fail "without apt it does not build from the source that is there"
rm -rf .deps
if PATH=$folder/few bootstrap; then fail "it is ready without apt and source"; fi
grep -q 'builds one on Debian and Ubuntu only' "$folder/said" || fail "it does not say that there is no apt"

# Only a lock that another one holds is one.
rm -rf .deps
bring_source
if BOOTSTRAP_FLOCK_STATUS=1 bootstrap; then fail "two at once"; fi
grep -q 'another bootstrap is at work' "$folder/said" || fail "it does not say that another one is at work"
BOOTSTRAP_FLOCK_STATUS=71 bootstrap && is_ready && grep -q 'cannot be locked' "$folder/said" || fail "it is not ready where nothing can be locked"

# An exported CDPATH leads nowhere else.
rm -rf .deps
bring_source
mkdir -p "$folder/decoy/cmake"
CDPATH=$folder/decoy bootstrap && is_ready && [ ! -e "$folder/decoy/.deps" ] || fail "with CDPATH it works elsewhere"

# Where a source is needed and cannot be had, there is always a reason.
rm -rf .deps
if bootstrap; then fail "it is ready without a source"; fi
grep -q '^bootstrap: source: [^ (]' "$folder/said" || fail "no reason is given"
rm -rf .deps
if BOOTSTRAP_APT_SAYS="E: Could not resolve 'packages.invalid'" bootstrap; then fail "it is ready without a network"; fi
grep -q '^bootstrap: source: no network' "$folder/said" || fail "it does not say that there is no network"
rm -rf .deps
bring_source
incomplete='-- Configuring incomplete, errors occurred!\nSee also "CMakeError.log".\n'
if BOOTSTRAP_CMAKE_SAYS="CMake Error at a.cmake:1 (message):\n  no such compiler\n\n$incomplete" bootstrap; then fail "it is ready without CMake"; fi
grep -q '^bootstrap: kokkos: CMake Error at a.cmake:1 (message): no such compiler (log' "$folder/said" || fail "CMake's first error is not the reason"
if BOOTSTRAP_CMAKE_SAYS="fatal: it is broken\n$incomplete" bootstrap; then fail "it is ready without CMake"; fi
grep -q '^bootstrap: kokkos: fatal: it is broken (log' "$folder/said" || fail "a line that says nothing is the reason"

# What apt-get is told: English, for what it says is looked through; to stay who it is; both keyrings.
rm -rf .deps "$folder/apt"
touch "$folder"/keyrings/{debian,ubuntu}-archive-keyring.gpg
export BOOTSTRAP_APT_SECTION="Ubuntu http://packages.invalid some main"
if env LC_ALL=de_DE.UTF-8 LANGUAGE=de cmake/bootstrap.sh --no-packages >"$folder/said" 2>&1; then fail "it is ready without a source"; fi
grep -q 'APT::Sandbox::User=root .* update LC_ALL=C[^ ]* LANGUAGE=$' "$folder/apt" || fail "apt-get was told: $(cat "$folder/apt")"
keyrings="$folder/keyrings/debian-archive-keyring.gpg,$folder/keyrings/ubuntu-archive-keyring.gpg"
line="deb-src [signed-by=$keyrings] http://packages.invalid some main"
grep -q -x -F "$line" .deps/apt/sources.list || fail "sources: $(cat .deps/apt/sources.list)"
unset BOOTSTRAP_APT_SECTION

# The half of the source that --demo can do with is not what a machine without a network needs.
rm -rf .deps
mkdir -p .deps/source/kokkos
if bootstrap --source-only; then fail "--source-only does without Kokkos Kernels"; fi
bring_source
bootstrap --source-only || fail "--source-only does not see the source"

# Packages come by the user's proxy.
rm -f "$folder/apt"
if http_proxy=http://proxy.invalid cmake/bootstrap.sh >"$folder/said" 2>&1; then fail "packages were installed"; fi
grep -q -- '--preserve-env=http_proxy,.* apt-get update' "$folder/apt" || fail "sudo was told: $(cat "$folder/apt")"
