// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_HPP
#define EXAKTMPI_HPP

/// \file
/// \brief Sums across ranks: the same bits on any number of them.

#include "ExaktMpi_Method.hpp"
#include "ExaktMpi_SpmvPlan.hpp"
#include "ExaktMpi_allreduce.hpp"
#include "ExaktMpi_correlation.hpp"
#include "ExaktMpi_covariance.hpp"
#include "ExaktMpi_dot.hpp"
#include "ExaktMpi_exchange.hpp"
#include "ExaktMpi_exclusive_scan.hpp"
#include "ExaktMpi_gemm.hpp"
#include "ExaktMpi_gemv.hpp"
#include "ExaktMpi_iallreduce.hpp"
#include "ExaktMpi_inclusive_scan.hpp"
#include "ExaktMpi_mean.hpp"
#include "ExaktMpi_nrm1.hpp"
#include "ExaktMpi_nrm2.hpp"
#include "ExaktMpi_nrm2_squared.hpp"
#include "ExaktMpi_reduce.hpp"
#include "ExaktMpi_spmv.hpp"
#include "ExaktMpi_stddev.hpp"
#include "ExaktMpi_sum.hpp"
#include "ExaktMpi_sum_by_key.hpp"
#include "ExaktMpi_transform_dot.hpp"
#include "ExaktMpi_transform_sum.hpp"
#include "ExaktMpi_variance.hpp"

#endif
