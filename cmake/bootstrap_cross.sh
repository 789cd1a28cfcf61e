# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154
# Part of bootstrap.sh: what it takes to compile and to run tests for a processor that this machine has not.

cross_packages() { # PROCESSOR
  echo "g++-$1-linux-gnu qemu-user"
}

# The Debian architecture of a processor.
cross_architecture() {
  case $1 in
    aarch64) echo arm64 ;;
    s390x) echo s390x ;;
    *) die "--cross $1: expected aarch64 or s390x" ;;
  esac
}

# The libraries of the tests, as the archives of the packages for that architecture: nothing of them is installed.
get_cross_libraries() { # PROCESSOR ARCHITECTURE
  local packages="$deps/download/$2" prefix="$deps/$1" package
  use_private_apt deb -o APT::Architecture="$2" -o APT::Architectures::="$2" -o Dir::State::Status=/dev/null
  rm -rf "$packages"
  mkdir -p "$packages/files" "$prefix/include" "$prefix/lib"
  (cd "$packages" && apt-get "${apt_options[@]}" -q download libmpfr-dev libgmp-dev)
  for package in "$packages"/*.deb; do dpkg -x "$package" "$packages/files"; done
  cp "$packages"/files/usr/include/mpfr.h "$packages"/files/usr/include/*/gmp.h "$prefix/include"
  cp "$packages"/files/usr/lib/*/libmpfr.a "$packages"/files/usr/lib/*/libgmp.a "$prefix/lib"
  rm -rf "$deps/download" "$deps/apt"
}

build_cross_kokkos() { # PROCESSOR
  local processor=$1 architecture
  architecture=$(cross_architecture "$processor")
  [ "$has_apt" = yes ] || die "$system: --cross takes compilers and libraries from Debian's packages"
  if changed "cross_recipe_$processor" 1; then rm -rf "$deps/stamp/$processor" "$deps/stamp/$processor-libraries" "${deps:?}/$processor" "$deps/build/$processor"; fi
  if [ -e "$deps/stamp/$processor" ]; then return; fi
  need_space "$deps" 200 "building Kokkos"
  once "$processor-libraries" "downloading MPFR for $processor (2 MB)" get_cross_libraries "$processor" "$architecture"
  need_source kokkos
  once "$processor" "building Kokkos for $processor (about $((25 / $(cores) + 3)) s)" \
    build kokkos "$processor" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/$processor.cmake" -DKokkos_ENABLE_SERIAL=ON
  rm -rf "$deps/build"
}
