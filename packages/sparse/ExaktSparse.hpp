// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSPARSE_HPP
#define EXAKTSPARSE_HPP

/// \file
/// \brief Everything of sparse: matrices of which only some entries are stored.

#include "ExaktSparse_CrsViews.hpp"
#include "ExaktSparse_spmv.hpp"

#endif
