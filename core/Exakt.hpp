// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKT_HPP
#define EXAKT_HPP

/// \file
/// \brief Everything of core. README.md names the headers in reading order.

#include "Exakt_Accumulator.hpp"
#include "Exakt_Binned.hpp"
#include "Exakt_Expansion.hpp"
#include "Exakt_Half.hpp"
#include "Exakt_Hallberg.hpp"
#include "Exakt_HighPrecision.hpp"
#include "Exakt_LongAccumulator.hpp"
#include "Exakt_Reducer.hpp"
#include "Exakt_Rounding.hpp"
#include "Exakt_Serialization.hpp"
#include "Exakt_Version.hpp"
#include "Exakt_correlation.hpp"
#include "Exakt_covariance.hpp"
#include "Exakt_describe.hpp"
#include "Exakt_exclusive_scan.hpp"
#include "Exakt_inclusive_scan.hpp"
#include "Exakt_segmented_sum.hpp"
#include "Exakt_stddev.hpp"
#include "Exakt_sum_by_key.hpp"
#include "Exakt_sum_of.hpp"
#include "Exakt_transform_dot.hpp"
#include "Exakt_transform_sum.hpp"
#include "Exakt_variance.hpp"
#include "numerics/Exakt_ExponentRange.hpp"

#endif
