// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_PRODUCTPROTOCOL_HPP
#define EXAKTMPI_PRODUCTPROTOCOL_HPP

/// \file
/// \brief The messages around a matrix-vector product: whether all ranks call the same one, and which ranks failed.

#include "../ExaktMpi_Distribution.hpp"
#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_Message.hpp"

#include <matrix_vector/ExaktBlas_Gemv.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::bits_of;
using Exakt::Impl::Factor;
using Exakt::Impl::has_complex_entries;
using Exakt::Impl::require_extents;
using Exakt::Impl::require_mode;
using Exakt::Impl::require_no_overlap;

/// \brief What the ranks learn of each other before a product is reduced, or written: the greatest of each word.
struct ProductHeader {
  enum { request = Header::length, minus_request, entries, minus_entries, has_products, failed, length };
  std::int64_t greatest[length];

  /// \param request  A number for all that must be the same on all ranks.
  /// \param entries  One for the entries of what they have whole, and is written.
  static ProductHeader of(Header const& sums, std::int64_t request, std::int64_t entries, bool has_products) {
    ProductHeader header{};
    std::copy_n(sums.greatest, Header::length, header.greatest);
    header.greatest[ProductHeader::request] = request;
    header.greatest[minus_request] = -request;
    header.greatest[ProductHeader::entries] = entries;
    header.greatest[minus_entries] = -entries;
    header.greatest[ProductHeader::has_products] = has_products;
    return header;
  }
  /// Less than everything, but for the failure.
  static ProductHeader of_failure() {
    ProductHeader header;
    std::fill_n(header.greatest, length, std::numeric_limits<std::int64_t>::min());
    header.greatest[failed] = 1;
    return header;
  }

  Header sums() const {
    Header header;
    std::copy_n(greatest, Header::length, header.greatest);
    return header;
  }
};

/// All NaN are the same.
inline std::uint64_t number_for(double x) { return Exakt::Impl::is_nan(x) ? ~std::uint64_t{0} : bits_of(x); }

/// A number for the entries of a vector or a matrix, if they are read, and the host reaches them.
template <class V>
std::int64_t checksum_of(V const& v, bool are_read) {
  Checksum sum;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename V::memory_space>::accessible) {
    if (!are_read) return 0;
    if constexpr (V::rank == 2) {
      for (std::size_t j = 0; j < v.extent(1); ++j)
        sum.add(static_cast<std::uint64_t>(checksum_of(Kokkos::subview(v, Kokkos::ALL, j), true)));
    } else {
      for (std::size_t i = 0; i < v.extent(0); ++i)
        for (int part = 0; part < (has_complex_entries<V> ? 2 : 1); ++part)
          sum.add(number_for(Exakt::Impl::part_of(v(i), part == 1)));
    }
  }
  return sum.value();
}

inline void add(Checksum& sum, Factor const& factor) {
  sum.add(number_for(factor.real));
  sum.add(number_for(factor.imaginary));
  sum.add(factor.is_complex);
}

/// \brief Lets every rank say what it has, a rank that fails too: the others would wait for it forever.
///
/// \param same   What the number of the header's request stands for.
/// \param whole  Name of what all ranks have whole, and `length` its number of entries.
/// \param local  Makes this rank's header.
/// \throws  On a rank that failed whatever it failed with, on the others std::invalid_argument.
template <class Local>
ProductHeader agree(Communicator const& comm, char const* same, char const* whole, std::size_t length,
                    Local const& local) {
  ProductHeader header;
  auto const failure = failure_of([&] { header = local(); });
  if (failure) header = ProductHeader::of_failure();
  allreduce_in_place(comm, header.greatest, ProductHeader::length, MPI_INT64_T, MPI_MAX);
  if (failure) std::rethrow_exception(failure);
  if (header.greatest[ProductHeader::failed] != 0) comm.refuse(failed_elsewhere);
  if (header.greatest[ProductHeader::request] != -header.greatest[ProductHeader::minus_request])
    comm.refuse(std::string("all ranks must give the same ") + same);
  header.sums().require_agreement(comm, whole, length);
  if (header.greatest[ProductHeader::entries] != -header.greatest[ProductHeader::minus_entries])
    comm.refuse(std::string(whole) + " must have the same entries on all ranks");
  return header;
}

inline constexpr char const* same_in_gemv = "distribution, trans, alpha and beta, and a y of the same type";

/// \brief What gemv is asked for, but for the operands.
struct ProductRequest {
  Distribution distribution;
  ModeLetter trans;
  Factor alpha, beta;

  /// Whether each y(i) is a sum across ranks: its terms are split, and not the y(i).
  bool splits_sums() const { return (distribution == Distribution::columns) == trans.is('N'); }

  /// How many products this rank adds to each y(i): none, without a look at them, if alpha is zero.
  template <class X>
  std::size_t depth(X const& x) const {
    return alpha.is_zero() ? 0 : x.extent(0);
  }

  template <class Y>
  ProductHeader header(Header const& sums, Y const& y, bool has_products) const {
    return ProductHeader::of(sums, number<Exakt::Impl::EntryOf<Y>>(), checksum_of(y, splits_sums() && !beta.is_zero()),
                             has_products);
  }

  template <class A, class X, class Y>
  void require_operands(A const& a, X const& x, Y const& y) const {
    char const* const function = "Mpi::gemv";
    if (distribution != Distribution::rows && distribution != Distribution::columns)
      refuse("gemv", "distribution is " + std::to_string(static_cast<int>(distribution)) +
                         "; it must be Distribution::rows or Distribution::columns");
    require_mode(function, "trans", trans, "NTC");
    int const outer = trans.is('N') ? 0 : 1;
    std::string const modes = outer == 0 ? "" : std::string("trans '") + trans.as_given() + "'";
    require_extents(function, "A", a, 1 - outer, "x", x, 0, modes);
    require_extents(function, "A", a, outer, "y", y, 0, modes);
    require_no_overlap(function, "y", y, "A", a);
    require_no_overlap(function, "y", y, "x", x);
  }

 private:
  /// A number for all that must be the same on all ranks.
  template <class Entry>
  std::int64_t number() const {
    Checksum sum;
    sum.add(static_cast<std::uint64_t>(distribution));
    sum.add(trans.is('N') ? 0 : trans.is('T') ? 1 : 2);
    add(sum, alpha);
    add(sum, beta);
    sum.add_types<Entry>();
    return sum.value();
  }
};

/// \brief Lets the ranks see that they have the same rows to do again. \return How many.
inline std::size_t agree_on_rows(Communicator const& comm, std::vector<std::size_t> const& rows) {
  Checksum sum;
  sum.add(rows.size());
  for (std::uint64_t const row : rows) sum.add(row);
  std::int64_t const checksum = sum.value();
  std::int64_t greatest[] = {checksum, -checksum};
  allreduce_in_place(comm, greatest, 2, MPI_INT64_T, MPI_MAX);
  if (greatest[0] != -greatest[1]) comm.refuse("y must have the same entries on all ranks");
  return rows.size();
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
