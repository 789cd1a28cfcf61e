// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_REGION_HPP
#define EXAKT_REGION_HPP

#include "../numerics/Exakt_Environment.hpp"

#include <Kokkos_Core.hpp>

#include <string>

namespace Exakt::Impl::inline EXAKT_ABI {

/// \brief A region that Kokkos Tools see; it ends with its scope.
///
/// Without a profiling tool its name is not made: that would take as long as a sum of ten numbers.
class Region {
 public:
  /// \param name  What a std::string can be made of.
  template <class Name>
  explicit Region(Name const& name) : m_is_seen(Kokkos::Tools::profileLibraryLoaded()) {
    if (m_is_seen) [[unlikely]]
      Kokkos::Profiling::pushRegion(std::string(name));
  }
  ~Region() {
    if (m_is_seen) [[unlikely]]
      Kokkos::Profiling::popRegion();
  }
  Region(Region const&) = delete;
  Region& operator=(Region const&) = delete;

 private:
  bool m_is_seen;
};

/// "Exakt::dot" and the like, made where it is asked for: a std::string takes as long as a sum of ten numbers.
struct Label {
  char const* verb;
  char const* step = "";
  explicit operator std::string() const { return std::string("Exakt::") + verb + step; }
};

/// The work of one call of a public function: a region for profilers, in the default floating-point environment.
template <class Name, class F>
void in_region(Name const& name, F const& work) {
  Region const region(name);
  in_default_environment(work);
}

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
