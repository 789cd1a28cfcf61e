// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTTEST_PRECOMPILED_HPP
#define EXAKTTEST_PRECOMPILED_HPP

/// \file
/// \brief What most tests include, for exakt_use_precompiled_headers (cmake/ExaktTest.cmake). No test includes it by name.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <Exakt.hpp>
#include <Kokkos_Core.hpp>

#include "ExaktTest_Bits.hpp"
#include "ExaktTest_Cases.hpp"
#include "ExaktTest_Catch.hpp"
#include "ExaktTest_Families.hpp"
#include "ExaktTest_FpEnvironment.hpp"
#include "ExaktTest_GuardedArray.hpp"
#include "ExaktTest_HostSpaces.hpp"
#include "ExaktTest_Matrices.hpp"
#include "ExaktTest_Oracle.hpp"
#include "ExaktTest_Random.hpp"
#include "ExaktTest_Refusal.hpp"
#include "ExaktTest_Vectors.hpp"

#endif
