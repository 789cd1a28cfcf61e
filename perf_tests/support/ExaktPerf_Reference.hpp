// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTPERF_REFERENCE_HPP
#define EXAKTPERF_REFERENCE_HPP

#include "ExaktPerf_Data.hpp"

namespace ExaktPerf {

enum class Verb { sum, nrm1, nrm2, mean, dot };

/// \brief The correctly rounded result of a verb, by a long accumulator alone: no filter, no enclosure.
///
/// \param y  The second factor of dot; ignored by the other verbs.
/// \throws std::runtime_error  MPFR, which is asked as well where it was found and there are not too many entries,
/// disagrees.
double reference(Verb verb, Data const& x, Data const& y = {});

}  // namespace ExaktPerf

#endif
