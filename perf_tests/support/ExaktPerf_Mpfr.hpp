// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_MPFR_HPP
#define EXAKTPERF_MPFR_HPP

#include "ExaktPerf_Reference.hpp"

#include <functional>
#include <string>

namespace ExaktPerf {

#ifdef EXAKT_PERF_HAS_MPFR
inline constexpr bool has_mpfr = true;
#else
inline constexpr bool has_mpfr = false;
#endif

/// \brief The version of MPFR, or "not found".
std::string mpfr_description();

/// \brief The correctly rounded result of a verb, by one MPFR number wide enough for every bit. Needs has_mpfr.
double by_mpfr(Verb verb, Data const& x, Data const& y);

/// \brief A call of mpfr_sum, correctly rounded too, on numbers that are already MPFR's; empty without MPFR.
std::function<double()> mpfr_sum_of(Data const& x);

}  // namespace ExaktPerf

#endif
