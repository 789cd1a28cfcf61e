// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define EXAKT_BLAS_INTEGER std::int64_t
#define EXAKT_BLAS_OF_C 1
#define EXAKT_BLAS_NAME(verb) cblas_##verb##64_
#define EXAKT_BLAS_ALIASES(verb) \
  EXAKT_BLAS_SAME_AS(verb, scipy_cblas_##verb##64_) EXAKT_BLAS_SAME_AS(verb, cblas_##verb##_64)
#include "ExaktBlasAbi_Entries.hpp"
