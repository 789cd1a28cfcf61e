// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_REGION_HPP
#define EXAKT_REGION_HPP

#include <Kokkos_Core.hpp>

#include <string>

namespace Exakt::Impl {

/// A region that Kokkos Tools see; it ends with its scope.
struct Region {
  explicit Region(std::string const& name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(Region const&) = delete;
  Region& operator=(Region const&) = delete;
};

}  // namespace Exakt::Impl

#endif
