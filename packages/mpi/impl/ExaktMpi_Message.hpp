// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_MESSAGE_HPP
#define EXAKTMPI_MESSAGE_HPP

/// \file
/// \brief From accumulators to one message, and from the reduced message back to accumulators.
///
/// One accumulator is one message. For many there is a message of a few words before, in which the ranks learn whether
/// they agree on how many, and which digits are in use anywhere: often 3 of 39, and only those travel.

#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_Operation.hpp"
#include "ExaktMpi_Sums.hpp"
#include "ExaktMpi_Words.hpp"

#include <parallel/Exakt_ScratchMemory.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief What the ranks tell each other before they send many sums; the greatest of each entry is what all learn.
struct Header {
  static constexpr int length = 7;
  static constexpr std::int64_t failed = std::numeric_limits<std::int64_t>::max();  // for the kind
  std::int64_t greatest[length];

  template <class Long>
  static Header of(std::size_t count, Method method, DigitRange digits, bool any_special) {
    auto const n = static_cast<std::int64_t>(count);
    Checksum sum;
    sum.add_types<Long>();
    sum.add(static_cast<std::uint64_t>(method));
    std::int64_t const kind = sum.value();
    return {{n, -n, kind, -kind, digits.end, -digits.begin, any_special}};
  }

  /// Of a rank that has nothing to send.
  static Header of_failure() {
    constexpr std::int64_t any = std::numeric_limits<std::int64_t>::min();
    return {{any, any, failed, failed, any, any, any}};
  }

  /// What goes to one rank goes to the same one from all.
  void add_root(int root) {
    Checksum both;
    both.add(static_cast<std::uint64_t>(greatest[2]));
    both.add(static_cast<std::uint64_t>(root));
    greatest[2] = both.value();
    greatest[3] = -greatest[2];
  }

  DigitRange digits() const { return {static_cast<int>(-greatest[5]), static_cast<int>(greatest[4])}; }
  bool any_special() const { return greatest[6] != 0; }

  /// \param operand  What has `count` entries.
  /// \throws std::invalid_argument  On every rank, if one has another number of sums, another type, method or root, or failed.
  void require_agreement(Communicator const& comm, char const* operand, std::size_t count, int root = all_ranks) const {
    if (greatest[2] == failed) comm.refuse(failed_elsewhere);
    std::int64_t const most = greatest[0], least = -greatest[1];
    if (most != least) {
      comm.refuse(std::string(operand) + " has " + std::to_string(count) + (count == 1 ? " entry" : " entries") +
                  " on rank " + std::to_string(comm.rank()) + ", from " + std::to_string(least) + " to " +
                  std::to_string(most) + " on the " + std::to_string(comm.size()) +
                  " ranks; all must have the same number");
    }
    if (greatest[2] != -greatest[3])
      comm.refuse(std::string("all ranks must give the same type of accumulators and the same method") +
                  (root == all_ranks ? "" : ", and the same root"));
  }
};

/// \brief Reduces any number of entries: MPI counts with an int.
template <class T>
void reduce_many(Communicator const& comm, T* buffer, std::size_t n, MPI_Datatype type, MPI_Op op, int root) {
  constexpr std::size_t at_once = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < n; i += at_once)
    reduce_in_place(comm, buffer + i, static_cast<int>(std::min(at_once, n - i)), type, op, root);
}

/// \brief The words of sums: of those digits only that are in use on some rank.
///
/// The sums are prepared where they are, which changes no value; they are read and written again when the message is.
template <class SumsOfUser>
class WordMessage {
 public:
  using Sums = SumsOfUser;

 private:
  using Long = TravellingOf<typename Sums::type>;
  using Format = Words<Long>;

 public:
  /// Prepares the sums, and finds out what they use.
  WordMessage(Sums const& sums, int ranks) : m_sums(sums), m_format(ranks) {
    constexpr std::size_t per_block = 64;
    std::size_t const n = m_sums.size(), blocks = (n + per_block - 1) / per_block;
    auto const uses = std::make_unique<Use[]>(blocks);
    for_each("Exakt::Mpi::prepare", blocks, per_block, [this, n, uses = uses.get()](std::size_t i) {
      uses[i] = prepare(i * per_block, std::min(n, (i + 1) * per_block));
    });
    for (std::size_t i = 0; i < blocks; ++i) {
      m_use.digits.begin = std::min(m_use.digits.begin, uses[i].digits.begin);
      m_use.digits.end = std::max(m_use.digits.end, uses[i].digits.end);
      m_use.any_special = m_use.any_special || uses[i].any_special;
    }
  }

  Header header() const { return header(m_sums.size()); }
  /// \param count  What the ranks have to agree on.
  Header header(std::size_t count) const {
    return Header::of<Long>(count, Method::words, m_use.digits, m_use.any_special);
  }

  /// \brief Packs what is in use on any rank.
  void pack(Header const& all) { pack({all.digits(), all.any_special()}); }
  /// \brief Packs everything, without asking what is in use.
  void pack_all() { pack({Long::all_digits, true}); }

  std::size_t count() const { return m_sums.size(); }
  std::int64_t* words() const { return reinterpret_cast<std::int64_t*>(m_words->data()); }
  std::size_t length() const { return m_sums.size() * (width() + (m_use.any_special ? 1 : 0)); }

  void reduce(Communicator const& comm, int root) { reduce_many(comm, words(), length(), MPI_INT64_T, MPI_SUM, root); }

  void unpack() const {
    for_each("Exakt::Mpi::unpack", m_sums.size(), 1,
             [this, format = m_format, width = width(), digits = m_use.digits](std::size_t i) {
               Long& sum = travelling(i);
               format.unpack(words() + i * width, digits, sum);
               if (m_use.any_special) Format::unpack_special(*special(i), sum);
             });
    m_sums.write_back();
  }

 private:
  struct Use {
    DigitRange digits = Long::no_digits;
    bool any_special = false;
  };

  std::size_t width() const {
    return static_cast<std::size_t>(m_use.digits.size()) * static_cast<std::size_t>(m_format.per_digit());
  }
  Long& travelling(std::size_t i) const { return Travelling<typename Sums::type>::of(m_sums[i]); }
  std::int64_t* special(std::size_t i) const { return words() + m_sums.size() * width() + i; }

  /// The sum, as far as one reads of which no other digits are in use.
  void prefetch_sum(std::size_t i, DigitRange digits) const {
    auto const* const bytes = reinterpret_cast<char const*>(&m_sums[i]);
    constexpr std::size_t line = 64, digit = sizeof(std::int64_t);
    constexpr std::size_t behind = std::min(sizeof(Long) + line, sizeof(m_sums[i]));  // the filter of an Accumulator
    auto const prefetch = [bytes](std::size_t begin, std::size_t end) {
      for (std::size_t offset = begin; offset < end; offset += line) Exakt::Impl::prefetch(bytes + offset);
    };
    if (digits.size() > 0)
      prefetch(static_cast<std::size_t>(digits.begin) * digit, static_cast<std::size_t>(digits.end) * digit);
    prefetch((Long::digit_count - 1) * digit, behind);
  }

  Use prepare(std::size_t begin, std::size_t end) const {
    Use use;
    UsedDigits<Long> used;
    DigitRange digits = Long::all_digits;  // of the sum before
    constexpr std::size_t ahead = 2;       // too short for the hardware to see a stream
    for (std::size_t i = begin; i < end; ++i) {
      if (i + ahead < end) prefetch_sum(i + ahead, digits);
      Long& sum = Travelling<typename Sums::type>::of(m_sums[i], digits);
      use.any_special = m_format.prepare(sum, digits) != 0 || use.any_special;
      used.add(sum, digits);
    }
    use.digits = used.range();
    return use;
  }

  void pack(Use const& use) {
    m_use = use;
    m_words.emplace(Kokkos::DefaultHostExecutionSpace(), length() * sizeof(std::int64_t));
    for_each("Exakt::Mpi::pack", m_sums.size(), 1,
             [this, format = m_format, width = width(), digits = m_use.digits](std::size_t i) {
               Long& sum = travelling(i);
               format.pack(sum, digits, words() + i * width);
               if (m_use.any_special) *special(i) = format.prepare(sum);
             });
  }

  Sums m_sums;
  Format m_format;
  Use m_use;
  std::optional<Exakt::Impl::ScratchMemory<Kokkos::DefaultHostExecutionSpace>> m_words;
};

/// \brief The sums themselves, in a buffer of their own.
template <class Sums>
class AccumulatorMessage {
  using A = typename Sums::type;

 public:
  using Element = TravellingOf<A>;

  explicit AccumulatorMessage(Sums const& sums) : m_sums(sums), m_elements(std::make_unique<Element[]>(sums.size())) {
    for_each("Exakt::Mpi::pack", m_sums.size(), 1, [elements = elements(), to_pack = &m_sums](std::size_t i) {
      elements[i] = Travelling<A>::of((*to_pack)[i]);
    });
  }

  Header header() const { return Header::of<Element>(m_sums.size(), Method::accumulators, {0, 0}, false); }
  Element* elements() const { return m_elements.get(); }
  std::size_t length() const { return m_sums.size(); }

  void unpack() const {
    for_each("Exakt::Mpi::unpack", m_sums.size(), 1,
             [elements = elements(), sums = &m_sums](std::size_t i) { Travelling<A>::of((*sums)[i]) = elements[i]; });
    m_sums.write_back();
  }

 private:
  Sums m_sums;
  std::unique_ptr<Element[]> m_elements;
};

/// \brief Lets every rank say what it is about to send, a rank that fails too.
///
/// \param count  Of sums.
/// \param make   Makes this rank's header, or throws.
/// \return What all ranks use.
template <class Make>
Header agree_on_sums(Communicator const& comm, std::size_t count, int root, Make const& make) {
  Header header{};
  auto const failure = failure_of([&] {
    comm.require_root(root);
    header = make();
    header.add_root(root);
  });
  if (failure) header = Header::of_failure();
  reduce_in_place(comm, header.greatest, Header::length, MPI_INT64_T, MPI_MAX, all_ranks);
  if (failure) std::rethrow_exception(failure);
  header.require_agreement(comm, "the View", count, root);
  return header;
}

/// \tparam Message  WordMessage or DeviceMessage.
template <class Message>
void reduce_words(Communicator const& comm, Header const& header, Message& message, int root) {
  message.pack(header);
  message.reduce(comm, root);
  if (comm.receives(root)) message.unpack();
}
template <class Message>
void reduce_words(Communicator const& comm, Message& message, int root) {
  reduce_words(comm, agree_on_sums(comm, message.count(), root, [&] { return message.header(); }), message, root);
}

/// With a message that is yet to be made of the sums of a View.
template <class Message, class V>
void reduce_words_of(Communicator const& comm, V const& view, int root) {
  std::optional<Message> message;
  Header const header = agree_on_sums(comm, view.extent(0), root, [&] {
    message.emplace(typename Message::Sums(view), comm.size());
    return message->header();
  });
  reduce_words(comm, header, *message, root);
}

/// One sum: a message without a header, on the stack.
template <class A>
void reduce_single(Communicator const& comm, A& accumulator, Method method, int root) {
  using Long = TravellingOf<A>;
  Long& sum = Travelling<A>::of(accumulator);
  if (method == Method::accumulators) {
    Long total = sum;
    auto const& operation = Operation<Long>::get(comm);
    reduce_in_place(comm, &total, 1, operation.type, operation.op, root);
    if (comm.receives(root)) sum = total;
  } else if constexpr (is_long_v<Long>) {
    using Format = Words<Long>;
    Format const format(comm.size());
    std::int64_t words[Format::at_most + 1];
    int const width = format.per_sum();
    words[width] = format.prepare(sum);
    format.pack(sum, Long::all_digits, words);
    reduce_in_place(comm, words, width + 1, MPI_INT64_T, MPI_SUM, root);
    if (!comm.receives(root)) return;
    format.unpack(words, Long::all_digits, sum);
    Format::unpack_special(words[width], sum);
  }
}

template <class A>
void require_method(Communicator const& comm, Method method) {
  if (method == Method::words && !is_long_v<TravellingOf<A>>)
    comm.refuse("Method::words needs accumulators with a long accumulator; for this type use Method::accumulators");
}

/// \tparam Sums  Of the View; to make them is part of what may fail on one rank.
/// \throws std::invalid_argument  On all ranks, if one of them asks for what the others do not, or for a method that its sums do not
/// have.
template <class Sums, class V>
void reduce_many_sums(Communicator const& comm, V const& view, Method method, int root) {
  using Long = TravellingOf<typename Sums::type>;
  if (method == Method::accumulators) {
    std::optional<AccumulatorMessage<Sums>> message;
    Operation<Long> const* operation = nullptr;
    agree_on_sums(comm, view.extent(0), root, [&] {
      message.emplace(Sums(view));
      operation = &Operation<Long>::get(comm);
      return message->header();
    });
    reduce_many(comm, message->elements(), message->length(), operation->type, operation->op, root);
    if (comm.receives(root)) message->unpack();
  } else if constexpr (is_long_v<Long>) {
    reduce_words_of<WordMessage<Sums>>(comm, view, root);
  } else {
    agree_on_sums(comm, view.extent(0), root, [&] {
      require_method<typename Sums::type>(comm, method);
      return Header{};
    });
  }
}

template <class A>
void reduce_accumulator(Communicator const& comm, A& accumulator, Method method, int root) {
  require_method<A>(comm, method);
  if (comm.size() > 1) reduce_single(comm, accumulator, method, root);
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
