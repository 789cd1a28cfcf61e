// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLAS_HPP
#define EXAKTBLAS_HPP

/// \file
/// \brief Kokkos Kernels' vector and matrix functions, each result rounded once.

#include "ExaktBlas1_axpby.hpp"
#include "ExaktBlas1_axpy.hpp"
#include "ExaktBlas1_dot.hpp"
#include "ExaktBlas1_iamax.hpp"
#include "ExaktBlas1_mean.hpp"
#include "ExaktBlas1_nrm1.hpp"
#include "ExaktBlas1_nrm2.hpp"
#include "ExaktBlas1_nrm2_squared.hpp"
#include "ExaktBlas1_scal.hpp"
#include "ExaktBlas1_sum.hpp"
#include "ExaktBlas1_team.hpp"
#include "ExaktBlas2_band.hpp"
#include "ExaktBlas2_gemv.hpp"
#include "ExaktBlas2_ger.hpp"
#include "ExaktBlas2_hemv.hpp"
#include "ExaktBlas2_her.hpp"
#include "ExaktBlas2_her2.hpp"
#include "ExaktBlas2_packed.hpp"
#include "ExaktBlas2_symv.hpp"
#include "ExaktBlas2_syr.hpp"
#include "ExaktBlas2_syr2.hpp"
#include "ExaktBlas2_team_gemv.hpp"
#include "ExaktBlas2_trmv.hpp"
#include "ExaktBlas2_trsv.hpp"
#include "ExaktBlas3_gemm.hpp"
#include "ExaktBlas3_hemm.hpp"
#include "ExaktBlas3_her2k.hpp"
#include "ExaktBlas3_herk.hpp"
#include "ExaktBlas3_symm.hpp"
#include "ExaktBlas3_syr2k.hpp"
#include "ExaktBlas3_syrk.hpp"
#include "ExaktBlas3_trmm.hpp"
#include "ExaktBlas3_trsm.hpp"
#include "ExaktBlas_ModeLetter.hpp"

#endif
