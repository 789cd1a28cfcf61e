! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> What the modules of both kinds share: the functions of exakt.h, addresses and strides of arrays, and what becomes of a
!> status.
module exakt_c
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: exakt_reduction, exakt_product, exakt_mode, exakt_finish, exakt_stride, exakt_letter, exakt_message
  public :: exakt_refuse

  ! The numbers of exakt.h.
  integer, parameter, public :: exakt_success = 0, exakt_invalid_argument = 1, exakt_out_of_memory = 2, &
                                exakt_internal_error = 3
  integer, parameter, public :: exakt_to_nearest = 0, exakt_toward_zero = 1, exakt_upward = 2, exakt_downward = 3
  integer, parameter, public :: exakt_sum_words = 72
  integer(c_int), parameter, public :: row_major = 101, column_major = 102, no_trans = 111, trans_ = 112
  integer(c_int), parameter, public :: kind_sum = 0, kind_dot = 1

  abstract interface
    integer(c_int) function exakt_reduction(n, x, incx, mode, r) bind(C)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx
      type(c_ptr), value :: x, r
      integer(c_int), value :: mode
    end function
    integer(c_int) function exakt_product(n, x, incx, y, incy, mode, r) bind(C)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx, incy
      type(c_ptr), value :: x, y, r
      integer(c_int), value :: mode
    end function
    integer(c_int) function on_one(a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: a
    end function
    integer(c_int) function on_two(a, b) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
    end function
    integer(c_int) function creating(kind, a) bind(C)
      import :: c_int, c_ptr
      integer(c_int), value :: kind
      type(c_ptr), intent(out) :: a
    end function
    integer(c_int) function copying(from, a) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: from
      type(c_ptr), intent(out) :: a
    end function
    integer(c_int) function adding_array(a, n, x, incx) bind(C)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx
      type(c_ptr), value :: a, x
    end function
    integer(c_int) function adding_products(a, n, x, incx, y, incy) bind(C)
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx, incy
      type(c_ptr), value :: a, x, y
    end function
    integer(c_int) function rounding_sum(a, mode, r) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: a, r
      integer(c_int), value :: mode
    end function
    integer(c_int) function comparing(a, b, equal) bind(C)
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
      integer(c_int), intent(out) :: equal
    end function
  end interface

  procedure(creating), bind(C, name="exakt_accumulator_create"), public :: c_create
  procedure(copying), bind(C, name="exakt_accumulator_copy"), public :: c_copy
  procedure(on_one), bind(C, name="exakt_accumulator_destroy"), public :: c_destroy
  procedure(on_one), bind(C, name="exakt_accumulator_clear"), public :: c_clear
  procedure(on_two), bind(C, name="exakt_accumulator_merge"), public :: c_merge
  procedure(on_two), bind(C, name="exakt_accumulator_subtract"), public :: c_subtract
  procedure(comparing), bind(C, name="exakt_accumulator_equal"), public :: c_equal
  procedure(on_two), bind(C, name="exakt_accumulator_to_words"), public :: c_to_words
  procedure(on_two), bind(C, name="exakt_accumulator_add_words"), public :: c_add_words
  procedure(adding_array), bind(C, name="exakt_accumulator_add_array"), public :: c_add_real64
  procedure(adding_array), bind(C, name="exakt_accumulator_add_floats"), public :: c_add_real32
  procedure(adding_products), bind(C, name="exakt_accumulator_add_products"), public :: c_products_real64
  procedure(adding_products), bind(C, name="exakt_accumulator_add_float_products"), public :: c_products_real32
  procedure(rounding_sum), bind(C, name="exakt_accumulator_round"), public :: c_round_real64
  procedure(rounding_sum), bind(C, name="exakt_accumulator_round_float"), public :: c_round_real32

contains

  !> The mode that a function was given, or the default.
  integer(c_int) function exakt_mode(rounding)
    integer, intent(in), optional :: rounding
    exakt_mode = exakt_to_nearest
    if (present(rounding)) exakt_mode = int(rounding, c_int)
  end function

  !> Hands a status to the caller, or stops with the library's sentence if nobody asked for it.
  subroutine exakt_finish(found, status)
    integer(c_int), intent(in) :: found
    integer, intent(out), optional :: status
    if (present(status)) then
      status = int(found)
    else if (found /= exakt_success) then
      call exakt_stop(exakt_message())
    end if
  end subroutine

  !> The same for what Fortran finds wrong before the library is called.
  subroutine exakt_refuse(sentence, status)
    character(*), intent(in) :: sentence
    integer, intent(out), optional :: status
    if (present(status)) then
      status = exakt_invalid_argument
    else
      call exakt_stop(sentence)
    end if
  end subroutine

  subroutine exakt_stop(sentence)
    use, intrinsic :: iso_fortran_env, only: error_unit
    character(*), intent(in) :: sentence
    write (error_unit, '(a)') sentence
    error stop 1
  end subroutine

  !> Why the last call of this thread that failed did so.
  function exakt_message() result(text)
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    interface
      type(c_ptr) function c_message() bind(C, name="exakt_message")
        import :: c_ptr
      end function
      integer(c_size_t) function strlen(s) bind(C)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
      end function
    end interface
    type(c_ptr) :: from
    integer :: i
    from = c_message()
    call c_f_pointer(from, letters, [strlen(from)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

  !> From an entry to the next, in entries of so many bytes.
  integer(c_intptr_t) function exakt_stride(first, second, bytes)
    type(c_ptr), intent(in) :: first, second
    integer(c_intptr_t), intent(in) :: bytes
    exakt_stride = (transfer(second, 0_c_intptr_t) - transfer(first, 0_c_intptr_t))/bytes
  end function

  !> The first letter of a mode, in upper case.
  character function exakt_letter(mode, otherwise)
    character(*), intent(in), optional :: mode
    character, intent(in) :: otherwise
    exakt_letter = otherwise
    if (present(mode)) then
      exakt_letter = ' '
      if (len(mode) > 0) exakt_letter = mode(1:1)
      if (exakt_letter >= 'a' .and. exakt_letter <= 'z') exakt_letter = achar(iachar(exakt_letter) - 32)
    end if
  end function

end module
