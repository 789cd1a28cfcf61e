! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> The global mean of a temperature whose parallels are shared out among ranks: the exact sums of both fields take one
!> message and do not depend on the number of ranks. Plain sums of the same numbers do.
program in_fortran_mpi
  use, intrinsic :: iso_fortran_env, only: real64
  use exakt_mpi
  implicit none
  include 'mpif.h'
  integer, parameter :: longitudes = 144, latitudes = 91
  real(real64), parameter :: pi = acos(-1d0)
  real(real64), allocatable :: fields(:, :)
  real(real64) :: area, exact(2), mine(2), plain(2)
  integer :: rank, ranks, error, first, last, i, j, point

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  first = rank*latitudes/ranks + 1
  last = (rank + 1)*latitudes/ranks
  allocate (fields(longitudes*(last - first + 1), 2))
  point = 0
  do j = first, last
    do i = 1, longitudes
      point = point + 1
      area = cos(pi*(j - 46)/91)
      fields(point, 1) = area
      fields(point, 2) = area*(288 + 30*sin(3*pi*i/longitudes)*area)
    end do
  end do
  call exakt_global_sums(fields, exact, MPI_COMM_WORLD)
  mine = sum(fields, 1)
  call MPI_Allreduce(mine, plain, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) then
    print '(a, 2f26.16)', "exact: area and mean", exact(1), exact(2)/exact(1)
    print '(a, 2f26.16)', "plain: area and mean", plain(1), plain(2)/plain(1)
  end if
  call MPI_Finalize(error)
end program
