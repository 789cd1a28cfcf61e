// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_DEVICE_HPP
#define EXAKTPERF_DEVICE_HPP

/// \file
/// \brief Data in the memory of the default execution space.

#include <Kokkos_Core.hpp>

namespace ExaktPerf {

using Device = Kokkos::DefaultExecutionSpace;
template <class T>
using DeviceArray = Kokkos::View<T*, Device>;
using DeviceData = DeviceArray<double>;
template <class Layout>
using DeviceMatrix = Kokkos::View<double**, Layout, Device>;

template <class View>
auto on_device(View const& here) {
  return Kokkos::create_mirror_view_and_copy(Device::memory_space(), here);
}

template <class View>
auto on_host(View const& there) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), there);
}

}  // namespace ExaktPerf

#endif
