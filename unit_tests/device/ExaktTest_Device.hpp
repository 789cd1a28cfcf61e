// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_DEVICE_HPP
#define EXAKTTEST_DEVICE_HPP

/// \file
/// \brief The default execution space, whatever it is, or the delayed device, and data that goes there and back.

#include <Kokkos_Core.hpp>

#include <vector>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"
#ifdef EXAKT_DELAY_DEVICE
#include "ExaktTest_DelayedDevice.hpp"
#endif

namespace ExaktTest {

#ifdef EXAKT_DELAY_DEVICE
using Device = DelayedDevice;
#else
using Device = Kokkos::DefaultExecutionSpace;
#endif
/// Whether a host stands for it, for which sizes are smaller.
#ifdef EXAKT_EMULATE_DEVICE
inline constexpr bool is_emulated = true;
#else
inline constexpr bool is_emulated = false;
#endif

/// An instance of it: a new one with a stream of its own, where tests know how to make one.
inline Device some_instance() {
#ifdef EXAKT_DELAY_DEVICE
  return Device::new_instance();
#else
  return Device();
#endif
}

template <class T>
using DeviceVector = Kokkos::View<T*, Device>;
template <class T, class Layout = Kokkos::LayoutLeft>
using DeviceMatrix = Kokkos::View<T**, Layout, Device>;

/// Views of entries, a vector or the columns of a matrix with `rows` rows.
template <class T>
DeviceVector<T> on_device(std::vector<T> const& entries) {
  DeviceVector<T> const there("entries", entries.size());
  auto const here = Kokkos::create_mirror_view(there);
  for (std::size_t i = 0; i < entries.size(); ++i) here(i) = entries[i];
  Kokkos::deep_copy(there, here);
  return there;
}
template <class Layout, class T>
DeviceMatrix<T, Layout> on_device(std::vector<T> const& entries, std::size_t rows) {
  DeviceMatrix<T, Layout> const there("entries", rows, entries.size() / rows);
  auto const here = Kokkos::create_mirror_view(there);
  for (std::size_t k = 0; k < entries.size(); ++k) here(k % rows, k / rows) = entries[k];
  Kokkos::deep_copy(there, here);
  return there;
}

/// The entries of a vector, or those of a matrix column by column.
template <class V>
auto on_host(V const& there) {
  auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), there);
  std::vector<typename V::non_const_value_type> entries;
  if constexpr (V::rank == 0) {
    entries.push_back(here());
  } else if constexpr (V::rank == 1) {
    for (std::size_t i = 0; i < here.extent(0); ++i) entries.push_back(here(i));
  } else {
    for (std::size_t j = 0; j < here.extent(1); ++j)
      for (std::size_t i = 0; i < here.extent(0); ++i) entries.push_back(here(i, j));
  }
  return entries;
}

/// n numbers between 2^-binades and 2^binades.
inline std::vector<double> numbers(Random& random, std::size_t n, int binades) {
  std::vector<double> result(n);
  for (double& x : result) x = random.value<double>(random.between(-binades, binades));
  return result;
}

}  // namespace ExaktTest

#endif
