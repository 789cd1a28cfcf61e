// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes the kernels of HWY_TARGET known to find_kernels() of Exakt_FindKernels.hpp.

namespace Exakt::Impl {
namespace {

template <>
struct KernelSet<HWY_TARGET> {
  static auto const& kernels() {
    static auto const set = HWY_NAMESPACE::set_of_kernels();
    return set;
  }
};

}  // namespace
}  // namespace Exakt::Impl
