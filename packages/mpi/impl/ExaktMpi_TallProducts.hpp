// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_TALLPRODUCTS_HPP
#define EXAKTMPI_TALLPRODUCTS_HPP

/// \file
/// \brief C := alpha X^T Y + beta C for tall X and Y whose rows are spread over the ranks.
///
///     rows of this rank --> an exact sum of the middle, and of the bound, for each entry of C --> one message
///                       --> do both ends of the bound give the same entry?  (integers, on every rank)
///                           no: these entries once more, exactly
///
/// All ranks have the same C, alpha and beta, and then the same sums: they decide alike without asking each other.

#include "ExaktMpi_DeviceMessage.hpp"
#include "ExaktMpi_ProductKernels.hpp"
#include "ExaktMpi_ProductProtocol.hpp"

#include <ExaktBlas3_gemm.hpp>
#include <gemm/ExaktBlas_ThinGemm.hpp>
#include <summation/Exakt_EnclosedSum.hpp>

#include <limits>
#include <optional>
#include <vector>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::empty_sum;
using Exakt::Impl::EnclosedBlock;
using Exakt::Impl::EnclosedSum;
using Exakt::Impl::EnclosureArrays;
using Exakt::Impl::GemmProblem;
using Exakt::Impl::matrix_kernels;
using Exakt::Impl::scale_entries;
using Exakt::Impl::strided;
using Exakt::Impl::VectorOfDoubles;

inline constexpr char const* same_in_gemm = "transA, alpha and beta, and a C of the same type and shape";

/// \brief What gemm is asked for, but for the operands.
struct TallRequest {
  ModeLetter transA, transB;
  Factor alpha, beta;

  template <class A, class B, class C>
  void require_operands(A const& a, B const& b, C const& c) const {
    char const* const function = "Mpi::gemm";
    require_mode(function, "transA", transA, "TC");
    require_mode(function, "transB", transB, "N");
    require_extents(function, "X", a, 0, "Y", b, 0);
    std::string const modes = std::string("transA '") + transA.as_given() + "'";
    require_extents(function, "X", a, 1, "C", c, 0, modes);
    require_extents(function, "Y", b, 1, "C", c, 1);
    require_no_overlap(function, "C", c, "X", a);
    require_no_overlap(function, "C", c, "Y", b);
  }

  /// How many products this rank adds to each entry: none, without a look at them, if alpha is zero.
  template <class A>
  std::size_t depth(A const& a) const {
    return alpha.is_zero() ? 0 : a.extent(0);
  }

  template <class C>
  ProductHeader header(Header const& sums, C const& c, bool has_products) const {
    return ProductHeader::of(sums, number(c), checksum_of(c, !beta.is_zero()), has_products);
  }

 private:
  /// A number for all that must be the same on all ranks.
  template <class C>
  std::int64_t number(C const& c) const {
    Checksum sum;
    sum.add(transA.is('T') ? 0 : 1);
    add(sum, alpha);
    add(sum, beta);
    sum.add_types<EntryOf<C>>();
    sum.add(c.extent(0));
    return sum.value();
  }
};

/// \brief C := beta*C on every rank, where no rank has anything to add.
template <class Space, class C>
void scale_tall(Space const& space, Factor const& beta, C const& c) {
  scale_entries("Exakt::Mpi::gemm::scale", space, beta, c);
  space.fence();
}

/// \brief Entries of X^T Y up to bounds: those of one part of the rows for each thread, added up in integers.
/// \param sums  For entry i + m*j of C the middle; so many further on, the bound: infinite if nothing is known.
template <class R, class Space, class T, class U, class Sums>
void enclose_tall(Space const& space, Strided<T const> const& X, Strided<U const> const& Y, std::size_t k,
                  std::size_t m, std::size_t n, Sums const& sums) {
  auto const threads = static_cast<std::size_t>(space.concurrency());
  constexpr std::size_t least_part = 1024;
  std::size_t const entries = m * n, most = (k + least_part - 1) / least_part;
  std::size_t const parts = entries * k < products_worth_threads ? 1 : std::min(threads, most);
  auto const memory = std::make_unique<double[]>(3 * parts * entries);
  auto const part_of_rows = [=, first = memory.get()](std::size_t part) {
    double* const high = first + 3 * part * entries;
    return EnclosureArrays{high, high + entries, high + 2 * entries};
  };
  GemmProblem<T, U, R> problem{};
  problem.A = X;
  problem.B = Y;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  for_each_task("Exakt::Mpi::gemm::enclosure", space, parts, true, [=](std::size_t part) {
    EnclosureArrays const known = part_of_rows(part);
    for (std::size_t i = 0; i < entries; ++i) known.set(i, empty_sum());
    EnclosedBlock(problem, {0, m}).add({part * k / parts, (part + 1) * k / parts}, known);
  });
  for_each("Exakt::Mpi::gemm::add_up", entries, 1, [=](std::size_t i) {
    for (std::size_t part = 0; part < parts; ++part) {
      Enclosure const sum = part_of_rows(part).get(i);
      if (is_finite(sum.high) && is_finite(sum.low) && is_finite(sum.bound)) {
        sums(i) += sum.high;
        sums(i) += sum.low;
        sums(entries + i) += sum.bound * (1 + EnclosedSum::bound_of_roundings);
      } else {
        sums(entries + i) += std::numeric_limits<double>::infinity();
      }
    }
  });
}

/// \brief Exact sums for some entries of each column of X^T Y, on hosts, real.
/// \param entries  Numbers i + m*j that increase; null for all.
template <class Space, class T, class B, class V>
void sum_tall(Space const& space, Strided<T const> const& X, B const& y, std::size_t m,
              std::vector<std::size_t> const* entries, V const& sums) {
  std::size_t const k = y.extent(0);
  for (std::size_t j = 0, begin = 0; j < y.extent(1); ++j) {
    std::size_t end = begin;
    if (entries == nullptr) {
      end += m;
    } else {
      while (end < entries->size() && (*entries)[end] < (j + 1) * m) ++end;
    }
    if (begin == end) continue;
    auto const column = Kokkos::subview(y, Kokkos::ALL, j);
    VectorOfDoubles<Space, decltype(column)> const doubles(space, column);
    std::size_t const* const numbers = entries == nullptr ? nullptr : entries->data() + begin;
    auto const row = [=](std::size_t i) { return numbers == nullptr ? i : numbers[i] - j * m; };
    sum_rows(space, X, doubles.data(), k, row, PartialSums<false, Kokkos::HostSpace>(sums, begin, end - begin));
    begin = end;
  }
}

/// \brief The product on hosts, real: enclosures first, exact sums for the entries that they do not decide.
template <class Space, class A, class B, class C>
void multiply_tall(Communicator const& comm, Space const& space, TallRequest const& request, A const& a, B const& b,
                   C const& c) {
  using Sums = Kokkos::View<ExactProducts*, Kokkos::HostSpace>;
  using Message = MessageOf<Sums>;
  using R = EntryOf<C>;
  std::size_t const m = c.extent(0), n = c.extent(1), entries = m * n, k = request.depth(a);
  auto const strided_a = strided(a, true);
  auto const strided_b = strided(b, false);
  Strided<EntryOf<A> const> const X{strided_a.data, strided_a.row_stride, strided_a.column_stride};
  Strided<EntryOf<B> const> const Y{strided_b.data, strided_b.row_stride, strided_b.column_stride};
  Sums sums;
  std::optional<Message> message;
  std::vector<R> results;
  std::vector<char> decided;
  std::vector<std::size_t> undecided;
  auto const all = agree(comm, same_in_gemm, "C", entries, [&] {
    request.require_operands(a, b, c);
    space.fence();
    results.resize(entries);
    decided.resize(entries);
    undecided.reserve(entries);
    sums = Sums("Exakt::Mpi::gemm::sums", 2 * entries);
    if (matrix_kernels().has_enclosures && k >= columns_worth_enclosures) {
      enclose_tall<R>(space, X, Y, k, m, n, sums);
    } else if (k > 0) {
      sum_tall(space, X, b, m, nullptr, sums);
    }
    message.emplace(typename Message::Sums(sums), comm, all_ranks);
    return request.header(message->header(entries), c, k > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_tall(space, request.beta, c);
  reduce_words(comm, all.sums(), *message, all_ranks);

  EntryEpilogue const epilogue(request.alpha, request.beta);
  auto const entry = [&](std::size_t i) -> R& { return c(i % m, i / m); };
  auto const rounded = [&](ExactProducts const& sum, std::size_t i) {
    return epilogue.template exactly<R>(sum, epilogue.old_part(entry(i), false), 1);
  };
  for_each("Exakt::Mpi::gemm::round", entries, 4, [&](std::size_t i) {
    ExactProducts const &middle = sums(i), &bound = sums(entries + i);
    ExactProducts low = middle, high = middle;
    low -= bound;
    high += bound;
    results[i] = rounded(low, i);
    decided[i] = bound == ExactProducts() || bits_of(results[i]) == bits_of(rounded(high, i));
  });
  for (std::size_t i = 0; i < entries; ++i)
    if (decided[i] == 0) undecided.push_back(i);
  if (!undecided.empty()) {
    Sums exact;
    reduce_words_of<Message>(comm, undecided.size(), all_ranks, [&] {
      exact = Sums("Exakt::Mpi::gemm::sums", undecided.size());
      if (k > 0) sum_tall(space, X, b, m, &undecided, exact);
      return typename Message::Sums(exact);
    });
    for_each("Exakt::Mpi::gemm::round", undecided.size(), 4,
             [&](std::size_t i) { results[undecided[i]] = rounded(exact(i), undecided[i]); });
  }
  for (std::size_t i = 0; i < entries; ++i) entry(i) = results[i];
}

/// \brief The same exactly at once, a column of C after the other: complex, or on a device.
template <class Space, class A, class B, class C>
void multiply_tall_exactly(Communicator const& comm, Space const& space, TallRequest const& request, A const& a,
                           B const& b, C const& c) {
  using Sums = PartialSums<has_complex_entries<C>, typename C::memory_space>;
  using Message = MessageOf<typename Sums::View>;
  std::size_t const m = c.extent(0), n = c.extent(1), per_column = Sums::per_row * m;
  typename Sums::View sums;
  std::optional<Message> message;
  auto const all = agree(comm, same_in_gemm, "C", m * n, [&] {
    request.require_operands(a, b, c);
    space.fence();
    sums = typename Sums::View("Exakt::Mpi::gemm::sums", per_column * n);
    for (std::size_t j = 0; j < n && request.depth(a) > 0; ++j)
      sum_products(space, request.transA, a, Kokkos::subview(b, Kokkos::ALL, j), Sums(sums, j * per_column, m));
    message.emplace(typename Message::Sums(sums), comm, all_ranks);
    return request.header(message->header(m * n), c, request.depth(a) > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_tall(space, request.beta, c);
  reduce_words(comm, all.sums(), *message, all_ranks);
  for (std::size_t j = 0; j < n; ++j) {
    auto const column = Kokkos::subview(c, Kokkos::ALL, j);
    using Combine = CombineEntry<std::decay_t<decltype(column)>, has_complex_entries<C>, typename C::memory_space>;
    combine_entries(space, Combine{Sums(sums, j * per_column, m), {request.alpha, request.beta}, column});
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
