// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef EXAKTMPI_AGREEMENT_HPP
#define EXAKTMPI_AGREEMENT_HPP

/// \file
/// \brief What the ranks have to agree on before they send anything else.

#include "ExaktMpi_Communicator.hpp"

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>

namespace Exakt::Mpi::Impl::inline EXAKT_ABI {

/// \brief What ranks compare instead of many numbers: two lists that differ in one of them have different ones.
class Checksum {
 public:
  void add(std::uint64_t number) {  // an odd factor and a shift: nothing is lost
    m_number = (m_number ^ number) * 0x9e3779b97f4a7c15u;
    m_number ^= m_number >> 29;
  }
  /// By their mangled names, which tell types of the same size apart and are the same in all programs.
  template <class... T>
  void add_types() {
    for (std::string_view const name : {std::string_view(typeid(T).name())...})
      for (char const letter : name) add(static_cast<std::uint64_t>(letter));
  }
  /// Not negative.
  std::int64_t value() const { return static_cast<std::int64_t>(m_number >> 1); }

 private:
  std::uint64_t m_number = 0;
};

/// What ranks compare where the types alone have to be the same.
template <class... T>
std::int64_t number_of_types() {
  Checksum sum;
  sum.add_types<T...>();
  return sum.value();
}

inline constexpr char const* failed_elsewhere = "another rank refused its operands or failed; it says why";

/// \brief Lets every rank say what it means, a rank that fails too: the others would wait for it forever. Throws on every
/// rank unless all mean the same.
///
/// \param same   What has to be the same.
/// \param local  Makes this rank's number, which is not negative.
template <class Local>
void agree(Communicator const& comm, char const* same, Local const& local) {
  enum { number, minus_number, failed, length };
  std::int64_t greatest[length] = {};
  auto const failure = failure_of([&] {
    greatest[number] = local();
    greatest[minus_number] = -greatest[number];
  });
  greatest[failed] = failure ? 1 : 0;
  allreduce_in_place(comm, greatest, length, MPI_INT64_T, MPI_MAX);
  if (failure) std::rethrow_exception(failure);
  if (greatest[failed] != 0) comm.refuse(failed_elsewhere);
  if (greatest[number] != -greatest[minus_number]) comm.refuse(std::string("all ranks must give the same ") + same);
}

}  // namespace Exakt::Mpi::Impl::inline EXAKT_ABI

#endif
