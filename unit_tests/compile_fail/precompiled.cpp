// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the cases include, precompiled once for all of them.
#include <Exakt.hpp>
#include <ExaktBlas.hpp>
#include <ExaktScatter.hpp>
