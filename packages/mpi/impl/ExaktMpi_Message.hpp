// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_MESSAGE_HPP
#define EXAKTMPI_MESSAGE_HPP

/// \file
/// \brief From accumulators to one message, and from the reduced message back to accumulators.
///
/// One accumulator is one message. For many there is a message of a few words before, in which the ranks learn whether
/// they agree on how many, and which digits are in use anywhere: often 3 of 39, and only those travel.

#include "ExaktMpi_Operation.hpp"
#include "ExaktMpi_Sums.hpp"
#include "ExaktMpi_Words.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

namespace Exakt::Mpi::Impl {

/// \brief What the ranks tell each other before they send many sums; the greatest of each entry is what all learn.
struct Header {
  static constexpr int length = 7;
  std::int64_t greatest[length];

  template <class Long>
  static Header of(std::size_t count, Method method, DigitRange digits, bool any_special) {
    auto const n = static_cast<std::int64_t>(count);
    std::int64_t const kind = kind_of<Long>() * 2 + (method == Method::words ? 0 : 1);
    return {{n, -n, kind, -kind, digits.end, -digits.begin, any_special}};
  }

  DigitRange digits() const { return {static_cast<int>(-greatest[5]), static_cast<int>(greatest[4])}; }
  bool any_special() const { return greatest[6] != 0; }

  /// \param operand  What has `count` entries.
  /// \throws std::invalid_argument  On every rank, if one has another number of sums, another type or method.
  void require_agreement(Communicator const& comm, char const* operand, std::size_t count) const {
    std::int64_t const most = greatest[0], least = -greatest[1];
    if (most != least) {
      comm.refuse(std::string(operand) + " has " + std::to_string(count) + (count == 1 ? " entry" : " entries") +
                  " on rank " + std::to_string(comm.rank()) + ", from " + std::to_string(least) + " to " +
                  std::to_string(most) + " on the " + std::to_string(comm.size()) +
                  " ranks; all must have the same number");
    }
    if (greatest[2] != -greatest[3])
      comm.refuse("all ranks must give the same type of accumulators and the same method");
  }

 private:
  /// A number for each type that travels.
  template <class Long>
  static constexpr std::int64_t kind_of() {
    if constexpr (is_long_v<Long>) {
      return (static_cast<std::int64_t>(Long::digit_count) * 64 + Long::radix_bits) * 8192 - Long::lowest_exponent;
    } else {
      return -static_cast<std::int64_t>(sizeof(Long));
    }
  }
};

/// \brief The words of sums, in a buffer of their own.
template <class Sums>
class WordMessage {
  using A = typename Sums::type;
  using Long = TravellingOf<A>;

 public:
  WordMessage(Sums const& sums, int ranks)
      : m_sums(sums), m_format(ranks), m_words(std::make_unique_for_overwrite<std::int64_t[]>(length())) {
    constexpr std::size_t per_block = 64;
    std::size_t const n = m_sums.size(), blocks = (n + per_block - 1) / per_block;
    auto const used = std::make_unique<std::int64_t[]>(blocks * (m_width + 1));
    for_each("Exakt::Mpi::pack", blocks, per_block, [this, n, used = used.get()](std::size_t block) {
      std::size_t const begin = block * per_block, end = std::min(n, begin + per_block);
      pack(begin, end, used + block * (m_width + 1));
    });
    for (std::size_t block = 1; block < blocks; ++block)
      join(used.get(), used.get() + block * (m_width + 1), m_width + 1);
    m_has_specials = blocks > 0 && used[m_width] != 0;
    if (blocks > 0) m_digits = m_format.in_use(used.get());
  }

  Header header() const { return header(m_sums.size()); }
  /// \param count  What the ranks have to agree on.
  Header header(std::size_t count) const { return Header::of<Long>(count, Method::words, m_digits, m_has_specials); }

  /// \brief Leaves out what no rank has in use.
  void shorten(Header const& all) {
    std::int64_t* const words = m_words.get();
    std::size_t const old_width = m_width, first = static_cast<std::size_t>(all.digits().begin * m_format.per_digit());
    std::int64_t* const specials = words + m_sums.size() * old_width;
    m_digits = all.digits();
    m_has_specials = all.any_special();
    m_width = static_cast<std::size_t>(m_digits.size() * m_format.per_digit());
    auto const move = [](std::int64_t* to, std::int64_t const* from, std::size_t n) {
      std::memmove(to, from, n * sizeof(std::int64_t));
    };
    if (m_width != old_width) {
      for (std::size_t i = 0; i < m_sums.size(); ++i) move(words + i * m_width, words + i * old_width + first, m_width);
    }
    if (m_has_specials) move(words + m_sums.size() * m_width, specials, m_sums.size());
  }

  /// \brief Sends everything, without asking what is in use.
  void take_all() {
    m_digits = Words<Long>::all_digits;
    m_has_specials = true;
  }

  std::int64_t* words() { return m_words.get(); }
  std::size_t length() const { return m_sums.size() * (m_width + (m_has_specials ? 1 : 0)); }

  void unpack() const {
    std::int64_t const* const words = m_words.get();
    std::int64_t const* const specials = m_has_specials ? words + m_sums.size() * m_width : nullptr;
    auto const format = m_format;
    for_each("Exakt::Mpi::unpack", m_sums.size(), 1,
             [=, width = m_width, digits = m_digits, sums = &m_sums](std::size_t i) {
               Long total = format.unpack(words + i * width, digits);
               if (specials != nullptr) Words<Long>::unpack_special(specials[i], total);
               Travelling<A>::assign((*sums)[i], total);
             });
    m_sums.write_back();
  }

 private:
  static void join(std::int64_t* into, std::int64_t const* from, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) into[i] |= from[i];
  }

  /// The sums [begin, end), and the bitwise or of their words.
  void pack(std::size_t begin, std::size_t end, std::int64_t* used) {
    for (std::size_t i = begin; i < end; ++i) {
      std::int64_t* const words = m_words.get() + i * m_width;
      Long const& sum = Travelling<A>::of(m_sums[i]);
      std::int64_t const special = m_format.pack(sum, words);
      m_words[m_sums.size() * m_width + i] = special;
      join(used, words, m_width);
      used[m_width] |= special;
    }
  }

  Sums m_sums;
  Words<Long> m_format;
  std::size_t m_width = static_cast<std::size_t>(m_format.per_sum());
  DigitRange m_digits = Words<Long>::no_digits;
  bool m_has_specials = true;
  std::unique_ptr<std::int64_t[]> m_words;
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
    for_each("Exakt::Mpi::unpack", m_sums.size(), 1, [elements = elements(), sums = &m_sums](std::size_t i) {
      Travelling<A>::assign((*sums)[i], elements[i]);
    });
    m_sums.write_back();
  }

 private:
  Sums m_sums;
  std::unique_ptr<Element[]> m_elements;
};

/// \brief Reduces any number of entries: MPI counts with an int.
template <class T>
void reduce_many(Communicator const& comm, T* buffer, std::size_t n, MPI_Datatype type, MPI_Op op, int root) {
  constexpr std::size_t at_once = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < n; i += at_once)
    reduce_in_place(comm, buffer + i, static_cast<int>(std::min(at_once, n - i)), type, op, root);
}

template <class Sums>
void require_agreement(Communicator const& comm, Sums const& sums, Header& header) {
  reduce_in_place(comm, header.greatest, Header::length, MPI_INT64_T, MPI_MAX, all_ranks);
  header.require_agreement(comm, "the View", sums.size());
}

/// One sum: a message without a header, on the stack.
template <class A>
void reduce_single(Communicator const& comm, A& accumulator, Method method, int root) {
  using Long = TravellingOf<A>;
  if (method == Method::accumulators) {
    Long sum = Travelling<A>::of(accumulator);
    auto const& operation = Operation<Long>::get(comm);
    reduce_in_place(comm, &sum, 1, operation.type, operation.op, root);
    if (comm.receives(root)) Travelling<A>::assign(accumulator, sum);
  } else if constexpr (is_long_v<Long>) {
    using Format = Words<Long>;
    Format const format(comm.size());
    std::int64_t words[Format::at_most + 1];
    int const width = format.per_sum();
    Long const& sum = Travelling<A>::of(accumulator);
    words[width] = format.pack(sum, words);
    reduce_in_place(comm, words, width + 1, MPI_INT64_T, MPI_SUM, root);
    if (!comm.receives(root)) return;
    Long total = format.unpack(words, Format::all_digits);
    Format::unpack_special(words[width], total);
    Travelling<A>::assign(accumulator, total);
  }
}

template <class Sums>
void reduce_many_sums(Communicator const& comm, Sums const& sums, Method method, int root) {
  using Long = TravellingOf<typename Sums::type>;
  if (method == Method::accumulators) {
    AccumulatorMessage<Sums> const message(sums);
    auto header = message.header();
    require_agreement(comm, sums, header);
    auto const& operation = Operation<Long>::get(comm);
    reduce_many(comm, message.elements(), message.length(), operation.type, operation.op, root);
    if (comm.receives(root)) message.unpack();
  } else if constexpr (is_long_v<Long>) {
    WordMessage<Sums> message(sums, comm.size());
    auto header = message.header();
    require_agreement(comm, sums, header);
    message.shorten(header);
    reduce_many(comm, message.words(), message.length(), MPI_INT64_T, MPI_SUM, root);
    if (comm.receives(root)) message.unpack();
  }
}

template <class A>
void require_method(Communicator const& comm, Method method) {
  if (method == Method::words && !is_long_v<TravellingOf<A>>)
    comm.refuse("Method::words needs accumulators with a long form; for this type use Method::accumulators");
}

template <class A>
void reduce_accumulator(Communicator const& comm, A& accumulator, Method method, int root) {
  require_method<A>(comm, method);
  if (comm.size() > 1) reduce_single(comm, accumulator, method, root);
}

template <class V>
void reduce_view(Communicator const& comm, V const& view, Method method, int root) {
  using Sums = SumsOfView<V>;
  require_method<typename Sums::type>(comm, method);
  if (comm.size() == 1) return;
  Sums const sums(view);
  if constexpr (Sums::is_single) {
    reduce_single(comm, sums[0], method, root);
    if (comm.receives(root)) sums.write_back();
  } else {
    reduce_many_sums(comm, sums, method, root);
  }
}

}  // namespace Exakt::Mpi::Impl

#endif
