// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_AXPBYPACK_HPP
#define EXAKTBLAS_AXPBYPACK_HPP

/// \file
/// \brief alpha * x + beta * y on packs, for code outside of the kernels.

#include <summation/Exakt_Pack.hpp>

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/ExaktBlas_Axpby-inl.hpp"

/// So many entries take longer than waking the threads.
inline constexpr std::size_t entries_worth_threads = 16'384;

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
