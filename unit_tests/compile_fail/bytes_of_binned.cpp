// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Exakt_Binned.hpp>
#include <Exakt_Hallberg.hpp>
#include <Exakt_Serialization.hpp>

#ifdef EXAKT_CORRECTED
using Sum = Exakt::Hallberg<10, 52>;
#else
using Sum = Exakt::Binned<double>;  // would come back as an exact sum
#endif

auto bytes_of(Sum const& sum) { return Exakt::to_bytes(sum); }
