// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define EXAKT_BLAS_INTEGER EXAKT_BLAS_PLAIN_INTEGER
#define EXAKT_BLAS_OF_C 0
#define EXAKT_BLAS_NAME(verb) verb##_
#define EXAKT_BLAS_ALIASES(verb) EXAKT_BLAS_SAME_AS(verb, scipy_##verb##_)
#include "ExaktBlasAbi_Entries.hpp"
