// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_PRODUCTS_HPP
#define EXAKTMPI_PRODUCTS_HPP

/// \file
/// \brief Matrix-vector products whose sums run across ranks: partial sums, one message, one rounding.
///
///     A, x of this rank --> a long accumulator and a bound for each y(i)        (enclosures of blas; or exact sums)
///                       --> words of digits, MPI_SUM; bounds, MPI_MAX           (ExaktMpi_Message.hpp)
///                       --> do both ends of the bound give the same y(i)?       (integers, on every rank)
///                           no: these rows once more, exactly

#include "ExaktMpi_DeviceMessage.hpp"
#include "ExaktMpi_ProductKernels.hpp"
#include "ExaktMpi_ProductProtocol.hpp"

#include <ExaktBlas2_gemv.hpp>

#include <optional>
#include <vector>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::matrix_kernels;
using Exakt::Impl::scale_entries;
using Exakt::Impl::strided;
using Exakt::Impl::VectorOfDoubles;

/// \brief y := beta*y on every rank, where no rank has anything to add.
template <class Space, class Y>
void scale_whole(Space const& space, Factor const& beta, Y const& y) {
  scale_entries("Exakt::Mpi::gemv::scale", space, beta, y);
  space.fence();
}

/// \brief A product each of whose y(i) is a sum across ranks; complex or on a device.
template <class Space, class A, class X, class Y>
void reduce_exactly(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a, X const& x,
                    Y const& y) {
  using Sums = PartialSums<has_complex_entries<Y>, typename Y::memory_space>;
  using Message = MessageOf<typename Sums::View>;
  std::optional<Sums> sums;
  std::optional<Message> message;
  auto const all = agree(comm, same_in_gemv, "y", y.extent(0), [&] {
    request.require_operands(a, x, y);
    space.fence();
    sums.emplace(y.extent(0));
    if (request.depth(x) > 0) sum_products(space, request.trans, a, x, *sums);
    message.emplace(typename Message::Sums(sums->all), comm.size());
    return request.header<Y>(message->header(y.extent(0)), request.depth(x) > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_whole(space, request.beta, y);
  message->pack(all.sums());
  message->reduce(comm, all_ranks);
  message->unpack();
  combine_entries(
      space, CombineEntry<Y, Sums::per_row == 2, typename Y::memory_space>{*sums, {request.alpha, request.beta}, y});
}

/// \brief The same on hosts, real: enclosures first, exact sums for the rows that they do not decide.
template <class Space, class A, class X, class Y>
void reduce_enclosures(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a,
                       X const& x, Y const& y) {
  using Sums = PartialSums<false, Kokkos::HostSpace>;
  using Message = MessageOf<typename Sums::View>;
  using R = RealEntryOf<Y>;
  std::size_t const rows = y.extent(0), columns = request.depth(x);
  auto const strided_a = strided(a, !request.trans.is('N'));
  Strided<EntryOf<A> const> const matrix{strided_a.data, strided_a.row_stride, strided_a.column_stride};
  std::optional<VectorOfDoubles<Space, X>> copy;
  double const* entries = nullptr;
  std::optional<Sums> sums;
  std::optional<Message> message;
  std::vector<std::int32_t> bounds;
  auto const all = agree(comm, same_in_gemv, "y", rows, [&] {
    request.require_operands(a, x, y);
    space.fence();
    if (columns > 0) entries = copy.emplace(space, x).data();
    sums.emplace(rows);
    bounds.assign(rows, no_bound);
    if (matrix_kernels().has_enclosures && columns >= columns_worth_enclosures) {
      enclose_rows(space, matrix, entries, columns, *sums, bounds.data());
    } else {
      sum_rows(
          space, matrix, entries, columns, [](std::size_t i) { return i; }, *sums);
    }
    message.emplace(typename Message::Sums(sums->all), comm.size());
    return request.header<Y>(message->header(rows), columns > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_whole(space, request.beta, y);
  message->pack(all.sums());
  message->reduce(comm, all_ranks);
  message->unpack();
  reduce_many(comm, bounds.data(), rows, MPI_INT32_T, MPI_MAX, all_ranks);

  EntryEpilogue const epilogue(request.alpha, request.beta);
  auto const rounded = [&](ExactProducts const& sum, std::size_t i) {
    return epilogue.template exactly<R>(sum, epilogue.old_part(y(i), false), 1);
  };
  std::vector<R> results(rows);
  std::vector<char> decided(rows);
  for_each("Exakt::Mpi::gemv::round", rows, 4, [&](std::size_t i) {
    if (bounds[i] == unknown_bound) return;
    ExactProducts low = sums->at(i), high = low;
    auto const ranks = static_cast<std::uint64_t>(comm.size());
    if (bounds[i] != no_bound) {
      low.add_scaled(ranks, bounds[i], true);
      high.add_scaled(ranks, bounds[i], false);
    }
    results[i] = rounded(low, i);
    decided[i] = bounds[i] == no_bound || bits_of(results[i]) == bits_of(rounded(high, i));
  });
  std::vector<std::size_t> undecided;
  for (std::size_t i = 0; i < rows; ++i)
    if (decided[i] == 0) undecided.push_back(i);

  if (agree_on_rows(comm, undecided) > 0) {
    Sums const exact(undecided.size());
    std::size_t const* const numbers = undecided.data();
    sum_rows(
        space, matrix, entries, columns, [=](std::size_t i) { return numbers[i]; }, exact);
    Message rest(typename Message::Sums(exact.all), comm.size());
    reduce_words(comm, rest, all_ranks);
    for_each("Exakt::Mpi::gemv::round", undecided.size(), 4,
             [&](std::size_t k) { results[numbers[k]] = rounded(exact.at(k), numbers[k]); });
  }
  for (std::size_t i = 0; i < rows; ++i) y(i) = results[i];
}

/// \brief A product each of whose y(i) is of one rank.
template <class Space, class F, class A, class X, class G, class Y>
void multiply_local(Communicator const& comm, Space const& space, ProductRequest const& request, F const& alpha,
                    A const& a, X const& x, G const& beta, Y const& y) {
  agree(comm, same_in_gemv, "x", x.extent(0), [&] {
    request.require_operands(a, x, y);
    auto const header = Header::of<ExactProducts>(x.extent(0), Method::words, Words<ExactProducts>::no_digits, false);
    return request.header<Y>(header, true);
  });
  Exakt::gemv(space, request.trans, alpha, a, x, beta, y);
  space.fence();
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
