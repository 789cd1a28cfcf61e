// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktScatter.hpp>
#include <Exakt_Binned.hpp>
#include <Exakt_Expansion.hpp>

#ifdef EXAKT_CORRECTED
using Sum = Exakt::Expansion<double, 3>;
#else
using Sum = Exakt::Binned<double>;  // has dropped what the bins would keep
#endif

void add(Exakt::ScatterSum<double> const& bins, Sum const& sum) { bins.add(0, sum); }
