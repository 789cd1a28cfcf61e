// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTSCATTER_HPP
#define EXAKTSCATTER_HPP

/// \file
/// \brief Many sums at once, added to by any thread at any index.

#include "ExaktScatter_CrsAssembly.hpp"
#include "ExaktScatter_ScatterCache.hpp"
#include "ExaktScatter_ScatterSum.hpp"
#include "ExaktScatter_histogram.hpp"
#include "ExaktScatter_ordered_scatter_add.hpp"

#endif
