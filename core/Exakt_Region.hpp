// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_REGION_HPP
#define EXAKT_REGION_HPP

#include "Exakt_Environment.hpp"

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

/// The work of one call of a public function: a region for profilers, in the default floating-point environment.
template <class F>
void in_region(std::string const& name, F const& work) {
  Region const region(name);
  in_default_environment(work);
}

}  // namespace Exakt::Impl

#endif
