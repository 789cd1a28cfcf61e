#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# No pack of a kernel begins as {}: zeros on x86, whatever the register holds on NEON. zeros() and zero_integers() are zeros on all.
set -euo pipefail
root=$1
files=("$root"/core/kernels/*-inl.hpp "$root"/packages/*/kernels/*-inl.hpp)
sources=("$root"/core/kernels/*.cpp "$root"/packages/*/kernels/*.cpp)
found=$({
  grep -nE '^[^/]*\w\{\}' "${files[@]}" || true
  grep -nE '\bPack\b[^;/]*\w\{\}' "${sources[@]}" || true
})
echo "${#files[@]} parts and ${#sources[@]} sources of kernels; ${found:-no pack begins as {\}}"
[ "${#files[@]}" -ge 5 ] && [ "${#sources[@]}" -ge 4 ] && [ -z "$found" ]
