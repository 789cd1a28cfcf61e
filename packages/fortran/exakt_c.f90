! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> What the modules of both kinds share: the functions of exakt.h, addresses and strides of arrays, and what becomes of a
!> status.
module exakt_c
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: exakt_reduction, exakt_product, exakt_mode, exakt_finish, exakt_stride, exakt_letter, exakt_has_letter, &
            exakt_message
  public :: exakt_refuse, exakt_no_memory
  public :: c_create, c_create_in, c_destroy, c_clear, c_merge, c_subtract, c_equal, c_to_words
  public :: c_to_bytes, c_from_bytes, c_add_words, c_add_real64, c_add_real32, c_products_real64, c_products_real32
  public :: c_round_real64, c_round_real32

  ! The numbers of exakt.h.
  integer, parameter, public :: exakt_success = 0, exakt_invalid_argument = 1, exakt_out_of_memory = 2, &
                                exakt_internal_error = 3
  integer, parameter, public :: exakt_to_nearest = 0, exakt_toward_zero = 1, exakt_upward = 2, exakt_downward = 3
  integer, parameter, public :: exakt_sum_words = 72
  integer(c_size_t), parameter, public :: exakt_accumulator_size = 1024, exakt_bytes_at_most = 1024
  integer(c_int), parameter, public :: column_major = 102, no_trans = 111
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
  end interface

  ! Bodies, for gfortran 12 forgets the attribute `value` of procedures that are declared by another's interface and used by
  ! another module.
  interface
    integer(c_int) function c_create(kind, a) bind(C, name="exakt_accumulator_create")
      import :: c_int, c_ptr
      integer(c_int), value :: kind
      type(c_ptr), intent(out) :: a
    end function
    integer(c_int) function c_create_in(kind, memory, capacity, a) bind(C, name="exakt_accumulator_create_in")
      import :: c_int, c_ptr, c_size_t
      integer(c_int), value :: kind
      type(c_ptr), value :: memory
      integer(c_size_t), value :: capacity
      type(c_ptr), intent(out) :: a
    end function
    integer(c_int) function c_destroy(a) bind(C, name="exakt_accumulator_destroy")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
    end function
    integer(c_int) function c_clear(a) bind(C, name="exakt_accumulator_clear")
      import :: c_int, c_ptr
      type(c_ptr), value :: a
    end function
    integer(c_int) function c_merge(a, b) bind(C, name="exakt_accumulator_merge")
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
    end function
    integer(c_int) function c_subtract(a, b) bind(C, name="exakt_accumulator_subtract")
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
    end function
    integer(c_int) function c_equal(a, b, equal) bind(C, name="exakt_accumulator_equal")
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
      integer(c_int), intent(out) :: equal
    end function
    integer(c_int) function c_to_words(a, b) bind(C, name="exakt_accumulator_to_words")
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
    end function
    integer(c_int) function c_add_words(a, b) bind(C, name="exakt_accumulator_add_words")
      import :: c_int, c_ptr
      type(c_ptr), value :: a, b
    end function
    integer(c_int) function c_to_bytes(a, bytes, capacity, size) bind(C, name="exakt_accumulator_to_bytes")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: a, bytes
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: size
    end function
    integer(c_int) function c_from_bytes(bytes, size, a) bind(C, name="exakt_accumulator_from_bytes")
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: bytes
      integer(c_size_t), value :: size
      type(c_ptr), intent(out) :: a
    end function
    integer(c_int) function c_add_real64(a, n, x, incx) bind(C, name="exakt_accumulator_add_array")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx
      type(c_ptr), value :: a, x
    end function
    integer(c_int) function c_add_real32(a, n, x, incx) bind(C, name="exakt_accumulator_add_floats")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx
      type(c_ptr), value :: a, x
    end function
    integer(c_int) function c_products_real64(a, n, x, incx, y, incy) bind(C, name="exakt_accumulator_add_products")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx, incy
      type(c_ptr), value :: a, x, y
    end function
    integer(c_int) function c_products_real32(a, n, x, incx, y, incy) bind(C, name="exakt_accumulator_add_float_products")
      import :: c_int, c_intptr_t, c_ptr
      integer(c_intptr_t), value :: n, incx, incy
      type(c_ptr), value :: a, x, y
    end function
    integer(c_int) function c_round_real64(a, mode, r) bind(C, name="exakt_accumulator_round")
      import :: c_int, c_ptr
      integer(c_int), value :: mode
      type(c_ptr), value :: a, r
    end function
    integer(c_int) function c_round_real32(a, mode, r) bind(C, name="exakt_accumulator_round_float")
      import :: c_int, c_ptr
      integer(c_int), value :: mode
      type(c_ptr), value :: a, r
    end function
    subroutine c_set_message(text) bind(C, name="exakt_set_message")
      import :: c_char
      character(kind=c_char), intent(in) :: text(*)
    end subroutine
  end interface

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
    call c_set_message(sentence//c_null_char)
    if (present(status)) then
      status = exakt_invalid_argument
    else
      call exakt_stop(sentence)
    end if
  end subroutine

  !> The status where something cannot be allocated here: a copy of what, say.
  integer(c_int) function exakt_no_memory(what)
    character(*), intent(in) :: what
    call c_set_message("there is not enough memory for "//what//c_null_char)
    exakt_no_memory = exakt_out_of_memory
  end function

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

  !> Whether a mode, if there is one, begins with a letter of a choice like "N, T or C"; else the function refuses it.
  logical function exakt_has_letter(function_name, name, mode, choice, status)
    character(*), intent(in) :: function_name, name, choice
    character(*), intent(in), optional :: mode
    integer, intent(out), optional :: status
    character :: letter
    letter = exakt_letter(mode, choice(1:1))
    exakt_has_letter = letter >= 'A' .and. letter <= 'Z' .and. index(choice, letter) /= 0
    if (.not. exakt_has_letter) &
      call exakt_refuse(function_name//": "//name//" is '"//mode//"'; it must be "//choice, status)
  end function

end module
