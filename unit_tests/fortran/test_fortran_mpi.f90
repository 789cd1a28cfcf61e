! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> exakt_global_sums: one field of integers that cancel, one of everything, one of nothing; on any number of ranks, whichever
!> way the points are shared out.
program test_fortran_mpi
  use, intrinsic :: iso_fortran_env, only: real32, real64, int64, error_unit
  use mpi_f08, only: MPI_Comm, MPI_COMM_WORLD_F08 => MPI_COMM_WORLD
  use, intrinsic :: ieee_arithmetic, only: ieee_value, ieee_positive_inf
  use mpi
  use exakt
  use exakt_mpi
  implicit none
  integer, parameter :: points = 3001, fields = 4
  real(real64) :: everything(points, fields), sums(fields), wanted(fields), again(fields), sixteenth(2*fields)
  real(real64), allocatable :: mine(:, :)
  real(real32) :: narrow(fields)
  integer :: rank, ranks, error, i, count, decomposition
  integer(int64) :: total
  character(8) :: wanted_ranks, found_ranks
  character(32) :: refused

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call get_environment_variable("EXAKT_TEST_RANKS", wanted_ranks, status=error)
  write (found_ranks, '(i0)') ranks
  if (error == 0 .and. wanted_ranks /= found_ranks) call fail("there are "//trim(found_ranks)//" ranks, not EXAKT_TEST_RANKS")
  if (command_argument_count() > 0) then ! to be refused
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    everything = 1
    call get_command_argument(1, refused)
    if (refused == "without a communicator") call exakt_global_sums(everything, sums, MPI_COMM_NULL)
    if (refused == "too many fields") call sum_fields(29826162)
    print '(a)', "no refusal"
  end if
  total = 0
  do i = 1, points
    everything(i, 1) = real(mod(i*7919, 100003) - 50000, real64)
    total = total + mod(i*7919, 100003) - 50000
    everything(i, 2) = sin(real(i, real64))*10d0**mod(i*37, 300)
    everything(i, 3) = -0.1d0
    everything(i, 4) = 1
  end do
  total = total - int(everything(5, 1), int64) - int(everything(points, 1), int64)
  everything(5, 1) = 2d0**70
  everything(points, 1) = -2d0**70
  everything(points/2, 4) = ieee_value(1d0, ieee_positive_inf)
  do i = 1, fields
    wanted(i) = exakt_sum(everything(:, i))
  end do

  if (wanted(1) /= total) call fail("a sum of integers")

  do decomposition = 1, 3
    select case (decomposition)
    case (1) ! in turn
      count = (points - rank - 1)/ranks + 1
      if (rank >= points) count = 0
      allocate (mine(count, fields))
      mine = everything(rank + 1:points:ranks, :)
    case (2) ! blocks, backwards
      allocate (mine(rank*points/ranks + 1:(rank + 1)*points/ranks, fields))
      mine = everything((rank + 1)*points/ranks:rank*points/ranks + 1:-1, :)
    case (3) ! all on the last rank
      count = merge(points, 0, rank == ranks - 1)
      allocate (mine(count, fields))
      mine = everything(:count, :)
    end select
    call exakt_global_sums(mine, sums, MPI_COMM_WORLD)
    call check("sums")
    again = 0
    call exakt_global_sums(mine, again, MPI_COMM_WORLD_F08)
    sums = again
    call check("sums with a communicator of mpi_f08")
    sixteenth = 0
    call exakt_global_sums(mine(:, fields:1:-1), sixteenth(2*fields:1:-2), MPI_COMM_WORLD)
    sums = sixteenth(2::2)
    call check("sums of a section into a section")
    call exakt_global_sums(real(mine(:, 1:1), real32), narrow(1:1), MPI_COMM_WORLD)
    if (narrow(1) /= exakt_sum(real(everything(:, 1), real32))) call fail("sums of real32")
    deallocate (mine)
  end do
  if (rank == 0) print '(a, i0, a)', "exakt_mpi on ", ranks, " ranks: no failures"
  call MPI_Finalize(error)

contains

  subroutine check(what)
    character(*), intent(in) :: what
    if (any(transfer(sums, [0_int64]) /= transfer(wanted, [0_int64]))) call fail(what)
  end subroutine

  !> Of no points: what is refused is not touched, and takes no memory.
  subroutine sum_fields(n)
    integer, intent(in) :: n
    real(real64), allocatable :: of_nothing(:, :), zeros(:)
    allocate (of_nothing(0, n), zeros(n))
    call exakt_global_sums(of_nothing, zeros, MPI_COMM_WORLD)
  end subroutine

  subroutine fail(what)
    character(*), intent(in) :: what
    write (error_unit, '(a, i0, 2a)') "rank ", rank, ": ", what
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine

end program
