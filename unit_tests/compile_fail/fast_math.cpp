// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled with -ffast-math or a part of it, which lets the compiler drop every error term as an algebraic zero.
#include <numerics/Exakt_Environment.hpp>
