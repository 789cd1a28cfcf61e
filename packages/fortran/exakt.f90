! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> \brief Exakt for Fortran 2008: the exact value of the expression, rounded once.
!>
!>     use exakt
!>     s = exakt_sum(x);   d = exakt_dot(x(1:n:2), y);   call exakt_gemm(1d0, a, b, 0d0, c)
!>
!> Of real32 and real64, and of complex arrays of these kinds, but for covariances, correlations and histograms.
!> Functions of arrays take `rounding` (exakt_to_nearest, the default, exakt_toward_zero, exakt_upward, exakt_downward)
!> and `status` as optional arguments, subroutines of arrays take `status`; of an exakt_accumulator round and
!> round_real32 take `rounding`, from_bytes takes `status`. Without a status, what is wrong stops the
!> program with a sentence.
module exakt
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, real32, real64
  use exakt_c
  use exakt_real32
  use exakt_real64
  use exakt_matrices_real32
  use exakt_matrices_real64
  use exakt_matrices_complex_real32
  use exakt_matrices_complex_real64
  use exakt_scans_real32
  use exakt_scans_real64
  use exakt_statistics_real32
  use exakt_statistics_real64
  implicit none
  private
  public :: exakt_sum, exakt_nrm1, exakt_nrm2, exakt_nrm2_squared, exakt_mean, exakt_dot
  public :: exakt_variance, exakt_stddev, exakt_covariance, exakt_correlation, exakt_histogram
  public :: exakt_inclusive_scan, exakt_exclusive_scan, exakt_segmented_sum
  public :: exakt_gemv, exakt_gemm, exakt_trsv, exakt_trsm
  public :: exakt_success, exakt_invalid_argument, exakt_out_of_memory, exakt_internal_error, exakt_message
  public :: exakt_to_nearest, exakt_toward_zero, exakt_upward, exakt_downward
  public :: exakt_accumulator

  !> The exact sum of what has been added, numbers and products. It is its bytes, and nothing else belongs to it: whatever
  !> copies a variable, an array of them, or a type that has one, copies the sum.
  type :: exakt_accumulator
    private
    integer(c_int64_t) :: memory(exakt_accumulator_size/8) = 0
    logical :: is_made = .false.
  contains
    procedure, private :: add_number, add_real32, add_array, add_array_of_real32
    generic :: add => add_number, add_real32, add_array, add_array_of_real32
    procedure, private :: add_one_product, add_array_of_products, add_products_of_real32
    generic :: add_product => add_one_product, add_array_of_products, add_products_of_real32
    procedure :: merge => merge_with
    procedure :: subtract
    procedure :: clear
    procedure :: round => round_to_real64
    procedure :: round_real32 => round_to_real32
    procedure :: equals
    procedure :: to_bytes
    procedure :: from_bytes
  end type

contains

  !> What is not there yet is the empty sum.
  subroutine make(this)
    class(exakt_accumulator), intent(inout), target :: this
    type(c_ptr) :: created
    if (this%is_made) return
    call exakt_finish(c_create_in(kind_dot, c_loc(this%memory), exakt_accumulator_size, created))
    this%is_made = .true.
  end subroutine

  subroutine add_number(this, x)
    class(exakt_accumulator), intent(inout), target :: this
    real(real64), intent(in) :: x
    call add_array(this, [x])
  end subroutine

  subroutine add_real32(this, x)
    class(exakt_accumulator), intent(inout), target :: this
    real(real32), intent(in) :: x
    call add_array_of_real32(this, [x])
  end subroutine

  subroutine add_array(this, x)
    class(exakt_accumulator), intent(inout), target :: this
    real(real64), intent(in), target :: x(:)
    type(vector_real64) :: v
    call make(this)
    v = of_vector(x)
    call exakt_finish(c_add_real64(c_loc(this%memory), v%n, v%lowest, v%stride))
  end subroutine

  subroutine add_array_of_real32(this, x)
    class(exakt_accumulator), intent(inout), target :: this
    real(real32), intent(in), target :: x(:)
    type(vector_real32) :: v
    call make(this)
    v = of_vector(x)
    call exakt_finish(c_add_real32(c_loc(this%memory), v%n, v%lowest, v%stride))
  end subroutine

  subroutine add_one_product(this, x, y)
    class(exakt_accumulator), intent(inout), target :: this
    real(real64), intent(in) :: x, y
    call add_array_of_products(this, [x], [y])
  end subroutine

  subroutine add_array_of_products(this, x, y)
    class(exakt_accumulator), intent(inout), target :: this
    real(real64), intent(in), target :: x(:), y(:)
    type(vector_real64) :: v, w
    call make(this)
    if (size(x, kind=c_intptr_t) /= size(y, kind=c_intptr_t)) call exakt_refuse("exakt_accumulator: x and y differ in size")
    v = of_vector(x)
    w = of_vector(y)
    call exakt_finish(c_products_real64(c_loc(this%memory), v%n, v%lowest, v%stride, w%lowest, w%stride))
  end subroutine

  subroutine add_products_of_real32(this, x, y)
    class(exakt_accumulator), intent(inout), target :: this
    real(real32), intent(in), target :: x(:), y(:)
    type(vector_real32) :: v, w
    call make(this)
    if (size(x, kind=c_intptr_t) /= size(y, kind=c_intptr_t)) call exakt_refuse("exakt_accumulator: x and y differ in size")
    v = of_vector(x)
    w = of_vector(y)
    call exakt_finish(c_products_real32(c_loc(this%memory), v%n, v%lowest, v%stride, w%lowest, w%stride))
  end subroutine

  subroutine merge_with(this, other)
    class(exakt_accumulator), intent(inout), target :: this
    class(exakt_accumulator), intent(in), target :: other
    call make(this)
    if (other%is_made) call exakt_finish(c_merge(c_loc(this%memory), c_loc(other%memory)))
  end subroutine

  subroutine subtract(this, other)
    class(exakt_accumulator), intent(inout), target :: this
    class(exakt_accumulator), intent(in), target :: other
    call make(this)
    if (other%is_made) call exakt_finish(c_subtract(c_loc(this%memory), c_loc(other%memory)))
  end subroutine

  subroutine clear(this)
    class(exakt_accumulator), intent(inout), target :: this
    if (this%is_made) call exakt_finish(c_clear(c_loc(this%memory)))
  end subroutine

  real(real64) function round_to_real64(this, rounding)
    class(exakt_accumulator), intent(inout), target :: this
    integer, intent(in), optional :: rounding
    real(real64), target :: r
    r = 0
    call make(this)
    call exakt_finish(c_round_real64(c_loc(this%memory), exakt_mode(rounding), c_loc(r)))
    round_to_real64 = r
  end function

  real(real32) function round_to_real32(this, rounding)
    class(exakt_accumulator), intent(inout), target :: this
    integer, intent(in), optional :: rounding
    real(real32), target :: r
    r = 0
    call make(this)
    call exakt_finish(c_round_real32(c_loc(this%memory), exakt_mode(rounding), c_loc(r)))
    round_to_real32 = r
  end function

  !> The exact values are the same.
  logical function equals(this, other)
    class(exakt_accumulator), intent(inout), target :: this, other
    integer(c_int) :: equal
    equal = 0
    call make(this)
    call make(other)
    call exakt_finish(c_equal(c_loc(this%memory), c_loc(other%memory), equal))
    equals = equal == 1
  end function

  !> The sum as bytes, of one form on all machines: equal sums have equal bytes. What reads them is here, in C, or in C++
  !> a DotAccumulator<double>.
  function to_bytes(this) result(bytes)
    class(exakt_accumulator), intent(inout), target :: this
    integer(int8), allocatable :: bytes(:)
    integer(int8), target :: room(exakt_bytes_at_most)
    integer(c_size_t) :: n
    n = 0
    call make(this)
    call exakt_finish(c_to_bytes(c_loc(this%memory), c_loc(room), exakt_bytes_at_most, n))
    bytes = room(1:n)
  end function

  !> The sum that such bytes are, or those of a SumAccumulator<double> of C++ and of an EXAKT_SUM of C, instead of what was
  !> there; that stays if they are damaged.
  subroutine from_bytes(this, bytes, status)
    class(exakt_accumulator), intent(inout), target :: this
    integer(int8), intent(in) :: bytes(:)
    integer, intent(out), optional :: status
    integer(int8), allocatable, target :: copy(:)
    type(c_ptr) :: created
    integer(c_int) :: found
    integer(c_size_t) :: n
    integer :: failed
    n = size(bytes, kind=c_size_t)
    ! One byte more, for nothing has no address.
    allocate (copy(n + 1), stat=failed)
    if (failed /= 0) then
      call exakt_finish(exakt_no_memory("a copy of the bytes"), status)
      return
    end if
    copy(1:n) = bytes
    found = c_from_bytes(c_loc(copy), n, created)
    if (found == exakt_success) then
      call make(this)
      call exakt_finish(c_clear(c_loc(this%memory)))
      found = c_merge(c_loc(this%memory), created)
      call exakt_finish(c_destroy(created))
    end if
    call exakt_finish(found, status)
  end subroutine

end module
