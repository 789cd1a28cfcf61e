// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_FINDKERNELS_HPP
#define EXAKT_FINDKERNELS_HPP

/// \file
/// \brief The kernels of another library for the instruction set that core has chosen. Behind Highway's headers.
///
///     namespace Exakt::Impl::HWY_NAMESPACE { namespace { Table set_of_kernels(); } }
///     #include <kernels/Exakt_KernelSet-inl.hpp>                     // for each set, behind its kernels
///     #if HWY_ONCE ... Table const& choose() { return find_kernels<Table>(choose_kernels().target); }
///     [[maybe_unused]] static Table const& chosen_when_loaded = choose();
///
/// The tables are static variables, made when the library is loaded: while a later call made one, another thread could fork, and the
/// child would wait for ever at the variable's guard.

#include <cstdint>

namespace Exakt::Impl {

namespace {

/// The kernels of one instruction set; specialized by each.
template <std::int64_t target>
struct KernelSet;

/// Looks for `target` among HWY_TARGETS, of which each is one bit. Core is compiled for the same ones.
template <class Table, int bit = 0>
Table const& find_kernels(std::int64_t target) {
  if constexpr (bit < 63) {
    constexpr std::int64_t here = std::int64_t{1} << bit;
    if constexpr ((HWY_TARGETS & here) != 0) {
      if (target == here) return KernelSet<here>::kernels();
    }
    return find_kernels<Table, bit + 1>(target);
  } else {
    static Table const none{};
    return none;
  }
}

}  // namespace
}  // namespace Exakt::Impl

#endif
