// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define EXAKT_BLAS_INTEGER std::int64_t
#define EXAKT_BLAS_OF_C 0
#define EXAKT_BLAS_NAME(verb) verb##_64_
#define EXAKT_BLAS_ALIASES(verb) EXAKT_BLAS_SAME_AS(verb, scipy_##verb##_64_)
#include "ExaktBlasAbi_Entries.hpp"
