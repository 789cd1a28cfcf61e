// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What public headers are compiled behind, each alone.
#include <Kokkos_Core.hpp>
