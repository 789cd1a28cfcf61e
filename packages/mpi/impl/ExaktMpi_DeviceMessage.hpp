// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_DEVICEMESSAGE_HPP
#define EXAKTMPI_DEVICEMESSAGE_HPP

/// \file
/// \brief Sums in the memory of a device: kernels pack them there, and only words leave it, if they have to.
///
///     sums of 1 KB --> kernel --> words, 8 bytes a digit in use --> MPI reads the device's memory, or a copy on the
///     host
///
/// The kernels run in any space, and are tested in those of the host.

#include "ExaktMpi_Message.hpp"

#include <parallel/Exakt_Loop.hpp>

#include <cstdlib>
#include <string>
#include <string_view>

// Open MPI says there what it knows of devices; MPICH does so in mpi.h.
#if __has_include(<mpi-ext.h>) && defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief Whether MPI says that it reads and writes the memory of Space's device.
template <class Space>
bool mpi_reaches_memory_of() {
  [[maybe_unused]] std::string_view const name = Space::name();
#if defined(MPIX_CUDA_AWARE_SUPPORT) || defined(MPIX_GPU_SUPPORT_CUDA)
  if (name == "Cuda") return MPIX_Query_cuda_support() != 0;
#endif
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  if (name == "HIP") return MPIX_Query_rocm_support() != 0;
#elif defined(MPIX_GPU_SUPPORT_HIP)
  if (name == "HIP") return MPIX_Query_hip_support() != 0;
#endif
  return false;
}

/// \brief Whether MPI may read words where they are. EXAKT_MPI_DEVICE_AWARE=0 or 1 in the environment decides where MPI
/// does not know, or is wrong. The ranks need not agree.
template <class Space>
bool mpi_is_device_aware() {
  char const* const choice = std::getenv("EXAKT_MPI_DEVICE_AWARE");
  std::string_view const chosen = choice == nullptr ? "" : choice;
  return chosen == "0" || chosen == "1" ? chosen == "1" : mpi_reaches_memory_of<Space>();
}

/// \brief Prepares each sum where it is, and finds out what all of them use.
template <class V>
struct PrepareSums {
  using Sum = typename V::value_type;
  using Long = TravellingOf<Sum>;
  using value_type = SumsUse;
  V sums;
  Words<Long> format;

  KOKKOS_FUNCTION void operator()(std::size_t i, SumsUse& use) const {
    Long& sum = Travelling<Sum>::of(sums(i));
    bool const is_special = format.prepare(sum) != 0;
    UsedDigits<Long> used;
    used.add(sum);
    join(use, {used.range(), is_special});
  }
  KOKKOS_FUNCTION void init(SumsUse& use) const { use = {Long::no_digits, false}; }
  KOKKOS_FUNCTION void join(SumsUse& into, SumsUse const& from) const {
    if (from.digits.begin < into.digits.begin) into.digits.begin = from.digits.begin;
    if (from.digits.end > into.digits.end) into.digits.end = from.digits.end;
    into.any_special = into.any_special || from.any_special;
  }
  // FIXME(kokkos<4): older versions call join on volatile references to values of one thread.
  KOKKOS_FUNCTION void join(SumsUse volatile& into, SumsUse const volatile& from) const {
    join(const_cast<SumsUse&>(into), const_cast<SumsUse const&>(from));
  }
};

/// \brief Some sums to words, or back: the digits of each behind those of the one before, infinities and NaN of all at the end.
template <class V>
struct MoveWords {
  using Sum = typename V::value_type;
  using Long = TravellingOf<Sum>;
  V sums;
  Span some;
  std::int64_t* words;
  Words<Long> format;
  SumsUse use;
  bool to_sums;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::size_t const width = use.words(format);
    std::int64_t* const digits = words + i * width;
    std::int64_t* const special = words + some.size() * width + i;
    Long& sum = Travelling<Sum>::of(sums(some.begin + i));
    if (to_sums) {
      format.unpack(digits, use.digits, sum);
      if (use.any_special) Words<Long>::unpack_special(*special, sum);
    } else {
      format.pack(sum, use.digits, digits);
      if (use.any_special) *special = format.prepare(sum);
    }
  }
};

/// \brief The words of the sums of a View of rank 1, as WordMessage has them, made where the sums are.
template <class V>
class DeviceMessage {
  using Space = typename V::execution_space;
  using Long = TravellingOf<typename V::non_const_value_type>;
  using Range = Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>;
  using WordView = Kokkos::View<std::int64_t*, typename V::memory_space>;
  using HostView = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

 public:
  using Sums = V;

  /// Prepares the sums, finds out what they use, and makes room.
  /// \param is_device_aware  MPI gets the address of the words; else that of a copy on the host.
  DeviceMessage(V const& sums, Communicator const& comm, int root, bool is_device_aware = mpi_is_device_aware<Space>(),
                std::size_t most_words = WordRoom::usual)
      : m_sums(sums),
        m_format(comm.size()),
        m_is_device_aware(is_device_aware),
        m_room(WordRoom::of(count(), m_format, most_words)) {
    require_separate_sums(sums);
    std::size_t const words_of_root = comm.rank() == root ? m_room.words : 0;
    m_words = make<WordView>("Exakt::Mpi::words", m_room.words);
    if (m_is_device_aware) {
      m_received = make<WordView>("Exakt::Mpi::received", words_of_root);
    } else {
      m_host_words = make<HostView>("Exakt::Mpi::words", m_room.words);
      m_host_received = make<HostView>("Exakt::Mpi::received", words_of_root);
    }
    Kokkos::parallel_reduce("Exakt::Mpi::prepare", Range(0, count()),
                            Exakt::Impl::held<SumsUse>(PrepareSums<V>{m_sums, m_format}), m_use);
    Space().fence();
  }

  std::size_t count() const { return m_sums.extent(0); }
  Header header() const { return header(count()); }
  Header header(std::size_t count) const { return Header::of<Long>(count, Method::words, m_use); }

  /// \brief The sums that travel at once, where this is in use on any rank.
  Pieces pieces(SumsUse const& of_all) {
    m_use = of_all;
    return m_room.pieces(count(), per_sum());
  }
  void pack(Span some) const { move("Exakt::Mpi::pack", some, m_words, false); }
  /// \brief What was packed, of all ranks. \return Where it is.
  WordView reduce(Communicator const& comm, Span some, int root) const {
    std::size_t const n = some.size() * per_sum();
    if (m_is_device_aware) return reduce(comm, m_words, m_received, n, root);
    Kokkos::deep_copy(first(m_host_words, n), first(m_words, n));
    HostView const total = reduce(comm, m_host_words, m_host_received, n, root);
    if (comm.receives(root)) Kokkos::deep_copy(first(m_words, n), first(total, n));
    return m_words;
  }
  void unpack(Span some, WordView const& words) const { move("Exakt::Mpi::unpack", some, words, true); }
  void write_back() const {}

 private:
  template <class View>
  static View make(char const* label, std::size_t words) {
    return View(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), words);
  }
  template <class View>
  static View first(View const& words, std::size_t n) {
    return Kokkos::subview(words, std::pair<std::size_t, std::size_t>(0, n));
  }
  template <class View>
  static View reduce(Communicator const& comm, View const& words, View const& received, std::size_t n, int root) {
    reduce_many(comm, words.data(), received.data(), n, MPI_INT64_T, MPI_SUM, root);
    return comm.rank() == root ? received : words;
  }

  void move(char const* label, Span some, WordView const& words, bool to_sums) const {
    Exakt::Impl::loop(label, Space(), some.size(), MoveWords<V>{m_sums, some, words.data(), m_format, m_use, to_sums});
    Space().fence();
  }

  std::size_t per_sum() const { return m_use.words(m_format) + (m_use.any_special ? 1 : 0); }

  V m_sums;
  Words<Long> m_format;
  bool m_is_device_aware;
  WordRoom m_room;
  SumsUse m_use{Long::no_digits, false};
  WordView m_words, m_received;            // the latter where this rank alone gets the words of all
  HostView m_host_words, m_host_received;  // where MPI reads the host's memory; then the device receives nothing
};

/// \brief The words of the sums of a View, made on the host where that reaches them.
template <class V>
using MessageOf = std::conditional_t<SumsOfView<V>::in_place, WordMessage<SumsOfView<V>>, DeviceMessage<V>>;

template <class V>
void reduce_view(Communicator const& comm, V const& view, Method method, int root) {
  using Sums = SumsOfView<V>;
  if (Sums::is_single || comm.size() == 1) {
    comm.require_root(root);
    require_method<typename Sums::type>(comm, method);
    require_separate_sums(view);
  }
  if (comm.size() == 1) return;
  if constexpr (Sums::is_single) {
    Sums const sums(view);
    reduce_single(comm, sums[0], method, root);
    if (comm.receives(root)) sums.write_back();
  } else {
    if constexpr (!Sums::in_place && is_long_v<TravellingOf<typename Sums::type>>) {
      if (method == Method::words) {
        Kokkos::fence();  // a kernel may still be writing to it, on any instance
        return reduce_words_of<DeviceMessage<V>>(comm, view.extent(0), root, [&] { return view; });
      }
    }
    reduce_many_sums<Sums>(comm, view, method, root);
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
