// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <ExaktMpi_allreduce.hpp>
#include <ExaktMpi_iallreduce.hpp>
#include <ExaktMpi_reduce.hpp>

#include <Exakt_Accumulator.hpp>

#include <complex>
#include <vector>

#ifdef EXAKT_CORRECTED
template <class>
using Entry = Exakt::SumAccumulator<double>;
template <class>
using Several = Kokkos::View<Exakt::SumAccumulator<double>*, Kokkos::HostSpace>;
template <int bits>
Exakt::LongAccumulator<double, bits>& accumulator();
#else
template <class Number>
using Entry = Number;
template <class Number>
using Several = std::vector<Number>;
template <int bits>
Exakt::LongAccumulator<double, bits> accumulator();  // which has ended when the result comes
#endif
template <class Number>
using Vector = Kokkos::View<Entry<Number>*, Kokkos::HostSpace>;

void reduce(MPI_Comm comm, Entry<double>& number, Entry<int>& count, Entry<float>& single, Entry<long>& large,
            Several<double> const& several, Exakt::Mpi::Request& request, MPI_Request& mpi_request) {
  Exakt::Mpi::allreduce(comm, number);
  Exakt::Mpi::allreduce(comm, count);
  Exakt::Mpi::allreduce(comm, several);
  Exakt::Mpi::allreduce(comm, Vector<double>("doubles", 3));
  Exakt::Mpi::allreduce(comm, Vector<std::complex<double>>("complex", 3), Exakt::Mpi::Method::accumulators);
  Exakt::Mpi::reduce(comm, single, 0);
  Exakt::Mpi::reduce(comm, Vector<int>("integers", 3), 0);
  Vector<float> const floats("floats", 3);
  Exakt::Mpi::iallreduce(comm, floats, request);
  Exakt::Mpi::iallreduce(comm, large, &mpi_request);
  Exakt::Mpi::iallreduce(comm, accumulator<56>(), request);
  Exakt::Mpi::iallreduce(comm, accumulator<32>(), request, Exakt::Mpi::Method::words);
  Exakt::Mpi::iallreduce(comm, accumulator<60>(), &mpi_request);
  Exakt::Mpi::allreduce(comm, number, single, count);
}
