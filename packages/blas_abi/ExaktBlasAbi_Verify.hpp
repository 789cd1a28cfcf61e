// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_VERIFY_HPP
#define EXAKTBLASABI_VERIFY_HPP

/// \file
/// \brief EXAKT_BLAS_VERIFY=FILE: each call runs in the BLAS behind as well, and a table at exit tells where that differs.

#include "ExaktBlasAbi_Arguments.hpp"

#include <cstddef>
#include <vector>

namespace ExaktBlasAbi {

/// What EXAKT_BLAS_VERIFY names when the library is loaded.
extern char const* const verify_file;
inline bool is_verifying() { return verify_file != nullptr; }

/// Whether this thread is in the BLAS behind: what that calls by exported names, which are ours, is its own matter.
bool is_in_other_call();

/// A call that is compared with nothing: the BLAS behind has no such function.
void count_missing(char const* verb) noexcept;

/// The same call of the BLAS behind.
struct OtherCall {
  void const* arguments;
  void (*call)(void const* arguments, void* result);  // where a returned number goes
};

/// Which entries of a matrix a call writes. What it does not name may be another thread's.
enum class Part { all, lower, upper };

/// One call, in both libraries: what it writes is kept before, compared, and is ours afterwards. Where there is no memory
/// to keep it, the call is made by ours alone and counted as compared with nothing.
class Comparison {
 public:
  /// \param size  The largest size among its arguments.
  Comparison(char const* verb, std::ptrdiff_t size) : m_verb(verb), m_size(size) {}

  /// What will be written. Complex numbers are two real ones.
  template <class T>
  void add(T* data, std::size_t rows, std::ptrdiff_t row_stride, std::size_t columns, std::ptrdiff_t column_stride,
           Part part) noexcept {
    keep({data,
          part,
          row_stride == 0 && rows > 1 ? 1 : rows,  // an increment of zero: one entry
          columns,
          row_stride * std::ptrdiff_t{sizeof(T)},
          column_stride * std::ptrdiff_t{sizeof(T)},
          sizeof(T),
          is_float(data),
          {}});
  }

  /// Runs it in the BLAS behind, keeps its results, and puts back what was there.
  void run_other(OtherCall const& other, void* result);

  /// Compares with what is there now.
  void finish() const noexcept;

 private:
  struct Output {
    void* data;
    Part part;
    std::size_t rows, columns;
    std::ptrdiff_t row_stride, column_stride;  // bytes
    std::size_t entry_size;
    bool is_float;
    std::vector<unsigned char> kept;  // the entries as they were, then as the BLAS behind has made them

    std::size_t entry_count() const;
    template <class F>
    void for_each_entry(F const& f) const;
  };

  void keep(Output output) noexcept;

  static bool is_float(float const*) { return true; }
  static bool is_float(ComplexFloat const*) { return true; }
  static bool is_float(double const*) { return false; }
  static bool is_float(ComplexDouble const*) { return false; }

  char const* m_verb;
  std::ptrdiff_t m_size;
  std::vector<Output> m_outputs;
  bool m_is_compared = true;
};

}  // namespace ExaktBlasAbi

#endif
