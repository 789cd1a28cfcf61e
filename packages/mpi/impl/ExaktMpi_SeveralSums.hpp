// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_SEVERALSUMS_HPP
#define EXAKTMPI_SEVERALSUMS_HPP

/// \file
/// \brief Some accumulators, perhaps of different types, in one message without a header.

#include "ExaktMpi_Operation.hpp"
#include "ExaktMpi_Sums.hpp"
#include "ExaktMpi_Words.hpp"

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// An argument that is one of them.
template <class S>
concept MergeableArgument = std::is_lvalue_reference_v<S> && Mergeable<std::remove_reference_t<S>>;

/// \brief Accumulators one behind the other, which merge one by one. (A std::tuple is not trivially copyable.)
template <class...>
struct SeveralSums {
  SeveralSums& operator+=(SeveralSums const&) { return *this; }
  void write_to() const {}
};
template <class First, class... Rest>
struct SeveralSums<First, Rest...> {
  First first;
  SeveralSums<Rest...> rest;

  SeveralSums() = default;
  explicit SeveralSums(First const& one, Rest const&... others) : first(one), rest(others...) {}

  SeveralSums& operator+=(SeveralSums const& other) {
    first += other.first;
    rest += other.rest;
    return *this;
  }
  void write_to(First& one, Rest&... others) const {
    one = first;
    rest.write_to(others...);
  }
};

/// The words of some long accumulators, all their digits.
template <class... Long>
void reduce_words_together(Communicator const& comm, Long&... sums) {
  std::int64_t words[(0 + ... + (Words<Long>::at_most + 1))];
  int length = 0;
  auto const pack = [&]<class L>(L& sum) {
    Words<L> const format(comm.size());
    int const width = format.per_sum();
    words[length + width] = format.prepare(sum);
    format.pack(sum, L::all_digits, words + length);
    length += width + 1;
  };
  (pack(sums), ...);
  allreduce_in_place(comm, words, length, MPI_INT64_T, MPI_SUM);
  int begin = 0;
  auto const unpack = [&]<class L>(L& sum) {
    Words<L> const format(comm.size());
    int const width = format.per_sum();
    format.unpack(words + begin, L::all_digits, sum);
    Words<L>::unpack_special(words[begin + width], sum);
    begin += width + 1;
  };
  (unpack(sums), ...);
}

/// \brief By words if each is a long accumulator, else whole: an operation that merges them all.
template <class... Travelling>
void reduce_together(Communicator const& comm, Travelling&... sums) {
  if (comm.size() == 1) return;
  if constexpr ((is_long_v<Travelling> && ...)) {
    reduce_words_together(comm, sums...);
  } else {
    using Several = SeveralSums<Travelling...>;
    Several total(sums...);
    auto const& operation = Operation<Several>::get(comm);
    allreduce_in_place(comm, &total, 1, operation.type, operation.op);
    total.write_to(sums...);
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
