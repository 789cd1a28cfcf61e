#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Everything that Exakt's presets need: packages, and a Kokkos at .deps/install. See --help.
set -euo pipefail
unset CDPATH # which would take cd elsewhere

# Messages are looked for in logs, in English. LANGUAGE counts for more than C.UTF-8; some systems do not have that.
unset LANGUAGE
case $(locale -a 2>/dev/null) in
  *C.[Uu][Tt][Ff]*) export LC_ALL=C.UTF-8 ;;
  *) export LC_ALL=C ;;
esac

# Bash 3.2 (macOS) comes as far as the line that says what to do there, so no arrays that may be empty.

usage() {
  cat <<'HELP'
usage: cmake/bootstrap.sh [--demo] [--cuda ARCH] [--hip ARCH] [--cross PROCESSOR]... [--docs] [--no-host-kokkos] [--serial-kokkos] [--no-packages] [--source-only] [--help]

Makes this machine ready for `cmake --workflow --preset test` (or demo, dev, release, sanitize):
  1. installs the packages that are missing (Debian, Ubuntu; as root, or by sudo without a password);
  2. takes the installed Kokkos that Kokkos_ROOT, Kokkos_DIR or CMAKE_PREFIX_PATH names or that CMake finds by
     itself; if there is none, builds Kokkos and Kokkos Kernels (Serial and OpenMP) from the
     distribution's `trilinos` source package.
Whatever it makes stays under .deps/; the ready prefix is .deps/install. It can be interrupted and
run again at any time, and has nothing to do the second time. `rm -rf .deps` starts anew.

  --demo           only what the preset demo needs, which is little: to see it in less than a minute
  --cuda ARCH      also build a Kokkos for NVIDIA GPUs with the nvcc of this machine, at .deps/cuda, for the preset
                   cuda; ARCH is its name in Kokkos, such as AMPERE80 or HOPPER90, or native: that of this machine's
                   GPU. It has to be the right one, for Kokkos refuses code made for an older generation
  --hip ARCH       the same for AMD GPUs with hipcc, one more package if it is missing, at .deps/hip, for the preset
                   hip; ARCH is VEGA900, VEGA906 or VEGA908
  --cross PROCESSOR  also build a Kokkos (Serial) for another processor, aarch64 or s390x, at .deps/PROCESSOR, for the preset
                   cross-PROCESSOR; installs its compiler and its emulator (Debian)
  --docs           also install Doxygen, Sphinx and MyST, for the preset docs
  --no-host-kokkos leave the Kokkos at .deps/install alone: with --cuda, --hip, --cross or --docs, where that is all that is wanted
  --serial-kokkos  accept an installed Kokkos without a parallel backend
  --no-packages    leave packages alone: compiler, CMake, Ninja and libraries are already in place
  --source-only    only get the source of Kokkos, for a machine without a network: it needs .deps/source
HELP
}

# ---------------------------------------------------------------- messages

note() { printf '  %s\n' "$*"; }
die() {
  printf 'bootstrap: %s\n' "$*" >&2
  exit 1
}

was_damaged() { grep -Eqi 'hash sum mismatch|unexpected size|not in gzip format|unexpected end of file|crc error' "$1"; }

# What a failed command's log says, in terms of what the user can do about it.
reason() {
  local cmake_error
  if grep -Eqi 'no space left|enough free space' "$1"; then
    echo "the disk is full"
  elif was_damaged "$1"; then
    echo "the download was damaged and has been thrown away; run this again to repeat it"
  elif grep -Eqi 'could not resolve|failure resolving|could not connect|unable to connect|connection failed|unreachable|timed out' "$1"; then
    echo "no network, or the package server cannot be reached"
  elif grep -Eqi 'could not get lock|could not open lock' "$1"; then
    echo "another package manager is at work; run this again when it has finished"
  elif grep -Eqi 'unable to (locate|find) |no installation candidate' "$1"; then
    grep -Eio 'unable to (locate|find) .*|package .* has no installation candidate' "$1" | head -n 1
  else
    # CMake's first error has what it says in its next line, if that is not empty; what comes after it are consequences.
    cmake_error=$(awk 'first { sub(/^ +/, ""); print first ($0 == "" ? "" : " ") $0; first = ""; exit }
      /^CMake Error/ { first = $0 } END { if (first) print first }' "$1")
    if [ -n "$cmake_error" ]; then
      echo "$cmake_error"
      return
    fi
    { grep -Ev 'Configuring incomplete|See also' "$1" | grep -Ei 'error|fatal' || grep . "$1" || echo "a command failed without a message"; } |
      tail -n 1
  fi
}

# run NAME TITLE COMMAND...: one line on the terminal, everything else in .deps/log/NAME.log
# Not to be called in a condition, where Bash would let the command go on after its first failure.
run() {
  local name=$1 title=$2 begin=$SECONDS status
  shift 2
  printf '  %-64s' "$title"
  set +e
  (
    set -e
    "$@"
  ) >"$deps/log/$name.log" 2>&1 </dev/null
  status=$?
  set -e
  if [ $status -eq 0 ]; then
    printf '%4d s\n' $((SECONDS - begin))
  else
    printf ' failed\n'
    if was_damaged "$deps/log/$name.log"; then rm -rf "$deps/download"; fi
    die "$name: $(reason "$deps/log/$name.log") (log: .deps/log/$name.log)"
  fi
}

# once NAME TITLE COMMAND...: the same, unless it has already succeeded
once() {
  if [ ! -e "$deps/stamp/$1" ]; then
    run "$@"
    touch "$deps/stamp/$1"
  fi
}

# differs NAME VALUE: whether the value differs from the one that was written down last
differs() { [ "$2" != "$(cat "$deps/stamp/$1" 2>/dev/null)" ]; }

# changed NAME VALUE: the same, and writes it down
changed() { differs "$@" && echo "$2" >"$deps/stamp/$1"; }

need_space() { # DIRECTORY MEGABYTES PURPOSE
  local free
  free=$(df -Pk "$1" | awk 'NR == 2 { printf "%.0f\n", int($4 / 1024) }') # mawk prints more than 2^31 as 9.76562e+09
  [ "$free" -ge "$2" ] || die "disk full: $3 needs $2 MB in $1, $free MB are free"
}

# ---------------------------------------------------------------- system

cores() { getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

describe_system() {
  # shellcheck disable=SC1091
  system=$(. /etc/os-release 2>/dev/null && printf '%s' "${PRETTY_NAME:-}") || true
  [ -n "$system" ] || system="$(uname -s) $(uname -r)"
  has_apt=no
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then has_apt=yes; fi
}

become_root=
can_become_root() {
  [ "$(id -u)" -eq 0 ] && return
  become_root="sudo -n"
  if [ -n "${http_proxy:-}${https_proxy:-}" ]; then become_root="$become_root --preserve-env=http_proxy,https_proxy,no_proxy"; fi
  command -v sudo >/dev/null && $become_root true 2>/dev/null
}

# ---------------------------------------------------------------- packages

# One requirement per word; a|b is met by either.
packages="g++ cmake ninja-build libhwy-dev
  libmpfr-dev catch2|libcatch2-dev libbenchmark-dev
  libopenmpi-dev openmpi-bin
  libcli11-dev nlohmann-json3-dev libopenblas-dev|libblas-dev
  libblas-test libblas64-test liblapack3
  zlib1g-dev gfortran pkgconf|pkg-config
  python3-dev python3-numpy"

# Of these, what core is built with.
demo_packages="g++ cmake ninja-build libhwy-dev"

# What only processors of this kind can use: integer units for gemm, and an emulator of lesser ones for the tests.
processor_packages() {
  if [ "$demo" = yes ]; then return; fi
  case $(dpkg --print-architecture 2>/dev/null) in
    amd64) echo libdnnl-dev qemu-user ;;
  esac
}

missing_packages() {
  local installed requirement
  installed=" $(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ')"
  for requirement in $packages $(processor_packages); do
    case $installed in
      *" ${requirement%%|*} "* | *" ${requirement##*|} "*) ;;
      *) printf '%s ' "$requirement" ;;
    esac
  done
}

# The second alternative only where the package lists know it and not the first.
choose_packages() {
  local requirement
  for requirement; do
    if apt-cache show "${requirement##*|}" >/dev/null 2>&1 && ! apt-cache show "${requirement%%|*}" >/dev/null 2>&1; then
      printf '%s ' "${requirement##*|}"
    else
      printf '%s ' "${requirement%%|*}"
    fi
  done
}

apt_install() {
  local ahead=
  $become_root apt-get update -qq
  # The network and the disk have time for both. Should the download fail, it is tried again, and then told, when it is needed.
  if wants_source_ahead; then
    get_source >"$deps/log/source.log" 2>&1 &
    ahead=$!
  fi
  # shellcheck disable=SC2046
  $become_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o DPkg::Lock::Timeout=120 $(choose_packages "$@") || {
    [ -z "$ahead" ] || kill "$ahead" 2>/dev/null
    return 1
  }
  wait
}

# Where CMake is not installed yet, no Kokkos is that it could find.
wants_source_ahead() {
  [ "$host_kokkos" = yes ] && [ -z "${Kokkos_ROOT:-}${Kokkos_DIR:-}${CMAKE_PREFIX_PATH:-}" ] && ! command -v cmake >/dev/null &&
    [ ! -d "$deps/source/kokkos" ]
}

install_packages() {
  if [ "$has_apt" = no ]; then
    local tool missing=
    for tool in c++ cmake ninja; do command -v $tool >/dev/null || missing="$missing $tool"; done
    [ -z "$missing" ] || die "$system: missing on the PATH:$missing; this script installs packages on Debian and Ubuntu only, so install these (CMake 3.25 or newer) and run it again"
    return
  fi
  local missing
  missing=$(missing_packages)
  [ -n "$missing" ] || return 0
  # shellcheck disable=SC2086
  can_become_root || die "packages are missing and this user cannot install them; run  sudo apt-get update && sudo apt-get install -y --no-install-recommends $(choose_packages $missing) and then this again"
  need_space /usr 1200 "installing packages"
  # shellcheck disable=SC2086
  run packages "installing $(echo $missing | wc -w | tr -d ' ') packages$(if wants_source_ahead; then echo ', downloading Kokkos'; fi)" apt_install $missing
}

check_cmake() {
  local version
  command -v cmake >/dev/null || die "cmake is not on the PATH"
  version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
  awk -v v="$version" 'BEGIN { split(v, n, "."); exit !(n[1] > 3 || n[2] >= 25) }' ||
    die "CMake $version is too old: workflow presets need 3.25; install a newer one (cmake.org, 'pip install cmake', apt.kitware.com) in front of it on the PATH"
}

# ---------------------------------------------------------------- an installed Kokkos

# Asks CMake itself, so that what is found here is what the project would find.
probe() {
  mkdir -p "$deps/probe"
  cat >"$deps/probe/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
find_package(Kokkos QUIET)
if(Kokkos_FOUND)
  find_package(KokkosKernels QUIET HINTS ${Kokkos_DIR}/../KokkosKernels)
  file(WRITE ${PROJECT_BINARY_DIR}/found "${Kokkos_DIR}\n${Kokkos_VERSION}\n${Kokkos_DEVICES}\n${KokkosKernels_DIR}\n")
else()
  file(WRITE ${PROJECT_BINARY_DIR}/found "\n")
endif()
CMAKE
  rm -rf "$deps/probe/build"
  cmake -S "$deps/probe" -B "$deps/probe/build" -G Ninja
}

line() { sed -n "$2p" "$1"; }

# Whether what the stamps promise is still there: .deps/install, and what it forwards to.
install_is_whole() {
  local config="$deps/install/lib/cmake/Kokkos/KokkosConfig.cmake" target
  [ -e "$deps/stamp/ready" ] || [ -e "$deps/stamp/kokkos" ] || return 0
  [ -e "$config" ] || return 1
  target=$(sed -n 's/^include("\(\/.*\)")$/\1/p' "$config")
  [ -z "$target" ] || [ -e "$target" ]
}

forget_kokkos() {
  rm -rf "$deps/install" "$deps/build"
  rm -f "$deps/stamp/ready" "$deps/stamp/source" "$deps/stamp/kokkos" "$deps/stamp/kokkos-kernels"
  echo "$recipe" >"$deps/stamp/recipe" # that of what is made from now on
}

# forward PACKAGE DIRECTORY: .deps/install answers find_package(PACKAGE) with the one in DIRECTORY
forward() {
  local target="$deps/install/lib/cmake/$1" file
  mkdir -p "$target"
  for file in Config ConfigVersion; do
    printf '# Written by cmake/bootstrap.sh: the package in use is installed elsewhere.\ninclude("%s/%s%s.cmake")\n' \
      "$2" "$1" "$file" >"$target/$1$file.cmake"
  done
}

use_installed_kokkos() {
  run probe "looking for an installed Kokkos" probe
  local found="$deps/probe/build/found" directory version devices kernels
  directory=$(line "$found" 1)
  version=$(line "$found" 2)
  devices=$(line "$found" 3)
  kernels=$(line "$found" 4)
  case $directory in
    "" | "$deps"/*)
      [ -z "${Kokkos_ROOT:-}" ] || [ "${Kokkos_ROOT%/}" = "$deps/install" ] ||
        die "Kokkos_ROOT=$Kokkos_ROOT holds no Kokkos that CMake can find (no KokkosConfig.cmake below it)"
      return
      ;;
  esac
  if awk -v v="$version" 'BEGIN { split(v, n, "."); exit !(n[1] < 3 || (n[1] == 3 && n[2] < 4)) }'; then
    note "passed over: Kokkos $version in $directory (older than 3.4)"
    return
  fi
  case $devices in
    *OPENMP* | *THREADS* | *HPX* | *CUDA* | *HIP* | *SYCL*) ;;
    *)
      if [ "$serial_kokkos" = no ]; then
        note "passed over: Kokkos $version in $directory ($devices only: no parallel backend; --serial-kokkos accepts it)"
        return
      fi
      ;;
  esac
  forget_kokkos
  forward Kokkos "$directory"
  if [ -n "$kernels" ] && [ "${kernels%-NOTFOUND}" = "$kernels" ]; then forward KokkosKernels "$kernels"; fi
  echo "Kokkos $version ($devices), installed in $directory" >"$deps/stamp/ready"
}

# ---------------------------------------------------------------- Kokkos from the distribution's source package

# Lines "URI SUITE COMPONENT", one per section of the distribution proper that this machine takes packages from.
distribution_sections() {
  # shellcheck disable=SC2016
  apt-get "$@" indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    awk '($1 == "Debian" || $1 == "Ubuntu") && $3 !~ /-/ { print $2, $3, $4 }' | sort -u
}

# use_private_apt KIND [OPTION]...: puts into apt_options what makes apt-get and apt-helper read private lists of KIND
# (deb or deb-src): the system's own configuration and lists stay as they are, and no root is needed. For root the sandbox is left
# out, as its user need not reach this folder; for others there is none.
use_private_apt() {
  local kind=$1 apt="$deps/apt" keyrings="" file sections
  rm -rf "$apt"
  mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$deps/download"
  apt_options=(-o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User=root -o Acquire::Retries=3)
  sections=$(distribution_sections)
  if [ -z "$sections" ]; then
    apt-get "${apt_options[@]}" -qq -o APT::Update::Error-Mode=any update
    sections=$(distribution_sections "${apt_options[@]}")
  fi
  # A machine of the one may have the keys of the other too (debootstrap).
  for file in debian ubuntu; do
    file=/usr/share/keyrings/$file-archive-keyring.gpg
    if [ -e $file ]; then keyrings="$keyrings${keyrings:+,}$file"; fi
  done
  printf '%s\n' "$sections" | sed "s|^|$kind ${keyrings:+[signed-by=$keyrings] }|" >"$apt/sources.list"
  shift
  apt_options=("${apt_options[@]}" -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- "$@")
  apt-get "${apt_options[@]}" -qq -o APT::Update::Error-Mode=any update
}

fetch_source() {
  local uri name size hash
  use_private_apt deb-src
  # Of the package's files only the upstream archive is needed. apt completes a partial download and compares the hash.
  apt-get "${apt_options[@]}" -qq source --print-uris trilinos | tr -d "'" | grep '\.orig\.tar\.' >"$deps/apt/archive"
  read -r uri name size hash <"$deps/apt/archive"
  echo "$size bytes from $uri"
  /usr/lib/apt/apt-helper "${apt_options[@]}" download-file "$uri" "$deps/download/$name" "$hash"
}

unpack_source() {
  rm -rf "$deps/source.new" "$deps/source"
  mkdir "$deps/source.new"
  tar -xf "$deps"/download/trilinos_*.orig.tar.* -C "$deps/source.new" --strip-components=2 \
    --wildcards '*/packages/kokkos/*' '*/packages/kokkos-kernels/*'
  mv "$deps/source.new" "$deps/source"
  rm -rf "$deps/download" "$deps/apt"
}

get_source() {
  fetch_source
  unpack_source
}

# need_source DIRECTORY...: unless they are there already, unpacked here or brought from elsewhere
need_source() {
  local directory missing=no
  for directory; do [ -d "$deps/source/$directory" ] || missing=yes; done
  if [ $missing = no ]; then return; fi
  rm -f "$deps/stamp/source"
  once source "downloading Kokkos (trilinos source package, 170 MB)" get_source
}

# Lets Kokkos 3.4.01 be compiled as a few large files, in a third of the time: Kokkos_Error.cpp calls this function by a name
# that leads elsewhere once other headers have been read.
write_unity_header() {
  cat >"$1" <<'HEADER'
#pragma once
#include <cstdint>
#include <string>
namespace Kokkos {
namespace Impl {
std::string human_memory_size(size_t bytes);
}
namespace Experimental {
namespace Impl {
using Kokkos::Impl::human_memory_size;
}
}  // namespace Experimental
}  // namespace Kokkos
HEADER
}

# Another version of Kokkos may not be made for it, and is compiled file by file then.
build_in_large_files() { # DIRECTORY PREFIX-BELOW-.deps CMAKE-OPTION...
  write_unity_header "$deps/unity.hpp"
  if ! (CXXFLAGS="${CXXFLAGS:-} -include $deps/unity.hpp" build "$@" -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=4); then
    rm -rf "$deps/build/$2/$1"
    build "$@"
  fi
}

# build DIRECTORY PREFIX-BELOW-.deps CMAKE-OPTION...
# Each prefix has its own build folder, as CMake takes no other compiler or toolchain into a folder: it drops all options, or ignores it.
# Kokkos 3.4.01 uses std::uint32_t without <cstdint>, which standard headers do not bring along since GCC 13.
build() {
  local name=$1 prefix=$deps/$2 folder=$deps/build/$2/$1
  shift 2
  cmake -S "$deps/source/$name" -B "$folder" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_STANDARD=17 \
    -DCMAKE_CXX_FLAGS="${CXXFLAGS:-} -include cstdint" \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_INSTALL_PREFIX="$prefix" "$@" &&
    cmake --build "$folder" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(cores)}" &&
    cmake --install "$folder"
}

build_kokkos() {
  # What is built needs no source any more; that of Kokkos Kernels has been deleted since.
  local part
  for part in kokkos $([ "$demo" = yes ] || echo kokkos-kernels); do
    if [ -e "$deps/stamp/$part" ] && ! differs recipe "$recipe"; then continue; fi
    [ "$has_apt" = yes ] || [ -d "$deps/source/$part" ] || die "$system: no Kokkos found, and this script builds one on Debian and Ubuntu only. Exakt needs Kokkos 3.4.01 to 5.x with OpenMP: install it with Spack ('spack install kokkos +openmp'), load your site's module, or take your distribution's package; name its prefix in Kokkos_ROOT and run this again"
    need_space "$deps" 600 "building Kokkos"
    need_source "$part"
  done
  # What an older recipe made stays until all sources of what replaces it are there.
  if differs recipe "$recipe"; then forget_kokkos; fi
  once kokkos "building Kokkos (about $((12 / $(cores) + 3)) s)" \
    build_in_large_files kokkos install -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON
  if [ "$demo" = yes ]; then
    rm -rf "$deps/build"
    return
  fi
  once kokkos-kernels "building Kokkos Kernels (about 5 s)" \
    build kokkos-kernels install -DKokkos_ROOT="$deps/install" -DKokkosKernels_ADD_DEFAULT_ETI=OFF \
    -DKokkosKernels_INST_EXECSPACE_OPENMP=OFF -DKokkosKernels_INST_EXECSPACE_SERIAL=OFF
  rm -rf "$deps/build" "$deps/source/kokkos-kernels"
  echo "Kokkos $(sed -n 's/^set(PACKAGE_VERSION "\(.*\)").*/\1/p' "$deps/install/lib/cmake/Kokkos/KokkosConfigVersion.cmake") (SERIAL;OPENMP), built here" >"$deps/stamp/ready"
}

# ---------------------------------------------------------------- Kokkos for NVIDIA GPUs

# What Kokkos 3.4.01 calls and CUDA 13 has no longer: functions that name a place by a number, and graphs without data
# on their edges. Included in front of every file that its nvcc_wrapper compiles.
write_cuda_13_header() {
  cat >"$1" <<'HEADER'
#pragma once
#include <cstdint>
#if defined(__CUDACC__)
#include <cuda_runtime.h>
#if CUDART_VERSION >= 13000
inline cudaMemLocation exakt_place_of(int device) {
  cudaMemLocation place{};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device;
  return place;
}
inline cudaError_t cudaMemPrefetchAsync(void const* from, size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync(from, bytes, exakt_place_of(device), 0u, stream);
}
inline cudaError_t cudaMemAdvise(void const* from, size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(from, bytes, advice, exakt_place_of(device));
}
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from, cudaGraphNode_t const* to,
                                            size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}
#endif
#endif
HEADER
}

# Kokkos' own wrapper of nvcc, taught C++20, the architecture, and the header above. Kokkos' half type does not compile
# with CUDA 13; it is left out by its include guard. 3014: that Kokkos returns volatile values. The flags that Kokkos adds
# name the architecture that it was told (see known_cuda_arch), here replaced by that of the GPU.
write_nvcc_wrapper() { # PATH-OF-NVCC COMPUTE-CAPABILITY COMPUTE-CAPABILITY-TOLD-TO-KOKKOS
  local wrapper="$deps/cuda/nvcc_wrapper" header="$deps/cuda/cuda_13.hpp"
  mkdir -p "$deps/cuda"
  write_cuda_13_header "$header"
  sed -e "s|^default_arch=.*|default_arch=\"sm_$2\"|" \
    -e "s|^nvcc_compiler=nvcc|nvcc_compiler=$1|" \
    -e 's/^  --std=c++17|-std=c++17)/  --std=c++17|-std=c++17|--std=c++20|-std=c++20)/' \
    -e "s|^cuda_args=\"\"|cuda_args=\"-include $header -DKOKKOS_CUDA_HALF_HPP_ -Xcudafe --diag_suppress=3014\"|" \
    -e "s|^#Add architecture command|cuda_args=\"\${cuda_args//sm_$3/sm_$2}\"|" \
    "$deps/source/kokkos/bin/nvcc_wrapper" >"$wrapper"
  chmod +x "$wrapper"
}

# The name of this machine's GPU in Kokkos.
native_cuda_arch() {
  local capability
  capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1) || true
  case $capability in
    7.0) echo VOLTA70 ;;
    7.5) echo TURING75 ;;
    8.0 | 8.6) echo "AMPERE${capability/./}" ;;
    8.9) echo ADA89 ;;
    9.0) echo HOPPER90 ;;
    10.*) echo BLACKWELL100 ;;
    12.*) echo BLACKWELL120 ;;
    *) die "--cuda native: nvidia-smi names no GPU that is known here (${capability:-none}); name its architecture instead, such as HOPPER90" ;;
  esac
}

# What this Kokkos is told: the name itself, or AMPERE80 for a GPU that is newer than it.
known_cuda_arch() { # ARCH
  local options="$deps/source/kokkos/cmake/kokkos_arch.cmake"
  if grep -q "^KOKKOS_ARCH_OPTION($1 " "$options"; then
    echo "$1"
  elif [ "${1##*[!0-9]}" -gt 86 ]; then
    echo AMPERE80
  else
    die "--cuda $1: this Kokkos knows no such architecture; it knows $(sed -n 's/^KOKKOS_ARCH_OPTION(\([A-Z]*[0-9]*\) *GPU .*CC.*/\1/p' "$options" | tr '\n' ' ')and newer ones, as HOPPER90"
  fi
}

build_cuda_kokkos() {
  local nvcc known
  nvcc=$(PATH="$PATH:/usr/local/cuda/bin" command -v nvcc) || die "--cuda needs nvcc, which is neither on the PATH nor in /usr/local/cuda/bin"
  if [ "$cuda_arch" = native ]; then cuda_arch=$(native_cuda_arch); fi
  case $cuda_arch in
    *[!0-9][0-9][0-9] | *[!0-9]1[0-9][0-9]) ;;
    *) die "--cuda $cuda_arch: expected an architecture by its name in Kokkos, such as AMPERE80 or HOPPER90, or native" ;;
  esac
  [ "$has_apt" = yes ] || [ -d "$deps/source/kokkos" ] || die "$system: this script gets Kokkos' source on Debian and Ubuntu only; build Kokkos with CUDA yourself and configure with -DKokkos_ROOT"
  if changed cuda_recipe "2 $cuda_arch $nvcc"; then rm -rf "$deps/stamp/cuda" "$deps/cuda" "$deps/build/cuda"; fi
  if [ -e "$deps/stamp/cuda" ]; then return; fi
  need_space "$deps" 600 "building Kokkos"
  need_source kokkos
  known=$(known_cuda_arch "$cuda_arch")
  write_nvcc_wrapper "$nvcc" "${cuda_arch##*[!0-9]}" "${known##*[!0-9]}"
  PATH="$PATH:$(dirname "$nvcc")" once cuda "building Kokkos with CUDA (about $((100 / $(cores) + 3)) s)" \
    build_in_large_files kokkos cuda -DCMAKE_CXX_COMPILER="$deps/cuda/nvcc_wrapper" -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=ON \
    -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_CUDA_LAMBDA=ON -DKokkos_ARCH_"$known"=ON
  rm -rf "$deps/build"
}

# ---------------------------------------------------------------- Kokkos for AMD GPUs

# Without OpenMP, whose header comes with clang only where all of it is installed.
build_hip_kokkos() {
  command -v hipcc >/dev/null || die "--hip needs hipcc (Debian: apt-get install hipcc), which is not on the PATH"
  case $hip_arch in
    VEGA90[068]) ;;
    *) die "--hip $hip_arch: expected VEGA900, VEGA906 or VEGA908" ;;
  esac
  [ "$has_apt" = yes ] || [ -d "$deps/source/kokkos" ] || die "$system: this script gets Kokkos' source on Debian and Ubuntu only; build Kokkos with HIP yourself and configure with -DKokkos_ROOT"
  if changed hip_recipe "1 $hip_arch $(command -v hipcc)"; then rm -rf "$deps/stamp/hip" "$deps/hip" "$deps/build/hip"; fi
  if [ -e "$deps/stamp/hip" ]; then return; fi
  need_space "$deps" 600 "building Kokkos"
  need_source kokkos
  HIP_PLATFORM=amd ROCM_PATH=${ROCM_PATH:-/usr} once hip "building Kokkos with HIP (about $((70 / $(cores) + 3)) s)" \
    build kokkos hip -DCMAKE_CXX_COMPILER=hipcc -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_HIP=ON \
    -DKokkos_ARCH_"$hip_arch"=ON
  rm -rf "$deps/build"
}

# ---------------------------------------------------------------- main

# shellcheck source=bootstrap_cross.sh
. "$(dirname "$0")/bootstrap_cross.sh"

demo=no
serial_kokkos=no
use_packages=yes
host_kokkos=yes
source_only=no
cuda_arch=
hip_arch=
cross=
docs=no
while [ $# -gt 0 ]; do
  case $1 in
    --cuda)
      [ $# -gt 1 ] || die "--cuda needs an architecture, such as HOPPER90, or native"
      cuda_arch=$2
      shift
      ;;
    --hip)
      [ $# -gt 1 ] || die "--hip needs an architecture, such as VEGA908"
      hip_arch=$2
      shift
      ;;
    --cross)
      [ $# -gt 1 ] || die "--cross needs a processor: aarch64 or s390x"
      cross_architecture "$2" >/dev/null
      cross="$cross $2"
      shift
      ;;
    --demo) demo=yes ;;
    --docs) docs=yes ;;
    --no-host-kokkos) host_kokkos=no ;;
    --source-only) source_only=yes ;;
    --serial-kokkos) serial_kokkos=yes ;;
    --no-packages) use_packages=no ;;
    -h | --help) usage && exit ;;
    *) die "unknown option $1 (--help lists them)" ;;
  esac
  shift
done

cd "$(dirname "$0")/.."
deps=$PWD/.deps
mkdir -p "$deps/log" "$deps/stamp" || die "cannot write to $PWD"
for folder in "$deps" "$deps/log" "$deps/stamp"; do
  [ -w "$folder" ] || die "cannot write to $folder, which another user made, perhaps root; run  sudo chown -R $(id -u) .deps  and then this again"
done
if command -v flock >/dev/null; then
  exec 9>"$deps/lock"
  locked=0
  flock -w 5 9 || locked=$?
  [ $locked -ne 1 ] || die "another bootstrap is at work in $PWD; wait until it has finished"
  [ $locked -eq 0 ] || note "$deps cannot be locked (some network file systems): see that no other bootstrap is at work there"
fi
trap 'printf "\nbootstrap: interrupted; run it again and it goes on from here\n" >&2; exit 130' INT TERM

describe_system
echo "Exakt bootstrap on $system, $(cores) cores"
if [ "$source_only" = yes ]; then
  need_source kokkos kokkos-kernels
  echo "Kokkos' source is in .deps/source"
  exit
fi
if [ "$demo" = yes ] && [ "$host_kokkos" = no ]; then die "--demo needs Kokkos for hosts, and --no-host-kokkos leaves it out"; fi
if [ "$demo" = yes ]; then packages=$demo_packages; fi
if [ -n "$hip_arch" ] && ! command -v hipcc >/dev/null; then packages="$packages hipcc"; fi
if [ "$docs" = yes ]; then packages="$packages doxygen python3-sphinx python3-myst-parser python3-sphinx-rtd-theme"; fi
for processor in $cross; do packages="$packages $(cross_packages "$processor")"; done
if [ "$use_packages" = yes ]; then install_packages; fi
check_cmake

# A built Kokkos is worth keeping while only the search for an installed one has changed. The 1 is this recipe's number.
if [ "$host_kokkos" = yes ]; then
  recipe="1 ${CXX:-} ${CXXFLAGS:-}"
  choice="${Kokkos_ROOT:-} ${Kokkos_DIR:-} ${CMAKE_PREFIX_PATH:-} $serial_kokkos"
  if ! install_is_whole; then forget_kokkos; fi
  if differs recipe "$recipe" || differs choice "$choice"; then
    rm -f "$deps/stamp/ready"
  elif [ "$demo" = yes ] && [ -e "$deps/stamp/kokkos" ]; then
    host_kokkos=no
  fi
fi
if [ "$host_kokkos" = yes ]; then
  if [ ! -e "$deps/stamp/ready" ]; then use_installed_kokkos; fi
  echo "$choice" >"$deps/stamp/choice" # not before there is what it names
  if [ ! -e "$deps/stamp/ready" ]; then build_kokkos; fi
fi
if [ -n "$cuda_arch" ]; then build_cuda_kokkos; fi
if [ -n "$hip_arch" ]; then build_hip_kokkos; fi
for processor in $cross; do build_cross_kokkos "$processor"; done
if [ "$demo" = yes ]; then
  echo "Ready: cmake --workflow --preset demo"
  exit
fi
if [ "$host_kokkos" = no ]; then
  for processor in $cross; do echo "Ready: Kokkos for $processor, prefix .deps/$processor. Next: cmake --workflow --preset cross-$processor"; done
  if [ -n "$cuda_arch" ]; then echo "Ready: Kokkos for $cuda_arch, prefix .deps/cuda. Next: cmake --workflow --preset cuda"; fi
  if [ -n "$hip_arch" ]; then echo "Ready: Kokkos for $hip_arch, prefix .deps/hip. Next: cmake --workflow --preset hip"; fi
  if [ "$docs" = yes ]; then echo "Ready: cmake --workflow --preset docs"; fi
  exit
fi
echo "Ready: $(cat "$deps/stamp/ready"), prefix .deps/install. Next: cmake --workflow --preset demo"
