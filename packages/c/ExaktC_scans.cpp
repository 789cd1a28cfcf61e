// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ExaktC_Entries.hpp"

#include <parallel/Exakt_Scan.hpp>

namespace ExaktC {
namespace {

template <bool is_inclusive, class T>
exakt_status scan(char const* function, std::ptrdiff_t n, T const* x, std::ptrdiff_t incx, T* r, std::ptrdiff_t incr) {
  return guarded(function, [&] {
    std::size_t const size = size_of(n);
    auto const terms = vector_of(size, x, incx, "x");
    auto const prefixes = vector_of(size, r, incr, "r");
    require_increment(size, incr, "incr", "r");
    if (x != r || (size > 1 && incx != incr))
      require_no_overlap("r", entries_of(prefixes, size, 1), "x", entries_of(terms, size, 1));
    Exakt::Impl::scan_columns<is_inclusive>(Kokkos::Serial(), Exakt::Compiled::vector_of(terms, size),
                                            Exakt::Compiled::vector_of(prefixes, size));
  });
}

}  // namespace
}  // namespace ExaktC

#define EXAKT_SCANS(letter, T)                                                                                 \
  exakt_status exakt_##letter##inclusive_scan(ptrdiff_t n, T const* x, ptrdiff_t incx, T* r, ptrdiff_t incr) { \
    return ExaktC::scan<true>("exakt_" #letter "inclusive_scan", n, x, incx, r, incr);                         \
  }                                                                                                            \
  exakt_status exakt_##letter##exclusive_scan(ptrdiff_t n, T const* x, ptrdiff_t incx, T* r, ptrdiff_t incr) { \
    return ExaktC::scan<false>("exakt_" #letter "exclusive_scan", n, x, incx, r, incr);                        \
  }

EXAKT_SCANS(d, double)
EXAKT_SCANS(s, float)
