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

#include <ExaktBlas2_gemv.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

namespace Exakt::Mpi {

/// \brief How a matrix is spread over the ranks.
enum class Distribution {
  rows,    ///< A rank has some of the rows, whole.
  columns  ///< A rank has some of the columns, whole.
};

namespace Impl::inline EXAKT_ABI {

using Exakt::Impl::ExactProducts;

/// \brief What the ranks learn of each other before a product is reduced, or written: the greatest of each word.
struct ProductHeader {
  enum { request = Header::length, minus_request, has_products, failed, length };
  std::int64_t greatest[length];

  /// \param request  A number for all that must be the same on all ranks.
  static ProductHeader of(Header const& sums, std::int64_t request, bool has_products) {
    ProductHeader header{};
    std::copy_n(sums.greatest, Header::length, header.greatest);
    header.greatest[ProductHeader::request] = request;
    header.greatest[minus_request] = -request;
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

/// \brief Lets every rank say what it has, a rank that fails too: the others would wait for it forever.
///
/// \param whole  Name of the vector that all ranks have, and `length` its number of entries.
/// \param local  Makes this rank's header.
/// \throws  On a rank that failed whatever it failed with, on the others std::invalid_argument.
template <class Local>
ProductHeader agree(Communicator const& comm, char const* whole, std::size_t length, Local const& local) {
  ProductHeader header;
  std::exception_ptr failure;
  try {
    header = local();
  } catch (...) {
    failure = std::current_exception();
    header = ProductHeader::of_failure();
  }
  reduce_in_place(comm, header.greatest, ProductHeader::length, MPI_INT64_T, MPI_MAX, all_ranks);
  if (failure) std::rethrow_exception(failure);
  if (header.greatest[ProductHeader::failed] != 0)
    comm.refuse("another rank refused its operands or failed; it says why");
  if (header.greatest[ProductHeader::request] != -header.greatest[ProductHeader::minus_request])
    comm.refuse("all ranks must give the same distribution, trans, alpha and beta, and all a real or all a complex y");
  header.sums().require_agreement(comm, whole, length);
  return header;
}

/// \brief What gemv is asked for, but for the operands.
struct ProductRequest {
  Distribution distribution;
  Exakt::Impl::Mode trans;
  Exakt::Impl::Factor alpha, beta;

  /// Whether each y(i) is a sum across ranks: its terms are split, and not the y(i).
  bool splits_sums() const { return (distribution == Distribution::columns) == trans.is('N'); }

  /// How many products this rank adds to each y(i): none, without a look at them, if alpha is zero.
  template <class X>
  std::size_t depth(X const& x) const {
    return alpha.is_zero() ? 0 : x.extent(0);
  }

  template <class Y>
  ProductHeader header(Header const& sums, bool has_products) const {
    return ProductHeader::of(sums, number(Exakt::Impl::has_complex_entries<Y>), has_products);
  }

  template <class A, class X, class Y>
  void require_operands(A const& a, X const& x, Y const& y) const {
    using namespace Exakt::Impl;
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
  std::int64_t number(bool complex) const {
    using Exakt::Impl::bits_of;
    std::uint64_t const mode = trans.is('N') ? 0 : trans.is('T') ? 1 : 2;
    std::uint64_t const parts[] = {static_cast<std::uint64_t>(distribution),
                                   mode,
                                   bits_of(alpha.real),
                                   bits_of(alpha.imaginary),
                                   bits_of(beta.real),
                                   bits_of(beta.imaginary),
                                   alpha.is_complex,
                                   beta.is_complex,
                                   complex};
    std::uint64_t number = 0;
    for (std::uint64_t const part : parts) {  // an odd factor and a shift: two that differ in one part stay different
      number = (number ^ part) * 0x9e3779b97f4a7c15u;
      number ^= number >> 29;
    }
    return static_cast<std::int64_t>(number >> 1);
  }
};

/// \brief The sums of this rank, one for each y(i): real parts first, then the imaginary parts if there are any.
template <bool complex, class MemorySpace>
struct PartialSums {
  static constexpr std::size_t per_row = complex ? 2 : 1;
  using View = Kokkos::View<ExactProducts*, MemorySpace>;
  View all;
  std::size_t rows;

  explicit PartialSums(std::size_t count) : all("Exakt::Mpi::gemv::sums", per_row * count), rows(count) {}
  KOKKOS_FORCEINLINE_FUNCTION ExactProducts& real(std::size_t i) const { return all(i); }
  KOKKOS_FORCEINLINE_FUNCTION ExactProducts& imaginary(std::size_t i) const { return all(rows + i); }
};

/// A row by one team.
template <class Member, class A, class X, bool complex, class MemorySpace>
struct TeamPartialSums {
  Exakt::Impl::Operated<A> matrix;
  X x;
  PartialSums<complex, MemorySpace> sums;

  KOKKOS_INLINE_FUNCTION void operator()(Member const& member) const {
    using Parts = Exakt::Impl::ExactParts<complex>;
    auto const i = static_cast<std::size_t>(member.league_rank());
    Parts sum;
    Kokkos::parallel_reduce(
        Kokkos::TeamVectorRange(member, matrix.columns()),
        [&](std::size_t j, Parts& partial) { partial.add_product(matrix.entry(i, j), x(j)); }, Reducer<Parts>(sum));
    Kokkos::single(Kokkos::PerTeam(member), [&] {
      sums.real(i) = sum.real.normalized();
      if constexpr (complex) sums.imaginary(i) = sum.imaginary.normalized();
    });
  }
};

/// The path of devices; it runs on any space.
template <class Space, class A, class X, bool complex, class MemorySpace>
void sum_by_teams(Space const& space, Exakt::Impl::Operated<A> const& matrix, X const& x,
                  PartialSums<complex, MemorySpace> const& sums) {
  using Policy = Kokkos::TeamPolicy<Space>;
  if (sums.rows == 0) return;
  using Kernel = TeamPartialSums<typename Policy::member_type, A, X, complex, MemorySpace>;
  Kokkos::parallel_for("Exakt::Mpi::gemv", Policy(space, static_cast<int>(sums.rows), Kokkos::AUTO),
                       Exakt::Impl::held(Kernel{matrix, x, sums}));
  space.fence();
}

/// \brief How the threads share rows and columns: where blocks of rows are too few for them, in parts of the columns.
struct Shares {
  std::size_t rows, columns, block, blocks, parts;
  bool threaded;

  Shares(std::size_t threads, std::size_t row_count, std::size_t column_count, std::size_t block_of_rows)
      : rows(row_count),
        columns(column_count),
        block(block_of_rows),
        blocks((rows + block - 1) / block),
        parts(1),
        threaded(rows * columns >= Exakt::Impl::products_worth_threads && threads > 1) {
    constexpr std::size_t least_part = 16'384;
    if (blocks < 2 * threads && threaded) parts = std::max(std::size_t{1}, std::min(4 * threads, columns / least_part));
  }
  Exakt::Impl::Span rows_of(std::size_t task) const {
    std::size_t const begin = task % blocks * block;
    return {begin, std::min(rows, begin + block)};
  }
  std::size_t part_of(std::size_t task) const { return task / blocks; }
  Exakt::Impl::Span columns_of(std::size_t task) const {
    return {part_of(task) * columns / parts, (part_of(task) + 1) * columns / parts};
  }
};

/// \brief Rows of a real matrix, on hosts, exactly.
/// \param row  From the index of a sum to the number of its row.
template <class Space, class T, class Row, class Sums>
void sum_rows(Space const& space, Exakt::Impl::Strided<T const> const& A, double const* x, std::size_t columns,
              Row const& row, Sums const& sums) {
  using namespace Exakt::Impl;
  std::size_t const rows = sums.rows;
  Shares const shares(static_cast<std::size_t>(space.concurrency()), rows, columns, exact_rows_at_once);
  std::size_t const parts = shares.parts;
  // Part 0 goes to its place, the others wait.
  auto const waiting = std::make_unique<ExactProducts[]>((parts - 1) * rows);
  auto const place = [first = sums.all.data(), others = waiting.get(), rows](std::size_t part) {
    return part == 0 ? first : others + (part - 1) * rows;
  };
  for_each_task("Exakt::Mpi::gemv", space, shares.blocks * parts, shares.threaded, [=](std::size_t task) {
    Span const some = shares.rows_of(task);
    std::size_t numbers[exact_rows_at_once];
    int count = 0;
    for (std::size_t i = some.begin; i < some.end; ++i) numbers[count++] = row(i);
    add_exactly(A, x, numbers, count, shares.columns_of(task), place(shares.part_of(task)) + some.begin);
  });
  for (std::size_t part = 1; part < parts; ++part)
    for (std::size_t i = 0; i < rows; ++i) sums.real(i) += place(part)[i];
}

/// Exponents of bounds: none is needed, and nothing is known.
inline constexpr std::int32_t no_bound = std::numeric_limits<std::int32_t>::min(),
                              unknown_bound = std::numeric_limits<std::int32_t>::max();
/// Fewer of this rank are added exactly in no more time.
inline constexpr std::size_t columns_worth_enclosures = 32;

/// \brief Rows of a real matrix, on hosts: sums that are known up to bounds.
/// \param bounds  Each sum is within 2^bound of the exact one.
template <class Space, class T, class Sums>
void enclose_rows(Space const& space, Exakt::Impl::Strided<T const> const& A, double const* x, std::size_t columns,
                  Sums const& sums, std::int32_t* bounds) {
  using namespace Exakt::Impl;
  MatrixVector<T, double> const product{A, x, columns, {}, nullptr, 0};
  auto const threads = static_cast<std::size_t>(space.concurrency());
  std::size_t const rows = sums.rows, wanted = rows / (4 * threads) / 8 * 8,
                    block = std::clamp<std::size_t>(wanted, 32, product.largest_block);
  Shares const shares(threads, rows, columns, block);
  auto const enclosures = std::make_unique<Enclosure[]>(shares.parts * rows);
  for_each_task("Exakt::Mpi::gemv::enclosure", space, shares.blocks * shares.parts, shares.threaded,
                [=, waiting = enclosures.get()](std::size_t task) {
                  Span const some = shares.rows_of(task);
                  EncloseBlock<product.largest_block> of_block(some.size());
                  product.enclose(some, shares.columns_of(task), of_block.arrays());
                  for (std::size_t i = 0; i < some.size(); ++i)
                    waiting[shares.part_of(task) * rows + some.begin + i] = of_block.arrays().get(i);
                });
  for_each("Exakt::Mpi::gemv::add_up", rows, 1, [=, enclosures = enclosures.get()](std::size_t i) {
    double bound = 0;
    bool is_known = true;
    for (std::size_t part = 0; part < shares.parts; ++part) {
      Enclosure const& sum = enclosures[part * rows + i];
      is_known = is_known && is_finite(sum.high) && is_finite(sum.low) && is_finite(sum.bound);
      if (!is_known) break;
      sums.real(i) += sum.high;
      sums.real(i) += sum.low;
      bound += sum.bound;
    }
    if (!is_known) sums.real(i).clear();
    // One more, for the roundings of the bound.
    bounds[i] = !is_known || !is_finite(bound) ? unknown_bound : bound == 0 ? no_bound : exponent_above(bound) + 1;
  });
}

/// \brief Lets the ranks see that they have the same rows to do again, as they must have if y is the same on all.
/// \return How many.
inline std::size_t agree_on_rows(Communicator const& comm, std::vector<std::size_t> const& rows) {
  std::uint64_t number = rows.size();
  for (std::uint64_t const row : rows) {
    number = (number ^ row) * 0x9e3779b97f4a7c15u;
    number ^= number >> 29;
  }
  auto const checksum = static_cast<std::int64_t>(number >> 1);
  std::int64_t greatest[] = {checksum, -checksum};
  reduce_in_place(comm, greatest, 2, MPI_INT64_T, MPI_MAX, all_ranks);
  if (greatest[0] != -greatest[1]) comm.refuse("y must have the same entries on all ranks");
  return rows.size();
}

/// The exact sums of op(A) x for this rank, complex or on a device.
template <class Space, class A, class X, bool complex, class MemorySpace>
void sum_products(Space const& space, Exakt::Impl::Mode trans, A const& a, X const& x,
                  PartialSums<complex, MemorySpace> const& sums) {
  using namespace Exakt::Impl;
  Operated<A> const matrix(a, trans);
  if constexpr (!runs_on_host<Space>) {
    sum_by_teams(space, matrix, x, sums);
  } else {
    for_each_task("Exakt::Mpi::gemv", space, sums.rows, sums.rows * x.extent(0) > 1000, [=](std::size_t i) {
      auto const sum = sum_of_complex_products([&](std::size_t j) { return matrix.entry(i, j); },
                                               [&](std::size_t j) { return x(j); }, matrix.columns());
      sums.real(i) = sum.real;
      sums.imaginary(i) = sum.imaginary;
    });
  }
}

/// \brief y(i) from the exact sums of all ranks.
template <class Y, bool complex, class MemorySpace>
struct CombineEntry {
  PartialSums<complex, MemorySpace> sums;
  Exakt::Impl::Factor alpha, beta;
  Y y;

  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    using namespace Exakt::Impl;
    using Entry = EntryOf<Y>;
    using R = RealEntryOf<Y>;
    bool const reads_y = !beta.is_zero();
    if constexpr (complex) {
      auto const result = combine_complex<R>(alpha, sums.real(i), sums.imaginary(i), beta,
                                             reads_y ? exact_double(Scalar<Entry>::real(y(i))) : 0,
                                             reads_y ? exact_double(Scalar<Entry>::imaginary(y(i))) : 0);
      y(i) = Entry(result.real(), result.imag());
    } else {
      Epilogue const epilogue{alpha.real, beta.real, reads_y, false};
      y(i) = epilogue.template exactly<R>(sums.real(i), reads_y ? exact_double(y(i)) : 0, 1);
    }
  }
};

template <class Space, class Y, bool complex, class MemorySpace>
void combine_entries(Space const& space, CombineEntry<Y, complex, MemorySpace> const& combine) {
  std::size_t const n = combine.sums.rows;
  if (Exakt::Impl::runs_on_host<Space> && n < 64) {
    for (std::size_t i = 0; i < n; ++i) combine(i);
  } else {
    Kokkos::parallel_for("Exakt::Mpi::gemv::round",
                         Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(space, 0, n),
                         Exakt::Impl::held(combine));
    space.fence();
  }
}

/// \brief y := beta*y on every rank, where no rank has anything to add.
template <class Space, class Y>
void scale_whole(Space const& space, Exakt::Impl::Factor const& beta, Y const& y) {
  Exakt::Impl::scale_entries("Exakt::Mpi::gemv::scale", space, beta, y);
  space.fence();
}

/// \brief A product each of whose y(i) is a sum across ranks; complex or on a device.
template <class Space, class A, class X, class Y>
void reduce_exactly(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a, X const& x,
                    Y const& y) {
  using Sums = PartialSums<Exakt::Impl::has_complex_entries<Y>, typename Y::memory_space>;
  using Message = MessageOf<typename Sums::View>;
  std::optional<Sums> sums;
  std::optional<Message> message;
  auto const all = agree(comm, "y", y.extent(0), [&] {
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
  combine_entries(space,
                  CombineEntry<Y, Sums::per_row == 2, typename Y::memory_space>{*sums, request.alpha, request.beta, y});
}

/// \brief The same on hosts, real: enclosures first, exact sums for the rows that they do not decide.
template <class Space, class A, class X, class Y>
void reduce_enclosures(Communicator const& comm, Space const& space, ProductRequest const& request, A const& a,
                       X const& x, Y const& y) {
  using namespace Exakt::Impl;
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
  auto const all = agree(comm, "y", rows, [&] {
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

  bool const reads_y = !request.beta.is_zero();
  Epilogue const epilogue{request.alpha.real, request.beta.real, reads_y, false};
  auto const old_y = [=](std::size_t i) { return reads_y ? exact_double(y(i)) : 0; };
  std::vector<R> results(rows);
  std::vector<char> decided(rows);
  for_each("Exakt::Mpi::gemv::round", rows, 4, [&](std::size_t i) {
    if (bounds[i] == unknown_bound) return;
    ExactProducts low = sums->real(i), high = low;
    auto const ranks = static_cast<std::uint64_t>(comm.size());
    if (bounds[i] != no_bound) {
      low.add_scaled(ranks, bounds[i], true);
      high.add_scaled(ranks, bounds[i], false);
    }
    results[i] = epilogue.template exactly<R>(low, old_y(i), 1);
    decided[i] =
        bounds[i] == no_bound || bits_of(results[i]) == bits_of(epilogue.template exactly<R>(high, old_y(i), 1));
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
    for_each("Exakt::Mpi::gemv::round", undecided.size(), 4, [&](std::size_t k) {
      results[numbers[k]] = epilogue.template exactly<R>(exact.real(k), old_y(numbers[k]), 1);
    });
  }
  for (std::size_t i = 0; i < rows; ++i) y(i) = results[i];
}

/// \brief A product each of whose y(i) is of one rank.
template <class Space, class F, class A, class X, class G, class Y>
void multiply_local(Communicator const& comm, Space const& space, ProductRequest const& request, F const& alpha,
                    A const& a, X const& x, G const& beta, Y const& y) {
  agree(comm, "x", x.extent(0), [&] {
    request.require_operands(a, x, y);
    auto const header = Header::of<ExactProducts>(x.extent(0), Method::words, Words<ExactProducts>::no_digits, false);
    return request.header<Y>(header, true);
  });
  Exakt::gemv(space, request.trans, alpha, a, x, beta, y);
  space.fence();
}

}  // namespace Impl::inline EXAKT_ABI
}  // namespace Exakt::Mpi

#endif
