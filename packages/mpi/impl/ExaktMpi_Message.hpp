// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_MESSAGE_HPP
#define EXAKTMPI_MESSAGE_HPP

/// \file
/// \brief From accumulators to one message, and from the reduced message back to accumulators.
///
/// One accumulator is one message. For many there is a message of a few words before, in which the ranks learn whether
/// they agree on how many, and which digits are in use anywhere: often 3 of 39, and only those travel. Whatever a rank needs
/// memory for it allocates before that message, which can say that there was none; so of words there are some MB at a time.

#include "ExaktMpi_Agreement.hpp"
#include "ExaktMpi_Operation.hpp"
#include "ExaktMpi_Sums.hpp"
#include "ExaktMpi_Words.hpp"

#include <parallel/Exakt_Pieces.hpp>
#include <parallel/Exakt_ScratchMemory.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

using Exakt::Impl::Pieces;
using Exakt::Impl::Span;

/// \brief What sums use: the digits in [begin, end), and whether there is an infinity or a NaN.
struct SumsUse {
  DigitRange digits;
  bool any_special;

  /// Of the digits of one sum.
  template <class Long>
  KOKKOS_FUNCTION std::size_t words(Words<Long> const& format) const {
    return static_cast<std::size_t>(digits.size()) * static_cast<std::size_t>(format.per_digit());
  }
};

/// \brief The room for words of sums that are packed, sent and unpacked at a time; on all ranks the same, wherever their sums are.
struct WordRoom {
  static constexpr std::size_t usual = std::size_t{1} << 19;  // a cache holds them; launches of kernels take less time
  std::size_t words;

  /// For all of them, if that is no more than `most` words; else for some, at least one.
  template <class Long>
  static WordRoom of(std::size_t sums, Words<Long> const& format, std::size_t most) {
    std::size_t const per_sum = static_cast<std::size_t>(format.per_sum()) + 1;
    return {std::min(sums, std::max(most / per_sum, std::size_t{1})) * per_sum};
  }
  /// As many at a time as there is room for, where each has `per_sum` words.
  Pieces pieces(std::size_t sums, std::size_t per_sum) const {
    return {{0, sums}, std::max(per_sum == 0 ? sums : words / per_sum, std::size_t{1})};
  }
};

/// \brief What the ranks tell each other before they send many sums; the greatest of each entry is what all learn.
struct Header {
  static constexpr int length = 7;
  static constexpr std::int64_t failed = std::numeric_limits<std::int64_t>::max();  // for the kind
  std::int64_t greatest[length];

  template <class Long>
  static Header of(std::size_t count, Method method, SumsUse const& use = {{0, 0}, false}) {
    auto const n = static_cast<std::int64_t>(count);
    Checksum sum;
    sum.add_types<Long>();
    sum.add(static_cast<std::uint64_t>(method));
    std::int64_t const kind = sum.value();
    return {{n, -n, kind, -kind, use.digits.end, -use.digits.begin, use.any_special}};
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

  SumsUse use() const { return {{static_cast<int>(-greatest[5]), static_cast<int>(greatest[4])}, greatest[6] != 0}; }

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
  /// Prepares the sums, finds out what they use, and makes room.
  /// \param most_words  In one message.
  WordMessage(Sums const& sums, Communicator const& comm, int root, std::size_t most_words = WordRoom::usual)
      : m_sums(sums),
        m_format(comm.size()),
        m_room(WordRoom::of(sums.size(), m_format, most_words)),
        m_words(Kokkos::DefaultHostExecutionSpace(),
                (comm.rank() == root ? 2 : 1) * m_room.words * sizeof(std::int64_t)) {
    constexpr std::size_t per_block = 64;
    Pieces const blocks{{0, m_sums.size()}, per_block};
    auto const uses = std::make_unique<SumsUse[]>(blocks.count());
    for_each("Exakt::Mpi::prepare", blocks.count(), per_block,
             [this, &blocks, uses = uses.get()](std::size_t i) { uses[i] = prepare(blocks[i]); });
    for (std::size_t i = 0; i < blocks.count(); ++i) {
      m_use.digits.begin = std::min(m_use.digits.begin, uses[i].digits.begin);
      m_use.digits.end = std::max(m_use.digits.end, uses[i].digits.end);
      m_use.any_special = m_use.any_special || uses[i].any_special;
    }
  }

  Header header() const { return header(m_sums.size()); }
  /// \param count  What the ranks have to agree on.
  Header header(std::size_t count) const { return Header::of<Long>(count, Method::words, m_use); }

  std::size_t count() const { return m_sums.size(); }
  std::int64_t* words() const { return reinterpret_cast<std::int64_t*>(m_words.data()); }
  std::size_t length(std::size_t sums) const { return sums * per_sum(); }

  /// \brief The sums that travel at once, where this is in use on any rank.
  Pieces pieces(SumsUse const& of_all) {
    m_use = of_all;
    return m_room.pieces(m_sums.size(), per_sum());
  }
  /// \brief Everything at once, without asking what is in use.
  /// \pre There is room for it.
  void pack_all() {
    m_use = {Long::all_digits, true};
    pack({0, m_sums.size()});
  }

  /// \brief Packs some sums.
  void pack(Span some) {
    for_each("Exakt::Mpi::pack", some.size(), 1, [=, this](std::size_t i) {
      Long& sum = travelling(some.begin + i);
      m_format.pack(sum, m_use.digits, words() + i * m_use.words(m_format));
      if (m_use.any_special) *special(words(), some, i) = m_format.prepare(sum);
    });
  }
  /// \brief What was packed, of all ranks. \return Where it is.
  std::int64_t const* reduce(Communicator const& comm, Span some, int root) {
    return reduce_many(comm, words(), words() + m_room.words, length(some.size()), MPI_INT64_T, MPI_SUM, root);
  }
  void unpack(Span some, std::int64_t const* words) const {
    for_each("Exakt::Mpi::unpack", some.size(), 1, [=, this](std::size_t i) {
      Long& sum = travelling(some.begin + i);
      m_format.unpack(words + i * m_use.words(m_format), m_use.digits, sum);
      if (m_use.any_special) Format::unpack_special(*special(words, some, i), sum);
    });
  }
  void write_back() const { m_sums.write_back(); }

 private:
  std::size_t per_sum() const { return m_use.words(m_format) + (m_use.any_special ? 1 : 0); }
  Long& travelling(std::size_t i) const { return Travelling<typename Sums::type>::of(m_sums[i]); }
  /// Behind the digits of all.
  template <class Word>
  Word* special(Word* words, Span some, std::size_t i) const {
    return words + some.size() * m_use.words(m_format) + i;
  }

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

  SumsUse prepare(Span some) const {
    SumsUse use{Long::no_digits, false};
    UsedDigits<Long> used;
    DigitRange digits = Long::all_digits;  // of the sum before
    constexpr std::size_t ahead = 2;       // too short for the hardware to see a stream
    for (std::size_t i = some.begin; i < some.end; ++i) {
      if (i + ahead < some.end) prefetch_sum(i + ahead, digits);
      Long& sum = Travelling<typename Sums::type>::of(m_sums[i], digits);
      use.any_special = m_format.prepare(sum, digits) != 0 || use.any_special;
      used.add(sum, digits);
    }
    use.digits = used.range();
    return use;
  }

  Sums m_sums;
  Format m_format;
  WordRoom m_room;
  SumsUse m_use{Long::no_digits, false};
  // Where one rank gets the words of all, that one has them behind its own.
  Exakt::Impl::ScratchMemory<Kokkos::DefaultHostExecutionSpace> m_words;
};

/// \brief The sums themselves, in a buffer of their own, and in one more where one rank gets those of all.
template <class Sums>
class AccumulatorMessage {
  using A = typename Sums::type;

 public:
  using Element = TravellingOf<A>;

  AccumulatorMessage(Sums const& sums, Communicator const& comm, int root)
      : m_sums(sums), m_elements(std::make_unique<Element[]>((comm.rank() == root ? 2 : 1) * sums.size())) {
    for_each("Exakt::Mpi::pack", length(), 1, [elements = elements(), to_pack = &m_sums](std::size_t i) {
      elements[i] = Travelling<A>::of((*to_pack)[i]);
    });
  }

  Header header() const { return Header::of<Element>(m_sums.size(), Method::accumulators); }
  Element* elements() const { return m_elements.get(); }
  std::size_t length() const { return m_sums.size(); }

  /// \return Where those of all ranks are.
  Element const* reduce(Communicator const& comm, Operation<Element> const& operation, int root) {
    return reduce_many(comm, elements(), elements() + length(), length(), operation.type, operation.op, root);
  }
  void unpack(Element const* elements) const {
    for_each("Exakt::Mpi::unpack", length(), 1,
             [elements, sums = &m_sums](std::size_t i) { Travelling<A>::of((*sums)[i]) = elements[i]; });
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
  allreduce_in_place(comm, header.greatest, Header::length, MPI_INT64_T, MPI_MAX);
  if (failure) std::rethrow_exception(failure);
  header.require_agreement(comm, "the View", count, root);
  return header;
}

/// \tparam Message  WordMessage or DeviceMessage.
template <class Message>
void reduce_words(Communicator const& comm, Header const& header, Message& message, int root) {
  for (Span const some : message.pieces(header.use())) {
    message.pack(some);
    auto const words = message.reduce(comm, some, root);
    if (comm.receives(root)) message.unpack(some, words);
  }
  if (comm.receives(root)) message.write_back();
}

/// \param count  Of sums.
/// \param make  Makes the message's sums, or throws.
template <class Message, class Make>
void reduce_words_of(Communicator const& comm, std::size_t count, int root, Make const& make) {
  std::optional<Message> message;
  Header const header = agree_on_sums(comm, count, root, [&] {
    message.emplace(make(), comm, root);
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
    Long mine = sum, received;
    auto const& operation = Operation<Long>::get(comm);
    Long const* const total = reduce_many(comm, &mine, &received, 1, operation.type, operation.op, root);
    if (comm.receives(root)) sum = *total;
  } else if constexpr (is_long_v<Long>) {
    using Format = Words<Long>;
    Format const format(comm.size());
    constexpr int most_words = Format::at_most + 1;
    std::int64_t words[most_words], received[most_words];
    int const width = format.per_sum();
    words[width] = format.prepare(sum);
    format.pack(sum, Long::all_digits, words);
    std::int64_t const* const total =
        reduce_many(comm, words, received, static_cast<std::size_t>(width) + 1, MPI_INT64_T, MPI_SUM, root);
    if (!comm.receives(root)) return;
    format.unpack(total, Long::all_digits, sum);
    Format::unpack_special(total[width], sum);
  }
}

template <class A>
void require_method(Communicator const& comm, Method method) {
  if (method != Method::words && method != Method::accumulators)
    comm.refuse("method is " + std::to_string(static_cast<int>(method)) +
                "; it must be Method::words or Method::accumulators");
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
      message.emplace(Sums(view), comm, root);
      operation = &Operation<Long>::get(comm);
      return message->header();
    });
    Long const* const total = message->reduce(comm, *operation, root);
    if (comm.receives(root)) message->unpack(total);
  } else if constexpr (is_long_v<Long>) {
    reduce_words_of<WordMessage<Sums>>(comm, view.extent(0), root, [&] {
      require_method<typename Sums::type>(comm, method);
      return Sums(view);
    });
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
