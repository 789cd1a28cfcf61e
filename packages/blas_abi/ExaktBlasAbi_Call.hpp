// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTBLASABI_CALL_HPP
#define EXAKTBLASABI_CALL_HPP

/// \file
/// \brief One call of the BLAS: its name, how its matrices are stored, what is wrong with its arguments, and the same
/// call of the BLAS behind where both are compared.

#include "ExaktBlasAbi_Arguments.hpp"
#include "ExaktBlasAbi_Next.hpp"
#include "ExaktBlasAbi_Verify.hpp"

#include <numerics/Exakt_Environment.hpp>
#include <structured/ExaktBlas_Stored.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

namespace ExaktBlasAbi {

/// Any strides, negative ones too; a vector has one column.
template <class T>
using Matrix = Exakt::Impl::StridesView<T, Kokkos::HostSpace>;

template <class T>
Matrix<T> matrix_of(T* data, std::ptrdiff_t rows, std::ptrdiff_t row_stride, std::ptrdiff_t columns,
                    std::ptrdiff_t column_stride) {
  auto const size = [](std::ptrdiff_t n) { return static_cast<std::size_t>(n); };
  return Matrix<T>(data, Kokkos::LayoutStride(size(rows), size(row_stride), size(columns), size(column_stride)));
}

/// The first entry is at the end of the memory if the increment is negative.
template <class T>
Matrix<T> vector_of(T* data, std::ptrdiff_t n, std::ptrdiff_t increment) {
  return matrix_of(increment < 0 ? data - (n - 1) * increment : data, n, increment, 1, 1);
}

template <class T>
Matrix<T> transposed_if(bool transposed, Matrix<T> const& a) {
  return transposed ? Exakt::Impl::by_strides<T>(a, true) : a;
}

/// A triangle of a square matrix, which a call writes.
template <class T>
struct WrittenTriangle {
  Matrix<T> matrix;
  Uplo uplo;
};

class Call {
 public:
  /// \param verb  "dgemm".
  explicit Call(char const* verb, bool is_c = false) : m_verb(verb), m_is_c(is_c) {}

  /// A call of C with matrices; CblasRowMajor is 101, CblasColMajor 102.
  static Call of_matrices(char const* verb, int layout) {
    Call call(verb, true);
    call.m_by_rows = layout == 101;
    call.require(0, layout == 101 || layout == 102);
    return call;
  }

  void compare_with(OtherCall const& other) { m_other = &other; }
  bool is_compared() const { return m_other != nullptr; }
  bool found_default_environment() const { return m_found.is_default(); }
  /// Exception flags as they were before the call. write() and result_of() do this themselves.
  void restore_flags() const { m_found.restore_flags(); }
  /// The BLAS behind does not have it.
  void note_missing() const { count_missing(m_verb); }

  // ---- arguments, in their order; numbers are those of the Fortran interface

  void require(int number, bool holds) {
    if (!holds && m_wrong == no_argument) [[unlikely]]
      m_wrong = number;
  }
  void require_size(int number, Integer n) {
    require(number, n >= 0);
    m_size = std::max<std::ptrdiff_t>(m_size, n);
  }
  /// A leading dimension of a matrix of m x n entries.
  void require_leading(int number, Integer leading, std::ptrdiff_t m, std::ptrdiff_t n) {
    require(number, leading >= std::max<std::ptrdiff_t>(m_by_rows ? n : m, 1));
  }
  /// Whether an argument is wrong; XERBLA has been told then.
  bool is_refused() const {
    if (m_wrong == no_argument) [[likely]]
      return false;
    report();
    return true;
  }
  /// The number of the first argument that is wrong, or zero.
  int wrong_argument() const { return m_wrong == no_argument ? 0 : m_wrong; }
  /// What a call of vectors says about its size.
  void set_size(std::ptrdiff_t n) { m_size = n; }

  template <class T>
  Matrix<T> matrix(T* data, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t leading) const {
    return m_by_rows ? matrix_of(data, m, leading, n, 1) : matrix_of(data, m, 1, n, leading);
  }

  /// Of kl + ku + 1 diagonals.
  template <class T>
  Exakt::Impl::Stored<T, Kokkos::HostSpace> band(T* data, std::ptrdiff_t m, std::ptrdiff_t n, std::ptrdiff_t kl,
                                                 std::ptrdiff_t ku, std::ptrdiff_t leading) const {
    // By rows, an entry of the transpose (kl + j - i, i): the steps to the next row and column change places.
    auto band = Exakt::Impl::stored_band<Kokkos::HostSpace>(data, 1, leading, static_cast<std::size_t>(m),
                                                            static_cast<std::size_t>(n), static_cast<std::size_t>(kl),
                                                            static_cast<std::size_t>(ku));
    if (m_by_rows) {
      std::swap(band.row_step, band.column_step);
      band.first = kl;
    }
    return band;
  }
  template <class T>
  Exakt::Impl::Stored<T, Kokkos::HostSpace> packed(T* data, std::ptrdiff_t n, bool is_lower) const {
    return Exakt::Impl::stored_triangle<Kokkos::HostSpace>(data, 1, static_cast<std::size_t>(n), is_lower, m_by_rows);
  }

  // ---- the work

  /// work(), which writes to these matrices or triangles, in the default floating-point environment.
  template <class Work, class... Out>
  void write(Work const& work, Out const&... out) const {
    if (m_other == nullptr) [[likely]]
      return run(work);
    Comparison comparison(m_verb, m_size);
    (add_output(comparison, out), ...);
    comparison.run_other(*m_other, nullptr);
    run(work);
    comparison.finish();
    restore_flags();
  }

  /// The same for what is returned.
  template <class Result, class Work>
  Result result_of(Work const& work) const {
    Result result{};
    if (m_other == nullptr) [[likely]] {
      run([&] { result = work(); });
      return result;
    }
    Comparison comparison(m_verb, m_size);
    comparison.add(&result, 1, 1, 1, 1, Part::all);
    comparison.run_other(*m_other, &result);
    run([&] { result = work(); });
    comparison.finish();
    restore_flags();
    return result;
  }

 private:
  static constexpr int no_argument = -1;

  void report() const;

  template <class T>
  static void add_output(Comparison& comparison, Matrix<T> const& out, Part part = Part::all) {
    comparison.add(out.data(), out.extent(0), static_cast<std::ptrdiff_t>(out.stride(0)), out.extent(1),
                   static_cast<std::ptrdiff_t>(out.stride(1)), part);
  }
  template <class T>
  static void add_output(Comparison& comparison, WrittenTriangle<T> const& out) {
    add_output(comparison, out.matrix, out.uplo.is('L') ? Part::lower : Part::upper);
  }

  template <class Work>
  void run(Work const& work) const {
    try {
      Exakt::Impl::in_default_environment(work);
      restore_flags();
    } catch (std::bad_alloc const&) {
      fail(m_verb, "there is not enough memory");
    } catch (std::exception const& error) {
      fail(m_verb, error.what());
    } catch (...) {
      fail(m_verb, "an exception of unknown type");
    }
  }

  Exakt::Impl::FoundState m_found;
  char const* m_verb;
  bool m_is_c, m_by_rows = false;
  int m_wrong = no_argument;
  std::ptrdiff_t m_size = 0;
  OtherCall const* m_other = nullptr;
};

}  // namespace ExaktBlasAbi

#endif
