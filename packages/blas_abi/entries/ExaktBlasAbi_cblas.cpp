// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define EXAKT_BLAS_INTEGER EXAKT_BLAS_PLAIN_INTEGER
#define EXAKT_BLAS_OF_C 1
#define EXAKT_BLAS_NAME(verb) cblas_##verb
#define EXAKT_BLAS_ALIASES(verb) EXAKT_BLAS_SAME_AS(verb, scipy_cblas_##verb)
#include "ExaktBlasAbi_Entries.hpp"
