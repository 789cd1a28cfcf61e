// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_TASKS_HPP
#define EXAKTBLAS_TASKS_HPP

/// \file
/// \brief From how much work on the threads of an execution space are woken.

#include <parallel/Exakt_Loop.hpp>

#include <cstddef>

namespace Exakt::Impl::inline EXAKT_ABI {

/// So many products take longer than waking the threads.
inline constexpr std::size_t products_worth_threads = 32'768;

}  // namespace Exakt::Impl::inline EXAKT_ABI

#endif
