// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_AXPBYPACK_HPP
#define EXAKTBLAS_AXPBYPACK_HPP

/// \file
/// \brief alpha * x + beta * y on packs, for code outside of the kernels.

#include <summation/Exakt_Pack.hpp>

namespace Exakt::Impl::inline EXAKT_ABI {

#include "../kernels/ExaktBlas_Axpby-inl.hpp"

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
