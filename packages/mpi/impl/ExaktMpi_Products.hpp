// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_PRODUCTS_HPP
#define EXAKTMPI_PRODUCTS_HPP

/// \file
/// \brief Matrix-vector products whose sums run across ranks: partial sums, one message, one rounding.
///
///     few ranks: each y(i) of each rank as an enclosure --> added up, decided by a kernel
///     many:
///     A, x of this rank --> a long accumulator and a bound for each y(i)        (enclosures of blas; or exact sums)
///                       --> words of digits, MPI_SUM; bounds, MPI_MAX           (ExaktMpi_Message.hpp)
///                       --> do both ends of the bound give the same y(i)?       (integers, on every rank)
///                           no: these rows once more, exactly

#include "ExaktMpi_Contribution.hpp"
#include "ExaktMpi_DeviceMessage.hpp"
#include "ExaktMpi_ProductKernels.hpp"
#include "ExaktMpi_ProductProtocol.hpp"

#include <ExaktBlas2_gemv.hpp>

#include <optional>
#include <vector>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::add_enclosure;
using Exakt::Impl::EnclosureArrays;
using Exakt::Impl::matrix_kernels;
using Exakt::Impl::MatrixKernelsOf;
using Exakt::Impl::Pieces;
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
    message.emplace(typename Message::Sums(sums->all), comm, all_ranks);
    return request.header(message->header(y.extent(0)), y, request.depth(x) > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_whole(space, request.beta, y);
  reduce_words(comm, all.sums(), *message, all_ranks);
  combine_entries(
      space, CombineEntry<Y, Sums::per_row == 2, typename Y::memory_space>{*sums, {request.alpha, request.beta}, y});
}

/// The real operands of a product on a host.
template <class Space, class A, class X, class Y>
class HostProduct {
 public:
  using R = RealEntryOf<Y>;
  using Sums = PartialSums<false, Kokkos::HostSpace>;
  using Message = MessageOf<typename Sums::View>;

  HostProduct(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a, X const& x,
              Y const& y)
      : rows(y.extent(0)),
        columns(request.depth(x)),
        m_comm(comm),
        m_space(space),
        m_epilogue(request.alpha, request.beta),
        m_x(x),
        m_y(y) {
    auto const entries = strided(a, !request.trans.is('N'));
    m_matrix = {entries.data, entries.row_stride, entries.column_stride};
  }

  std::size_t const rows, columns;

  /// Once it is known that the operands fit.
  void take_x() {
    if (columns > 0) m_entries = m_copy.emplace(m_space, m_x).data();
  }

  RowEnclosures enclosures() const { return {m_space, m_matrix, m_entries, rows, columns}; }
  void enclose(Sums const& sums, std::int32_t* bounds) const {
    if (matrix_kernels().has_enclosures && columns >= columns_worth_enclosures) {
      enclose_rows(m_space, m_matrix, m_entries, columns, sums, bounds);
    } else {
      sum_rows(
          m_space, m_matrix, m_entries, columns, [](std::size_t i) { return i; }, sums);
    }
  }

  EntryEpilogue const& epilogue() const { return m_epilogue; }
  R rounded(ExactProducts const& sum, std::size_t i) const {
    return m_epilogue.template exactly<R>(sum, m_epilogue.old_part(m_y(i), false), 1);
  }

  /// Some rows exactly, the same ones on all ranks.
  void add_exactly(std::vector<std::size_t> const& rows_left, R* results) const {
    std::size_t const* const numbers = rows_left.data();
    std::optional<Sums> exact;
    reduce_words_of<Message>(m_comm, rows_left.size(), all_ranks, [&, this] {
      exact.emplace(rows_left.size());
      sum_rows(
          m_space, m_matrix, m_entries, columns, [=](std::size_t i) { return numbers[i]; }, *exact);
      return typename Message::Sums(exact->all);
    });
    for_each("Exakt::Mpi::gemv::round", rows_left.size(), 4,
             [&, this](std::size_t k) { results[numbers[k]] = rounded(exact->at(k), numbers[k]); });
  }

 private:
  Communicator const& m_comm;
  Space const& m_space;
  EntryEpilogue m_epilogue;
  X const& m_x;
  Y const& m_y;
  Strided<EntryOf<A> const> m_matrix{};
  std::optional<VectorOfDoubles<Space, X>> m_copy;
  double const* m_entries = nullptr;
};

/// \brief The same on hosts, real: enclosures first, exact sums for the rows that they do not decide.
template <class Space, class A, class X, class Y>
void reduce_enclosures(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a,
                       X const& x, Y const& y) {
  using Product = HostProduct<Space, A, X, Y>;
  using Message = typename Product::Message;
  std::optional<Product> product;
  std::optional<typename Product::Sums> sums;
  std::optional<Message> message;
  std::vector<std::int32_t> bounds;
  std::vector<typename Product::R> results;
  std::vector<char> decided;
  std::vector<std::size_t> undecided;
  std::size_t const rows = y.extent(0);
  auto const all = agree(comm, same_in_gemv, "y", rows, [&] {
    request.require_operands(a, x, y);
    space.fence();
    product.emplace(comm, space, request, a, x, y).take_x();
    sums.emplace(rows);
    bounds.assign(rows, no_bound);
    results.resize(rows);
    decided.resize(rows);
    undecided.reserve(rows);
    product->enclose(*sums, bounds.data());
    message.emplace(typename Message::Sums(sums->all), comm, all_ranks);
    return request.header(message->header(rows), y, product->columns > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_whole(space, request.beta, y);
  reduce_words(comm, all.sums(), *message, all_ranks);
  allreduce_in_place(comm, bounds.data(), rows, MPI_INT32_T, MPI_MAX);

  for_each("Exakt::Mpi::gemv::round", rows, 4, [&](std::size_t i) {
    if (bounds[i] == unknown_bound) return;
    ExactProducts low = sums->at(i), high = low;
    auto const ranks = static_cast<std::uint64_t>(comm.size());
    if (bounds[i] != no_bound) {
      low.add_scaled(ranks, bounds[i], true);
      high.add_scaled(ranks, bounds[i], false);
    }
    results[i] = product->rounded(low, i);
    decided[i] = bounds[i] == no_bound || bits_of(results[i]) == bits_of(product->rounded(high, i));
  });
  for (std::size_t i = 0; i < rows; ++i)
    if (decided[i] == 0) undecided.push_back(i);
  if (agree_on_rows(comm, undecided) > 0) product->add_exactly(undecided, results.data());
  for (std::size_t i = 0; i < rows; ++i) y(i) = results[i];
}

/// The same answer on all ranks, if y is as long on all of them.
inline bool worth_gathering(Communicator const& comm, std::size_t rows) {
  constexpr std::size_t most_rows = std::size_t{1} << 28;  // MPI counts with an int
  return comm.size() <= EnclosedContribution::most_gathered && rows <= most_rows;
}

/// \brief The same for few ranks, which tell each other their enclosures, 24 bytes for each y(i): a kernel adds them up
/// and decides.
///
/// Ranks with processors of different kinds may find different rows undecided; those of any of them are added exactly.
template <class Space, class A, class X, class Y>
void gather_enclosures(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a,
                       X const& x, Y const& y) {
  using Product = HostProduct<Space, A, X, Y>;
  using R = typename Product::R;
  constexpr std::size_t numbers = 3, word_bits = 64, rows_at_once = 16 * word_bits;
  std::optional<Product> product;
  std::vector<double> mine, parts;
  std::vector<R> results;
  // A bit for each row that is not decided.
  std::vector<std::uint64_t> undecided;
  std::vector<std::size_t> rows_left;
  std::size_t const rows = y.extent(0), ranks = static_cast<std::size_t>(comm.size());
  Pieces const blocks{{0, rows}, rows_at_once};
  auto const arrays_of = [=](std::vector<double>& sums, std::size_t rank) {
    double* const first = sums.data() + rank * numbers * rows;
    return EnclosureArrays{first, first + rows, first + 2 * rows};
  };
  auto const all = agree(comm, same_in_gemv, "y", rows, [&] {
    request.require_operands(a, x, y);
    space.fence();
    product.emplace(comm, space, request, a, x, y).take_x();
    mine.resize(numbers * rows);
    parts.resize(ranks * mine.size());
    results.resize(rows);
    undecided.resize((rows + word_bits - 1) / word_bits);
    rows_left.reserve(rows);
    if (product->columns > 0) {
      RowEnclosures const enclosures = product->enclosures();
      for_each_task("Exakt::Mpi::gemv::add_up", space, blocks.count(), true, [&](std::size_t block) {
        for (std::size_t i = blocks[block].begin; i < blocks[block].end; ++i) {
          Enclosure sum = enclosures.part(0, i);
          for (std::size_t part = 1; part < enclosures.parts(); ++part) add_enclosure(sum, enclosures.part(part, i));
          arrays_of(mine, 0).set(i, sum);
        }
      });
    }
    auto const header = Header::of<ExactProducts>(rows, Method::words);
    return request.header(header, y, product->columns > 0);
  });
  if (all.greatest[ProductHeader::has_products] == 0) return scale_whole(space, request.beta, y);
  int const count = static_cast<int>(mine.size());
  comm.check("MPI_Allgather", MPI_Allgather(mine.data(), count, MPI_INT64_T, parts.data(), count, MPI_INT64_T, comm));

  MatrixKernelsOf<R> const& kernels = matrix_kernels();
  for_each_task("Exakt::Mpi::gemv::round", space, blocks.count(), true, [&](std::size_t block) {
    Span const some = blocks[block];
    EnclosureArrays const total = arrays_of(parts, 0).from(some.begin);
    for (std::size_t rank = 1; rank < ranks; ++rank) {
      EnclosureArrays const part = arrays_of(parts, rank).from(some.begin);
      for (std::size_t i = 0; i < some.size(); ++i) {
        Enclosure sum = total.get(i);
        add_enclosure(sum, part.get(i));
        total.set(i, sum);
      }
    }
    if (product->epilogue().reads_y) {
      for (std::size_t i = some.begin; i < some.end; ++i) results[i] = y(i);
    }
    int open[rows_at_once];
    int const others = kernels.try_round(product->epilogue(), total, 1, static_cast<int>(some.size()),
                                         results.data() + some.begin, 1, open);
    for (int k = 0; k < others; ++k) {
      std::size_t const i = some.begin + static_cast<std::size_t>(open[k]);
      undecided[i / word_bits] |= std::uint64_t{1} << i % word_bits;
    }
  });
  allreduce_in_place(comm, undecided.data(), undecided.size(), MPI_UINT64_T, MPI_BOR);

  for (std::size_t i = 0; i < rows; ++i)
    if ((undecided[i / word_bits] >> i % word_bits & 1) != 0) rows_left.push_back(i);
  if (!rows_left.empty()) product->add_exactly(rows_left, results.data());
  for (std::size_t i = 0; i < rows; ++i) y(i) = results[i];
}

/// \brief A product each of whose y(i) is of one rank.
template <class Space, class F, class A, class X, class G, class Y>
void multiply_local(Communicator const& comm, Space const& space, ProductRequest const& request, F const& alpha,
                    A const& a, X const& x, G const& beta, Y const& y) {
  agree(comm, same_in_gemv, "x", x.extent(0), [&] {
    request.require_operands(a, x, y);
    space.fence();
    auto const header = Header::of<ExactProducts>(x.extent(0), Method::words);
    return request.header(header, y, true);
  });
  Exakt::gemv(space, request.trans, alpha, a, x, beta, y);
  space.fence();
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
