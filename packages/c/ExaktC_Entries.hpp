// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTC_ENTRIES_HPP
#define EXAKTC_ENTRIES_HPP

/// \file
/// \brief Where the entries of operands lie in memory, and that what is written is not read as something else.

#include "ExaktC_Call.hpp"

#include <drivers/ExaktBlas_Views.hpp>

#include <string>

namespace ExaktC {

/// Entries, in whichever order, from the lowest address on.
template <class T>
auto entries_of(Exakt::Compiled::Matrix<T> const& a, std::size_t rows, std::size_t columns) {
  auto const lowest = [](T* data, std::ptrdiff_t stride, std::size_t n) {
    return stride < 0 && n > 0 ? data + static_cast<std::ptrdiff_t>(n - 1) * stride : data;
  };
  Exakt::Compiled::Matrix<T> const in_memory{lowest(a.data, a.row_stride, rows), ascending(a.row_stride),
                                             a.column_stride};
  return Exakt::Compiled::matrix_of(in_memory, rows, columns);
}

template <class Out, class In>
void require_no_overlap(char const* out_name, Out const& out, char const* in_name, In const& in) {
  if (Exakt::Impl::share_entries(out, in)) [[unlikely]]
    refuse(std::string(out_name) + " and " + in_name + " share memory; one is written, the other read");
}

/// The increment of n entries that are written.
inline void require_increment(std::size_t n, std::ptrdiff_t increment, char const* name, char const* of) {
  if (n > 1 && increment == 0) [[unlikely]]
    refuse(std::string(name) + " is 0; entries of " + of + " must differ");
}

}  // namespace ExaktC

#endif
