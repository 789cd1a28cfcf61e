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

/// \brief What sums use: the digits in [begin, end), and whether there is an infinity or a NaN.
struct SumsUse {
  DigitRange digits;
  bool any_special;
};

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

/// \brief Sums to words, or back: the digits of sum i from word i * width on, infinities and NaN of all at the end.
template <class V, class WordView>
struct MoveWords {
  using Sum = typename V::value_type;
  using Long = TravellingOf<Sum>;
  V sums;
  WordView words;
  Words<Long> format;
  SumsUse use;
  bool to_sums;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::size_t const width =
        static_cast<std::size_t>(use.digits.size()) * static_cast<std::size_t>(format.per_digit());
    std::int64_t* const digits = words.data() + i * width;
    std::int64_t* const special = words.data() + sums.extent(0) * width + i;
    Long& sum = Travelling<Sum>::of(sums(i));
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

 public:
  using Sums = V;

  /// Prepares the sums, and finds out what they use.
  /// \param is_device_aware  MPI gets the address of the words; else that of a copy on the host.
  DeviceMessage(V const& sums, int ranks, bool is_device_aware = mpi_is_device_aware<Space>())
      : m_sums(sums), m_format(ranks), m_is_device_aware(is_device_aware) {
    Kokkos::parallel_reduce("Exakt::Mpi::prepare", Range(0, count()),
                            Exakt::Impl::held<SumsUse>(PrepareSums<V>{m_sums, m_format}), m_use);
    Space().fence();
  }

  std::size_t count() const { return m_sums.extent(0); }
  Header header() const { return header(count()); }
  Header header(std::size_t count) const {
    return Header::of<Long>(count, Method::words, m_use.digits, m_use.any_special);
  }

  void pack(Header const& all) {
    m_use = {all.digits(), all.any_special()};
    auto const width =
        static_cast<std::size_t>(m_use.digits.size() * m_format.per_digit()) + (m_use.any_special ? 1 : 0);
    m_words = WordView(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::Mpi::words"), count() * width);
    move("Exakt::Mpi::pack", false);
  }

  void reduce(Communicator const& comm, int root) {
    if (m_is_device_aware) return reduce(comm, m_words, root);
    auto const words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), m_words);
    reduce(comm, words, root);
    if (comm.receives(root)) Kokkos::deep_copy(m_words, words);
  }

  void unpack() { move("Exakt::Mpi::unpack", true); }

 private:
  template <class View>
  static void reduce(Communicator const& comm, View const& words, int root) {
    if (comm.rank() != root) return reduce_many(comm, words.data(), words.extent(0), MPI_INT64_T, MPI_SUM, root);
    // In a buffer of the same memory, for want of MPI_IN_PLACE (see reduce_in_place).
    View const sums(Kokkos::view_alloc(Kokkos::WithoutInitializing, "Exakt::Mpi::received"), words.extent(0));
    constexpr std::size_t at_once = std::numeric_limits<int>::max();
    for (std::size_t i = 0; i < words.extent(0); i += at_once) {
      auto const n = static_cast<int>(std::min(at_once, words.extent(0) - i));
      comm.check("MPI_Reduce", MPI_Reduce(words.data() + i, sums.data() + i, n, MPI_INT64_T, MPI_SUM, root, comm));
    }
    Kokkos::deep_copy(words, sums);
  }

  void move(char const* label, bool to_sums) const {
    Exakt::Impl::loop(label, Space(), count(), MoveWords<V, WordView>{m_sums, m_words, m_format, m_use, to_sums});
    Space().fence();
  }

  V m_sums;
  Words<Long> m_format;
  bool m_is_device_aware;
  SumsUse m_use{Long::no_digits, false};
  WordView m_words;
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
        return reduce_words_of<DeviceMessage<V>>(comm, view, root);
      }
    }
    reduce_many_sums<Sums>(comm, view, method, root);
  }
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
