! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> The module exakt, with results that are known in integers: whole arrays, sections of any stride, parts of derived types.
program test_fortran
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_negative_inf, ieee_positive_inf, ieee_quiet_nan, ieee_value
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: real32, real64, int8, int32, int64, error_unit
  use exakt
  use exakt_real64, only: vector_real64, of_vector
  implicit none
  integer, parameter :: n = 1000
  type :: particle
    real(real64) :: mass, x
    real(real32) :: charge, padding
  end type
  integer :: failures = 0

  call test_vectors()
  call test_sections_are_not_copied()
  call test_complex()
  call test_complex_sections()
  call test_complex_sums_in_modes()
  call test_complex_norms()
  call test_complex_norms_in_modes()
  call test_complex_statistics()
  call test_scans()
  call test_complex_scans()
  call test_segments()
  call test_products()
  call test_complex_products()
  call test_rounding_of_complex_products()
  call test_triangles()
  call test_complex_triangles()
  call test_accumulators()
  call test_statistics()
  call test_refusals()
  call test_lack_of_memory()
  if (failures > 0) error stop 1
  print '(a)', "the module exakt: no failures"

contains

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    write (error_unit, '(2a)') "failed: ", what
    failures = failures + 1
  end subroutine

  !> Integers of 20 bits, the same in every run.
  integer(int64) function number(i)
    integer, intent(in) :: i
    number = mod(int(i, int64)*7919_int64*104729_int64 + 12345_int64, 1048576_int64) - 524288_int64
  end function

  subroutine test_vectors()
    real(real64), target :: x(n), y(n)
    real(real32) :: s(n)
    real(real64) :: third(3)
    type(particle) :: p(n)
    integer(int64) :: total, dot, every_third, squares
    integer :: i
    total = 0; dot = 0; every_third = 0; squares = 0
    do i = 1, n
      x(i) = real(number(i), real64)
      y(i) = real(number(i + n), real64)
      s(i) = real(number(i), real32)
      p(i) = particle(real(number(i), real64), 0.1d0, real(number(i + n), real32), 0.0)
      total = total + number(i)
      dot = dot + number(i)*number(i + n)
      squares = squares + number(i)**2
      if (mod(i, 3) == 1) every_third = every_third + number(i)
    end do
    call check(exakt_sum(x) == total, "sum")
    call check(exakt_sum(s) == real(total, real32), "sum of real32")
    call check(exakt_dot(s(3:1:-1), [1.0, 2.0, 3.0]) == real(number(3) + 2*number(2) + 3*number(1), real32), "dot of real32")
    call check(exakt_sum(x(1:n:3)) == every_third, "sum of every third")
    call check(exakt_sum(x(n:1:-1)) == total, "sum backwards")
    call check(exakt_sum(p%mass) == total, "sum of components")
    call check(exakt_dot(p%mass, p%charge*1d0) == dot, "dot of components")
    call check(exakt_dot(x, y) == dot, "dot")
    call check(exakt_dot(x(n:1:-1), y(n:1:-1)) == dot, "dot backwards")
    call check(exakt_dot(x(n:1:-1), y) == crossed(), "dot of one backwards")
    call check(exakt_dot(x(1:n:2), y(2:n:2)) == shifted(), "dot of two sections")
    call check(exakt_nrm1(x) == sum_of_magnitudes(), "nrm1")
    call check(exakt_nrm2_squared(x) == squares, "nrm2_squared")
    call check(exakt_nrm2([3d0, 4d0]*2d0**600) == 5*2d0**600, "nrm2 beyond the range of squares")
    third = [1d0, 0d0, 0d0]
    call check(exakt_mean(third) == 1/3d0, "mean")
    call check(exakt_mean(third, exakt_upward) == nearest(1/3d0, 1d0), "mean upward")
    call check(exakt_mean(third, exakt_downward) == 1/3d0, "mean downward")
    call check(exakt_sum(x(1:0)) == 0, "the empty sum")
    ! What plain sums lose.
    x(7) = 1d300; x(n) = -1d300
    call check(exakt_sum(x) == total - number(7) - number(n), "sum of what cancels")
  end subroutine

  integer(int64) function crossed()
    integer :: k
    crossed = 0
    do k = 1, n
      crossed = crossed + number(n + 1 - k)*number(k + n)
    end do
  end function

  integer(int64) function shifted()
    integer :: k
    shifted = 0
    do k = 1, n, 2
      shifted = shifted + number(k)*number(k + 1 + n)
    end do
  end function

  integer(int64) function sum_of_magnitudes()
    integer :: k
    sum_of_magnitudes = 0
    do k = 1, n
      sum_of_magnitudes = sum_of_magnitudes + abs(number(k))
    end do
  end function

  subroutine test_sections_are_not_copied()
    real(real64), target :: x(n), a(4, 5)
    type(vector_real64) :: v
    v = of_vector(x(3:n:5))
    call check(c_associated(v%lowest, c_loc(x(3))) .and. v%stride == 5, "a section")
    v = of_vector(x(n:1:-2))
    call check(c_associated(v%lowest, c_loc(x(2))) .and. v%stride == -2, "a section backwards")
    v = of_vector(a(2, :))
    call check(c_associated(v%lowest, c_loc(a(2, 1))) .and. v%stride == 4 .and. v%n == 5, "a row")
  end subroutine

  subroutine test_complex()
    complex(real64) :: x(3), y(3), z
    x = [(1d0, 2d0), (1d300, -1d300), (-1d300, 1d300)]
    y = [(3d0, -1d0), (1d0, 1d0), (1d0, 1d0)]
    z = exakt_sum(x)
    call check(real(z) == 1 .and. aimag(z) == 2, "complex sum")
    z = exakt_sum(x(3:1:-2))
    call check(real(z) == -1d300 .and. aimag(z) == 1d300, "complex sum of a section")
    ! conjg(1 + 2i) (3 - i) = 1 - 7i; the others cancel.
    z = exakt_dot(x, y)
    call check(real(z) == 1 .and. aimag(z) == -7, "complex dot")
  end subroutine

  !> Strides of either sign, and parts of types: from one of these to the next it is one complex number and a half.
  subroutine test_complex_sections()
    type :: sample
      complex(real64) :: value
      real(real64) :: weight
    end type
    type :: narrow_sample
      complex(real32) :: value
      real(real32) :: weight
    end type
    complex(real64) :: x(2*n), y(n), z
    complex(real32) :: s(n), w
    type(sample) :: p(n)
    type(narrow_sample) :: q(n)
    complex(real64) :: total, mean, dot, crossed
    real(real64) :: nrm1, squares
    integer(int64) :: a(n), b(n), c(n), d(n)
    integer :: i
    x = cmplx(ieee_value(1d0, ieee_quiet_nan), -1d300, real64)
    do i = 1, n
      a(i) = number(i); b(i) = number(i + 5); c(i) = number(i + 2*n); d(i) = number(i + 3*n)
      x(2*i) = cmplx(a(i), b(i), real64)
      y(i) = cmplx(c(i), d(i), real64)
      s(i) = cmplx(c(i), d(i), real32)
      p(i) = sample(x(2*i), ieee_value(1d0, ieee_quiet_nan))
      q(i) = narrow_sample(cmplx(a(i), b(i), real32), -1e30)
    end do
    total = cmplx(sum(a), sum(b), real64)
    mean = cmplx(sum(a)/real(n, real64), sum(b)/real(n, real64), real64)
    dot = cmplx(sum(a*c + b*d), sum(a*d - b*c), real64)
    crossed = cmplx(sum(a(n:1:-1)*c + b(n:1:-1)*d), sum(a(n:1:-1)*d - b(n:1:-1)*c), real64)
    nrm1 = real(sum(abs(a) + abs(b)), real64)
    squares = real(sum(a*a + b*b), real64)
    call check(exakt_sum(x(2::2)) == total .and. exakt_sum(x(2*n:1:-2)) == total .and. exakt_sum(p%value) == total .and. &
               exakt_sum(p(n:1:-1)%value) == total, "complex sums of sections")
    call check(exakt_mean(x(2::2)) == mean .and. exakt_mean(x(2*n:1:-2)) == mean .and. exakt_mean(p%value) == mean, &
               "complex means of sections")
    call check(exakt_nrm1(p%value) == nrm1 .and. exakt_nrm2_squared(p(n:1:-1)%value) == squares .and. &
               exakt_nrm2(p%value) == sqrt(squares), "complex norms of parts of a type")
    call check(exakt_dot(x(2::2), y) == dot .and. exakt_dot(x(2*n:1:-2), y(n:1:-1)) == dot .and. &
               exakt_dot(p%value, y) == dot .and. exakt_dot(y(n:1:-1), p(n:1:-1)%value) == conjg(dot), "complex dots of sections")
    call check(exakt_dot(x(2*n:1:-2), y) == crossed .and. exakt_dot(x(2::2), y(n:1:-1)) == cmplx(sum(a*c(n:1:-1) + &
               b*d(n:1:-1)), sum(a*d(n:1:-1) - b*c(n:1:-1)), real64), "complex dots of one backwards")
    ! Of integers below 2**53 the conversion to real32 is one rounding.
    call check(exakt_sum(q%value) == cmplx(total, kind=real32) .and. exakt_dot(q%value, s) == cmplx(dot, kind=real32) .and. &
               exakt_dot(q(n:1:-1)%value, s) == cmplx(crossed, kind=real32) .and. &
               exakt_nrm1(q%value) == real(nrm1, real32), "complex parts of a type, of real32")
    ! What plain sums lose: each part for itself.
    x(2) = (1d300, -1d300); x(2*n) = (-1d300, 1d300); y(n) = y(1)
    call check(exakt_sum(x(2::2)) == total - cmplx(a(1) + a(n), b(1) + b(n), real64), "complex sum of what cancels")
    z = cmplx(sum(a(2:n - 1)*c(2:n - 1) + b(2:n - 1)*d(2:n - 1)), sum(a(2:n - 1)*d(2:n - 1) - b(2:n - 1)*c(2:n - 1)), real64)
    call check(exakt_dot(x(2::2), y) == z .and. exakt_dot(x(2*n:1:-2), y(n:1:-1)) == z, "complex dot of what cancels")
    p(3)%value = cmplx(1d0, ieee_value(1d0, ieee_quiet_nan), real64)
    z = exakt_sum(p%value)
    call check(real(z) == real(total) - a(3) + 1 .and. ieee_is_nan(aimag(z)), "complex sum with NaN in one part")
    z = exakt_dot(p%value, y)
    call check(ieee_is_nan(real(z)) .and. ieee_is_nan(aimag(z)), "complex dot with NaN")
    z = exakt_dot([cmplx(ieee_value(1d0, ieee_positive_inf), 1d0, real64)], [(2d0, 0d0)])
    call check(real(z) > huge(1d0) .and. ieee_is_nan(aimag(z)), "complex dot of infinity and zero")
    z = exakt_dot(x(1:0), y(1:0))
    w = exakt_sum(s(1:0))
    call check(z == 0 .and. exakt_sum(p(1:0)%value) == 0 .and. w == 0, "complex sums and dots of nothing")
  end subroutine

  subroutine test_complex_sums_in_modes()
    integer, parameter :: modes(4) = [exakt_to_nearest, exakt_toward_zero, exakt_upward, exakt_downward]
    complex(real64) :: tie(4), ones(2), zeros(2), z(3)
    complex(real32) :: narrow(2), w(2)
    real(real64) :: re(4), im(4)
    integer :: k, status, status_of_dot
    ! 1 + 2**(-53) and its negative, ties; of real32 1 + 2**(-24).
    tie = [(1d0, -1d0), (7d0, 7d0), (0d0, 0d0), (7d0, 7d0)]
    tie(3) = 2d0**(-53)*tie(1)
    narrow = [(1.0, -1.0), (0.0, 0.0)]
    narrow(2) = 2.0**(-24)*narrow(1)
    ones = 1
    zeros = 0
    re = [1d0, 1d0, nearest(1d0, 1d0), 1d0]
    im = -[1d0, 1d0, 1d0, nearest(1d0, 1d0)]
    do k = 1, 4
      z = [exakt_sum(tie(1:3:2), modes(k), status), exakt_dot(ones, tie(1:3:2), modes(k), status_of_dot), &
           exakt_dot(ones, tie(3:1:-2), modes(k))]
      call check(status == exakt_success .and. status_of_dot == exakt_success .and. all(real(z) == re(k)) .and. &
                 all(aimag(z) == im(k)), "complex sums and dots in modes")
      w = [exakt_sum(narrow, modes(k)), exakt_dot(cmplx(ones, kind=real32), narrow, modes(k))]
      call check(all(real(w) == merge(nearest(1.0, 1.0), 1.0, k == 3)) .and. &
                 all(aimag(w) == -merge(nearest(1.0, 1.0), 1.0, k == 4)), "complex sums and dots of real32 in modes")
      z = [exakt_sum(zeros, modes(k)), exakt_dot(zeros, zeros, modes(k)), exakt_dot(ones, [(1d0, 1d0), (-1d0, -1d0)], modes(k))]
      call check(all(z == 0) .and. all(sign(1d0, [real(z), aimag(z)]) == merge(-1, 1, k == 4)), "the sign of complex zeros")
    end do
    z(1) = exakt_sum(tie, 7, status)
    call check(status == exakt_invalid_argument .and. z(1) == 0 .and. &
               index(exakt_message(), "exakt_zsum_rounded: the rounding mode is 7") == 1, "complex sum in an unknown mode")
    z(1) = exakt_dot(tie, tie, 7, status)
    call check(status == exakt_invalid_argument .and. z(1) == 0 .and. &
               index(exakt_message(), "exakt_zdotc_rounded: the rounding mode is 7") == 1, "complex dot in an unknown mode")
    z(1) = exakt_dot(tie, ones, status=status)
    call check(status == exakt_invalid_argument .and. z(1) == 0 .and. exakt_message() == "exakt_dot: x and y differ in size", &
               "complex dot of different sizes")
  end subroutine

  !> Arrays that are 2n numbers one after the other, backwards too, and such that are not.
  subroutine test_complex_norms()
    complex(real64) :: z(3*n), few(5)
    complex(real32) :: s(3*n), narrow(6)
    integer(int64) :: magnitudes(3), squares(3)
    integer :: i, k
    magnitudes = 0; squares = 0
    do i = 1, 3*n
      z(i) = cmplx(number(i), number(i + 5), real64)
      s(i) = cmplx(number(i), number(i + 5), real32)
      k = mod(i - 1, 3) + 1
      magnitudes(k) = magnitudes(k) + abs(number(i)) + abs(number(i + 5))
      squares(k) = squares(k) + number(i)**2 + number(i + 5)**2
    end do
    call check(exakt_nrm1(z) == sum(magnitudes) .and. exakt_nrm1(z(3*n:1:-1)) == sum(magnitudes), "complex nrm1")
    call check(exakt_nrm1(z(2::3)) == magnitudes(2) .and. exakt_nrm1(z(3*n:1:-3)) == magnitudes(3), "complex nrm1 of sections")
    call check(exakt_nrm1(s) == real(sum(magnitudes), real32) .and. &
               exakt_nrm1(s(3*n - 2:1:-3)) == real(magnitudes(1), real32), "complex nrm1 of real32")
    call check(exakt_nrm2_squared(z) == sum(squares) .and. exakt_nrm2_squared(z(3*n:1:-1)) == sum(squares), &
               "complex nrm2_squared")
    call check(exakt_nrm2_squared(z(1::3)) == squares(1) .and. exakt_nrm2_squared(z(3*n:1:-3)) == squares(3), &
               "complex nrm2_squared of sections")
    call check(exakt_nrm2_squared(s(2::3)) == real(squares(2), real32), "complex nrm2_squared of real32")
    ! The sums are below 2**53: their roots as doubles are rounded once.
    call check(exakt_nrm2(z) == sqrt(real(sum(squares), real64)) .and. &
               exakt_nrm2(z(3*n:1:-3)) == sqrt(real(squares(3), real64)), "complex nrm2")
    few = [(3d0, 4d0), (0d0, 0d0), (12d0, 0d0), (0d0, 0d0), (0d0, 84d0)]
    few = few*2d0**600
    call check(exakt_nrm2(few) == 85*2d0**600 .and. exakt_nrm2(few(5:1:-2)) == 85*2d0**600, "complex nrm2 beyond squares")
    call check(exakt_nrm2_squared(few(1:5:2)) > huge(1d0) .and. &
               exakt_nrm2_squared(few(1:5:2), exakt_downward) == huge(1d0), "complex nrm2_squared that overflows")
    ! The root is 2**(-81) above a tie of real32: a double in between would be that tie.
    narrow = 0
    narrow(1) = cmplx(1.0, 2.0**(-12))
    narrow(3) = cmplx(2.0**(-12), 2.0**(-24))
    narrow(5) = cmplx(2.0**(-40), 0.0)
    call check(exakt_nrm2(narrow) == 1 + epsilon(1.0) .and. exakt_nrm2(narrow(1:5:2)) == 1 + epsilon(1.0), &
               "complex nrm2 of real32, rounded once")
    call check(exakt_nrm1(z(1:0)) == 0 .and. exakt_nrm2(z(1:0)) == 0 .and. exakt_nrm2_squared(s(1:0)) == 0, &
               "complex norms of nothing")
    few = 0
    few(3) = cmplx(0d0, ieee_value(1d0, ieee_negative_inf), real64)
    call check(all([exakt_nrm1(few), exakt_nrm1(few(1:5:2)), exakt_nrm2(few), exakt_nrm2(few(1:5:2))] > huge(1d0)), &
               "complex norms of infinity")
    few(1) = cmplx(ieee_value(1d0, ieee_quiet_nan), 0d0, real64)
    call check(all(ieee_is_nan([exakt_nrm1(few), exakt_nrm1(few(1:5:2)), exakt_nrm2(few), exakt_nrm2(few(1:5:2))])), &
               "complex norms of NaN")
  end subroutine

  subroutine test_complex_norms_in_modes()
    integer, parameter :: modes(4) = [exakt_to_nearest, exakt_toward_zero, exakt_upward, exakt_downward]
    complex(real64) :: tie(3), ones(3), zeros(3), third(5), z
    complex(real32) :: thirds(3), w
    real(real64) :: wanted(4), r
    real(real32) :: s
    integer :: k, status
    ! 1 + 2**(-53), a tie; and the root of 2, whose nearest double is above it.
    tie = [(1d0, 0d0), (0d0, 0d0), (0d0, 1d0)]
    tie(3) = 2d0**(-53)*tie(3)
    ones = [(1d0, 0d0), (0d0, 0d0), (0d0, -1d0)]
    zeros = 0
    third = 0
    third(1) = (1d0, -2d0)
    thirds = [(1.0, -2.0), (0.0, 0.0), (0.0, 0.0)]
    do k = 1, 4
      wanted = [1d0, 1d0, nearest(1d0, 1d0), 1d0]
      call check(exakt_nrm1(tie, modes(k)) == wanted(k) .and. exakt_nrm1(tie(1:3:2), modes(k)) == wanted(k), &
                 "complex nrm1 in modes")
      wanted = [sqrt(2d0), nearest(sqrt(2d0), -1d0), sqrt(2d0), nearest(sqrt(2d0), -1d0)]
      call check(exakt_nrm2(ones, modes(k)) == wanted(k) .and. exakt_nrm2(ones(3:1:-2), modes(k)) == wanted(k), &
                 "complex nrm2 in modes")
      wanted = [1d0, 1d0, nearest(1d0, 1d0), 1d0]
      call check(exakt_nrm2_squared(tie, modes(k)) == wanted(k) .and. &
                 exakt_nrm2_squared(tie(1:3:2), modes(k)) == wanted(k), "complex nrm2_squared in modes")
      r = sign(1d0, exakt_nrm1(zeros, modes(k)))
      call check(sign(1d0, exakt_nrm1(zeros(1:3:2), modes(k))) == r .and. sign(1d0, exakt_nrm2(zeros, modes(k))) == r .and. &
                 sign(1d0, exakt_nrm2(zeros(1:3:2), modes(k))) == r .and. r == merge(-1, 1, k == 4), "the sign of norms of 0")
      ! The doubles 1/3 and 2/3 are below these numbers.
      z = exakt_mean(third(1:5:2), modes(k), status)
      wanted = [1/3d0, 1/3d0, nearest(1/3d0, 1d0), 1/3d0]
      call check(status == exakt_success .and. real(z) == wanted(k), "complex mean in modes, real")
      wanted = [-2/3d0, -2/3d0, -2/3d0, -nearest(2/3d0, 1d0)]
      call check(aimag(z) == wanted(k), "complex mean in modes, imaginary")
    end do
    ! The real32 of 1/3 and 2/3 are above these numbers.
    w = exakt_mean(thirds(3:1:-1), exakt_downward)
    call check(real(w) == nearest(1/3.0, -1.0) .and. aimag(w) == -(2/3.0), "complex mean of real32, downward")
    z = exakt_mean([(1d300, 1d0), (1d0, -1d300), (-1d300, 1d300), (2d0, 2d0)])
    call check(real(z) == 0.75d0 .and. aimag(z) == 0.75d0, "complex mean of what cancels")
    z = exakt_mean(zeros(1:0))
    call check(ieee_is_nan(real(z)) .and. ieee_is_nan(aimag(z)), "complex mean of nothing")
    r = exakt_nrm1(tie, 7, status)
    call check(status == exakt_invalid_argument .and. index(exakt_message(), "exakt_znrm1_rounded: the rounding mode is 7") == 1, &
               "complex nrm1 in an unknown mode")
    r = exakt_nrm1(tie(1:3:2), 7, status)
    call check(status == exakt_invalid_argument .and. r == 0, "complex nrm1 of a section in an unknown mode")
    r = exakt_nrm2(tie(1:3:2), 7, status)
    call check(status == exakt_invalid_argument .and. r == 0, "complex nrm2 of a section in an unknown mode")
    s = exakt_nrm2_squared(thirds(1:3:2), -1, status)
    call check(status == exakt_invalid_argument .and. s == 0, "complex nrm2_squared of a section in an unknown mode")
    z = exakt_mean(third, 7, status)
    call check(status == exakt_invalid_argument .and. real(z) == 0 .and. aimag(z) == 0, "complex mean in an unknown mode")
    r = exakt_nrm2(tie(1:3:2), status=status)
    call check(status == exakt_success .and. r == 1, "a complex norm that succeeds")
  end subroutine

  !> Numerators and denominators below 2**53, as of real numbers below.
  subroutine test_complex_statistics()
    integer, parameter :: few = 30
    complex(real64) :: x(2*few), ninths(3)
    complex(real32) :: s(few)
    integer(int64) :: a(few), b(few), numerator
    integer :: i, status
    real(real64) :: r
    do i = 1, few
      a(i) = mod(number(i), 4096_int64)
      b(i) = mod(number(i + few), 4096_int64)
      x(2*i - 1) = cmplx(a(i), b(i), real64)
      x(2*i) = (0.1d0, 1d300)
      s(i) = cmplx(a(i), b(i), real32)
    end do
    numerator = few*sum(a*a) - sum(a)**2 + few*sum(b*b) - sum(b)**2
    call check(exakt_variance(x(1::2)) == real(numerator, real64)/(few*(few - 1)), "complex variance")
    call check(exakt_variance(x(2*few - 1:1:-2), 0) == real(numerator, real64)/few**2, &
               "complex variance of a population, backwards")
    call check(exakt_variance(s) == real(real(numerator, real64)/(few*(few - 1)), real32), "complex variance of real32")
    call check(exakt_stddev([(0d0, 0d0), (6d0, 8d0)], 0) == 5 .and. exakt_stddev([(0.0, 8.0), (6.0, 0.0)], ddof=0) == 5, &
               "complex stddev")
    ! The double next to 2/9 is below that.
    ninths = [(0d0, 0d0), (0d0, 1d0), (0d0, 0d0)]
    call check(exakt_variance(ninths, 0) == 2/9d0 .and. exakt_variance(ninths, 0, exakt_toward_zero) == 2/9d0 .and. &
               exakt_variance(ninths, 0, exakt_downward) == 2/9d0 .and. &
               exakt_variance(ninths, 0, exakt_upward) == nearest(2/9d0, 1d0), "complex variance in modes")
    ! The variance is 2, the nearest double above its root.
    call check(exakt_stddev([(0d0, 0d0), (2d0, 0d0)]) == sqrt(2d0) .and. &
               exakt_stddev([(0d0, 0d0), (0d0, 2d0)], 1, exakt_downward) == nearest(sqrt(2d0), -1d0) .and. &
               exakt_stddev([(0d0, 0d0), (0d0, 2d0)], 1, exakt_toward_zero) == nearest(sqrt(2d0), -1d0) .and. &
               exakt_stddev([(0d0, 0d0), (0d0, 2d0)], rounding=exakt_upward) == sqrt(2d0), "complex stddev in modes")
    call check(exakt_variance([(1d16, 0d0), (10000000000000002d0, 0d0), (10000000000000004d0, 0d0)]) == 4, &
               "complex variance of what cancels")
    call check(ieee_is_nan(exakt_variance([(7d0, 1d0)])) .and. ieee_is_nan(exakt_stddev(x(1:0), 0)), "NaN without spread")
    r = exakt_variance(x, rounding=7, status=status)
    call check(status == exakt_invalid_argument .and. index(exakt_message(), "exakt_dcomplex_variance_rounded: ") == 1, &
               "complex variance in an unknown mode")
    r = exakt_stddev(x, rounding=7, status=status)
    call check(status == exakt_invalid_argument .and. r == 0, "complex stddev in an unknown mode")
    r = exakt_stddev(ninths(1:2), status=status)
    call check(status == exakt_success .and. r == sqrt(0.5d0), "a complex stddev that succeeds")
  end subroutine

  subroutine test_scans()
    integer, parameter :: few = 2100
    real(real64), target :: x(few), r(2*few), ties(3), backwards(few)
    real(real32) :: s(few), t(few)
    real(real64), pointer :: same(:)
    integer(int64) :: prefixes(0:few), from_the_end
    integer :: i, status
    prefixes(0) = 0
    do i = 1, few
      x(i) = real(number(i), real64)
      s(i) = real(64*number(i) + i, real32)
      prefixes(i) = prefixes(i - 1) + number(i)
    end do
    r = -0.5d0
    call exakt_inclusive_scan(x, r(2:2*few:2), status)
    call check(status == exakt_success .and. all(r(2:2*few:2) == prefixes(1:)) .and. all(r(1:2*few:2) == -0.5d0), &
               "inclusive scan into every other entry")
    call exakt_exclusive_scan(x, r(2*few:1:-2))
    call check(all(r(2*few:1:-2) == prefixes(:few - 1)) .and. all(r(1:2*few:2) == -0.5d0), "exclusive scan, written backwards")
    call exakt_inclusive_scan(x(few:1:-1), backwards)
    from_the_end = 0
    do i = few, 1, -1
      from_the_end = from_the_end + number(i)
      if (backwards(few + 1 - i) /= from_the_end) exit
    end do
    call check(i == 0, "inclusive scan, read backwards")
    ! Of integers below 2**62 the conversion to real32 is one rounding, as is each prefix.
    call exakt_inclusive_scan(s, t)
    prefixes(0) = 0
    do i = 1, few
      prefixes(i) = prefixes(i - 1) + int(s(i), int64)
    end do
    call check(all(t == real(prefixes(1:), real32)), "inclusive scan of real32")
    call exakt_exclusive_scan(s(few:1:-3), t(1:few/3), status)
    call check(status == exakt_success .and. t(1) == 0 .and. t(2) == s(few) .and. &
               t(4) == real(int(s(few), int64) + int(s(few - 3), int64) + int(s(few - 6), int64), real32), &
               "exclusive scan of real32, read backwards")
    ! Ties go to the even number, and a prefix knows nothing of how another one was rounded.
    ties = [1d0, 2d0**(-53), 2d0**(-53)]
    call exakt_inclusive_scan(ties, r(:3))
    call check(all(r(:3) == [1d0, 1d0, 1 + epsilon(1d0)]), "prefixes that are ties")
    call exakt_exclusive_scan([1d300, 1d0, -1d300, 5d0], r(:4))
    call check(all(r(:4) == [0d0, 1d300, 1d300, 1d0]), "prefixes that cancel")
    same => ties
    call exakt_inclusive_scan(same(3:1:-1), ties(3:1:-1))
    call check(all(ties == [1 + epsilon(1d0), 2d0**(-52), 2d0**(-53)]), "inclusive scan in its place, backwards")
    call exakt_exclusive_scan(same, ties)
    call check(all(ties == [0d0, 1 + epsilon(1d0), 1 + 2*epsilon(1d0)]), "exclusive scan in its place")
    r(1) = 3
    call exakt_inclusive_scan(x(1:0), r(1:0), status)
    call check(status == exakt_success .and. r(1) == 3, "the inclusive scan of nothing")
    call exakt_exclusive_scan(x(1:0), r(2:1))
    call check(r(1) == 3, "the exclusive scan of nothing")
    call exakt_inclusive_scan(x, r, status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_inclusive_scan: x and r differ in size", &
               "inclusive scan of different sizes")
    call exakt_exclusive_scan(s(2:), t, status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_exclusive_scan: x and r differ in size", &
               "exclusive scan of different sizes")
    call exakt_inclusive_scan(same(1:2), ties(2:3), status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_dinclusive_scan: r and x share memory; one is &
               &written, the other read", "a scan of what it overwrites")
  end subroutine

  subroutine test_complex_scans()
    real(real64), parameter :: half_ulp = 2d0**(-53)
    complex(real64), target :: x(4), r(8), c(4)
    complex(real32) :: s(3), t(3)
    complex(real64), pointer :: same(:)
    integer :: status
    x = [(1d0, 1d300), (half_ulp, 7d0), (half_ulp, -1d300), (4d0, 0d0)]
    r = (-3d0, 5d0)
    call exakt_inclusive_scan(x, r(8:1:-2), status)
    call check(status == exakt_success .and. all(r(8:1:-2) == [(1d0, 1d300), (1d0, 1d300), (1.0000000000000002d0, 7d0), &
                                                              (5d0, 7d0)]) .and. all(r(1:7:2) == (-3d0, 5d0)), &
               "complex inclusive scan, written backwards")
    call exakt_exclusive_scan(x(4:1:-1), r(1:4))
    call check(all(r(1:4) == [(0d0, 0d0), (4d0, 0d0), (4d0, -1d300), (4d0, -1d300)]), "complex exclusive scan")
    c = x
    same => c
    call exakt_exclusive_scan(same, c)
    call check(all(c == [(0d0, 0d0), (1d0, 1d300), (1d0, 1d300), (1.0000000000000002d0, 7d0)]), &
               "complex exclusive scan in its place")
    s = [(1.0, -1.0), (2.0, 16777216.0), (3.0, 1.0)]
    call exakt_inclusive_scan(s(3:1:-1), t)
    call check(all(t == [(3.0, 1.0), (5.0, 16777216.0), (6.0, 16777216.0)]), "complex scan of real32")
    call exakt_exclusive_scan(s(1:2), t(1:2))
    call check(all(t(1:2) == [(0.0, 0.0), (1.0, -1.0)]), "complex exclusive scan of real32")
    call exakt_inclusive_scan(s(1:0), t(1:0))
    call exakt_inclusive_scan(x(:3), r(:4), status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_inclusive_scan: x and r differ in size", &
               "complex inclusive scan of different sizes")
    call exakt_exclusive_scan(s, t(:2), status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_exclusive_scan: x and r differ in size", &
               "complex exclusive scan of different sizes")
    call exakt_exclusive_scan(same(1:3), c(2:4), status)
    call check(status == exakt_invalid_argument, "a complex scan of what it overwrites")
  end subroutine

  subroutine test_products()
    integer, parameter :: m = 9, k = 11, l = 7
    real(real64) :: a(m, k), b(k, l), c(m, l), big(2*m, 3*l), x(k), y(m), at(k, m)
    real(real32) :: s(m, k), t(k, l), u(m, l)
    integer(int64) :: wanted(m, l)
    integer :: i, j, p
    do p = 1, k
      do i = 1, m
        a(i, p) = real(number(i + 100*p), real64)
      end do
      do j = 1, l
        b(p, j) = real(number(p + 1000*j), real64)
      end do
      x(p) = real(number(p + 1000), real64)
    end do
    wanted = 0
    do j = 1, l
      do i = 1, m
        do p = 1, k
          wanted(i, j) = wanted(i, j) + number(i + 100*p)*number(p + 1000*j)
        end do
      end do
    end do
    at = transpose(a)
    call exakt_gemm(1d0, a, b, 0d0, c)
    call check(all(c == wanted), "gemm")
    call exakt_gemm(1d0, at, b, -1d0, c, transa="T")
    call check(all(c == 0), "gemm with a transposed")
    big = -5
    call exakt_gemm(2d0, a, b, 0d0, big(1:2*m:2, 2:3*l:3))
    call check(all(big(1:2*m:2, 2:3*l:3) == 2*wanted) .and. all(big(2:2*m:2, :) == -5) .and. &
               all(big(:, 1:3*l:3) == -5), "gemm into every other entry")
    call exakt_gemm(1d0, a(m:1:-1, :), b(:, l:1:-1), 0d0, c)
    call check(all(c == wanted(m:1:-1, l:1:-1)), "gemm of what is read backwards")
    big = -5
    big(3:m + 2, 5:k + 4) = a
    call exakt_gemm(1d0, big(3:m + 2, 5:k + 4), b, 0d0, c)
    call check(all(c == wanted), "gemm of a part of a matrix")
    call exakt_gemm(1d0, a, b, 0d0, big(2:m + 1, 2:l + 1))
    call check(all(big(2:m + 1, 2:l + 1) == wanted) .and. all(big(1, :) == -5) .and. all(big(m + 3:, :) == -5), &
               "gemm into a part of a matrix")
    s = real(a, real32); t = real(b, real32)
    call exakt_gemm(1.0, s, t, 0.0, u)
    call check(all(u == real(wanted, real32)), "gemm of real32")
    call exakt_gemv(1d0, a, b(:, 2), 0d0, y)
    call check(all(y == wanted(:, 2)), "gemv")
    y = 0
    call exakt_gemv(1d0, at, b(k:1:-1, 3), 0d0, y(m:1:-1), trans="t")
    call check(y(m) == gemv_backwards(1, k) .and. y(1) == gemv_backwards(m, k), "gemv, transposed and backwards")
  end subroutine

  real(real64) function gemv_backwards(row, k)
    integer, intent(in) :: row, k
    integer(int64) :: total
    integer :: q
    total = 0
    do q = 1, k
      total = total + number(row + 100*q)*number(k + 1 - q + 3000)
    end do
    gemv_backwards = real(total, real64)
  end function

  subroutine test_segments()
    integer, parameter :: offsets(6) = [1, 4, 4, 5, 900, 1001]
    real(real64), target :: x(n), r(10)
    real(real32) :: s(n), t(5)
    complex(real64) :: z(6), w(3)
    complex(real32) :: zs(2), ws(1)
    integer(int64) :: expected(5)
    real(real64), pointer :: same(:)
    integer :: i, k, status
    expected = 0
    do i = 1, n
      x(i) = real(number(i), real64)
      s(n + 1 - i) = real(number(i), real32)
      do k = 1, 5
        if (i >= offsets(k) .and. i < offsets(k + 1)) expected(k) = expected(k) + number(i)
      end do
    end do
    r = -1
    call exakt_segmented_sum(offsets, x, r(10:1:-2), status)
    call check(status == exakt_success .and. all(r(10:1:-2) == expected) .and. all(r(1:10:2) == -1), "segmented sum")
    call exakt_segmented_sum(int(offsets, int64), s(n:1:-1), t)
    call check(all(t == real(expected, real32)), "segmented sum of real32, read backwards")
    call exakt_segmented_sum([2, 5, 7], [9d0, 1d300, 1d0, -1d300, 1d0, 2d0**(-53)], r(:2))
    call check(all(r(:2) == [1d0, 1d0]), "segmented sums that cancel, and a tie")
    z = [(1d300, 0d0), (1d0, 1d300), (-1d300, 2d0), (0d0, -1d300), (4d0, 5d0), (6d0, 7d0)]
    call exakt_segmented_sum([1, 5, 5, 6], z, w, status)
    call check(status == exakt_success .and. all(w == [(1d0, 2d0), (0d0, 0d0), (4d0, 5d0)]), "complex segmented sum")
    zs = [(1.0, 2.0), (3.0, 5.0)]
    call exakt_segmented_sum([1_int64, 3_int64], zs(2:1:-1), ws)
    call check(all(ws == (4.0, 7.0)), "complex segmented sum of real32")
    r(1) = 3
    call exakt_segmented_sum([1], x(1:0), r(1:0), status)
    call check(status == exakt_success .and. r(1) == 3, "no segments")
    call exakt_segmented_sum([1, 2], x, r, status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_segmented_sum: there must be an offset more &
               &than entries of r", "too few offsets")
    call exakt_segmented_sum([1, n + 2], x, r(:1), status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_segmented_sum: offsets must not decrease, and &
               &lie between 1 and size(x) + 1", "an offset behind the end")
    call exakt_segmented_sum([0, 1], x, r(:1), status)
    call check(status == exakt_invalid_argument, "an offset before the start")
    call exakt_segmented_sum([1, 3, 2, 4], z, w, status)
    call check(status == exakt_invalid_argument, "offsets that decrease")
    same => x
    call exakt_segmented_sum([1, 3], same, x(2:2), status)
    call check(status == exakt_invalid_argument .and. r(1) == 3 .and. x(2) == number(2), "segmented sum into its terms")
  end subroutine

  !> Integers: sums of products below 2**53, and of real32 those converted, which is one rounding.
  subroutine test_complex_products()
    integer, parameter :: m = 9, k = 11, l = 7
    type :: sample
      complex(real64) :: value
      real(real64) :: weight
    end type
    complex(real64) :: a(m, k), b(k, l), c(m, l), ch(l, m), big(2*m, 3*l), y(2*m)
    complex(real32) :: s(m, k), t(k, l), u(m, l), v(m)
    type(sample) :: x(k), z(m)
    integer(int64) :: re(m, l), im(m, l)
    complex(real64) :: wanted(m, l)
    integer :: i, j, p, status
    do p = 1, k
      do i = 1, m
        a(i, p) = cmplx(number(i + 100*p), number(i + 100*p + 17), real64)
      end do
      do j = 1, l
        b(p, j) = cmplx(number(p + 1000*j), number(p + 1000*j + 31), real64)
      end do
      x(p) = sample(b(p, 1), -1d300)
    end do
    re = 0; im = 0
    do j = 1, l
      do i = 1, m
        do p = 1, k
          re(i, j) = re(i, j) + number(i + 100*p)*number(p + 1000*j) - number(i + 100*p + 17)*number(p + 1000*j + 31)
          im(i, j) = im(i, j) + number(i + 100*p)*number(p + 1000*j + 31) + number(i + 100*p + 17)*number(p + 1000*j)
        end do
        wanted(i, j) = cmplx(re(i, j), im(i, j), real64)
      end do
    end do
    call exakt_gemm((1d0, 0d0), a, b, (0d0, 0d0), c, status=status)
    call check(status == exakt_success .and. all(c == wanted), "complex gemm")
    call exakt_gemm((0d0, 1d0), transpose(a), conjg(transpose(b)), (0d0, -1d0), c, transa="T", transb="c")
    call check(all(c == 0), "complex gemm with factors that are imaginary, of a transpose and a conjugate transpose")
    ! (a b)**H is b**H a**H.
    call exakt_gemm((1d0, 0d0), b, a, (0d0, 0d0), ch, transa="C", transb="C")
    call check(all(ch == conjg(transpose(wanted))), "complex gemm of two conjugate transposes")
    call exakt_gemm((1d0, 0d0), conjg(b), conjg(a), (0d0, 0d0), ch, "T", "T")
    call check(all(ch == conjg(transpose(wanted))), "complex gemm of two transposes")
    big = -5
    call exakt_gemm((0d0, 2d0), a, b, (0d0, 0d0), big(1:2*m:2, 2:3*l:3))
    call check(all(big(1:2*m:2, 2:3*l:3) == (0d0, 2d0)*wanted) .and. all(big(2:2*m:2, :) == -5) .and. &
               all(big(:, 1:3*l:3) == -5), "complex gemm into every other entry")
    call exakt_gemm((1d0, 0d0), a(m:1:-1, :), b(:, l:1:-1), (0d0, 0d0), c)
    call check(all(c == wanted(m:1:-1, l:1:-1)), "complex gemm of what is read backwards")
    s = cmplx(a, kind=real32); t = cmplx(b, kind=real32)
    call exakt_gemm((1.0, 0.0), s, t, (0.0, 0.0), u)
    call check(all(real(u) == real(re, real32)) .and. all(aimag(u) == real(im, real32)), "complex gemm of real32")
    call exakt_gemv((1.0, 0.0), s, t(:, 2), (0.0, 0.0), v)
    call check(all(v == u(:, 2)), "complex gemv of real32")
    y = 3
    call exakt_gemv((1d0, 0d0), a, b(k:1:-1, 4), (0d0, 0d0), y(2*m:1:-2), status=status)
    call check(status == exakt_success .and. all(y(1:2*m:2) == 3), "complex gemv into every other entry")
    call exakt_gemv((-1d0, 0d0), conjg(transpose(a(:, k:1:-1))), b(:, 4), (1d0, 0d0), y(2*m:1:-2), "C")
    call check(all(y(2:2*m:2) == 0), "complex gemv of a conjugate transpose, and backwards")
    ! From one of these to the next it is one complex number and a half.
    z = sample((7d0, 7d0), 0.25d0)
    call exakt_gemv((1d0, 0d0), a, x%value, (0d0, 0d0), z%value)
    call check(all(z%value == wanted(:, 1)) .and. all(abs(z%weight - 0.25d0) <= 0), "complex gemv of parts of a type")
    call exakt_gemv((1d0, 0d0), transpose(a), x(k:1:-1)%value, (0d0, 0d0), z(m:1:-1)%value, trans="T")
    call exakt_gemv((-1d0, 0d0), a, b(k:1:-1, 1), (1d0, 0d0), z(m:1:-1)%value)
    call check(all(z%value == 0), "complex gemv of parts of a type, backwards")
    c = (2d0, 3d0)
    call exakt_gemm((1d0, 0d0), a(:, 1:0), b(1:0, :), (0d0, 1d0), c)
    call check(all(c == (-3d0, 2d0)), "complex gemm without products")
    call exakt_gemm((1d0, 0d0), a(1:0, :), b, (0d0, 0d0), c(1:0, :))
    call exakt_gemm((1d0, 0d0), a, b, (0d0, 0d0), ch, status=status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_gemm: the shapes of op(a), op(b) and c do &
               &not match", "complex gemm of other shapes")
    call exakt_gemm((1.0, 0.0), s, t, (0.0, 0.0), u, transb="X", status=status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_gemm: transb is 'X'; it must be N, T or C", &
               "complex gemm of an unknown letter")
    call exakt_gemv((1d0, 0d0), a, b(:, 1), (0d0, 0d0), y, status=status)
    call check(status == exakt_invalid_argument, "complex gemv of other shapes")
  end subroutine

  !> Each part is rounded for itself, once: ties go to the even number, what cancels leaves what is left.
  subroutine test_rounding_of_complex_products()
    real(real64), parameter :: half_ulp = 2d0**(-53)
    complex(real64), target :: a(1, 2), b(2, 1), c(1, 1), d(2, 2)
    complex(real64), pointer :: same(:, :)
    integer :: status
    a(1, :) = [(1d0, 1d0), (0d0, 1d0)]
    b(:, 1) = [(1d0, 0d0), (half_ulp, half_ulp)]
    ! 1 - 2**(-53), a double, and i (1 + 2**(-53)), a tie.
    call exakt_gemm((1d0, 0d0), a, b, (0d0, 0d0), c)
    call check(real(c(1, 1)) == nearest(1d0, -1d0) .and. aimag(c(1, 1)) == 1, "complex gemm, a tie")
    ! The tie with its neighbour above: a part of C decides.
    c = cmplx(0d0, 2d0**(-1074), real64)
    call exakt_gemm((1d0, 0d0), a, b, (1d0, 0d0), c)
    call check(aimag(c(1, 1)) == nearest(1d0, 1d0), "complex gemm, above a tie")
    a(1, :) = [(1d300, 1d0), (1d300, 1d-300)]
    b(:, 1) = [(1d300, 0d0), (-1d300, 0d0)]
    ! The real part is 0; the imaginary part 1d300 less the exact 1d-300 times 1d300.
    c = 5
    call exakt_gemv((1d0, 0d0), a, b(:, 1), (0d0, 0d0), c(:, 1))
    call check(real(c(1, 1)) == 0 .and. aimag(c(1, 1)) == 1d300, "complex gemv that cancels")
    d = 1
    same => d
    call exakt_gemm((1d0, 0d0), same, same, (0d0, 0d0), d, status=status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_zgemm: c and a share memory; one is written, &
               &the other read", "complex gemm into its factor")
  end subroutine

  !> Diagonals of powers of two times a power of i, and solutions that are small integers: everything is exact.
  subroutine test_complex_triangles()
    integer, parameter :: m = 12
    complex(real64), parameter :: one = (1d0, 0d0), units(0:3) = [(1d0, 0d0), (0d0, 1d0), (-1d0, 0d0), (0d0, -1d0)]
    complex(real64) :: a(m, m), b(m, 2), x(m), sought(m), turned(2, m), section(2*m)
    complex(real32) :: s(m, m), t(m)
    integer :: i, j, status
    a = cmplx(-huge(1d0), huge(1d0), real64)
    do j = 1, m
      do i = 1, j
        a(i, j) = cmplx(mod(i*7 + j*3, 10) - 5, mod(i*3 + j*5, 7) - 3, real64)
      end do
      a(j, j) = 2d0**mod(j, 4)*units(mod(j, 4))
      sought(j) = cmplx(j, 5 - j, real64)
    end do
    do i = 1, m
      x(i) = sum(a(i, i:m)*sought(i:m))
    end do
    b(:, 1) = x
    b(:, 2) = (0d0, 2d0)*x
    section = 3
    section(2*m:1:-2) = x
    turned = transpose(b)
    t = cmplx(x, kind=real32)
    call exakt_trsv("U", "N", "N", a, x, status)
    call check(status == exakt_success .and. all(x == sought), "complex trsv")
    call exakt_trsv("U", "N", "N", a, section(2*m:1:-2))
    call check(all(section(2*m:1:-2) == sought) .and. all(section(1:2*m:2) == 3), "complex trsv backwards")
    call exakt_trsm("L", "U", "N", "N", (0d0, 1d0), a, b)
    call check(all(b(:, 1) == (0d0, 1d0)*sought) .and. all(b(:, 2) == -2*sought), "complex trsm")
    call exakt_trsm("R", "U", "T", "N", one, a, turned)
    call check(all(turned(1, :) == sought) .and. all(turned(2, :) == (0d0, 2d0)*sought), "complex trsm from the right")
    ! The conjugate transpose of a lower triangle, which is this upper one.
    do i = 1, m
      x(i) = sum(a(i, i:m)*sought(i:m))
    end do
    call exakt_trsv("L", "C", "N", conjg(transpose(a)), x)
    call check(all(x == sought), "complex trsv of a conjugate transpose")
    s = cmplx(a, kind=real32)
    do j = 1, m
      s(j + 1:, j) = cmplx(huge(1.0), 0.0)
    end do
    call exakt_trsv("U", "N", "N", s, t)
    call check(all(t == cmplx(sought, kind=real32)), "complex trsv of real32")
    ! 1/(1 + 2i) is 1/5 - 2i/5, each part rounded once.
    a(1, 1) = (1d0, 2d0)
    x(1) = 1
    call exakt_trsv("U", "N", "N", a(1:1, 1:1), x(1:1))
    call check(real(x(1)) == 0.2d0 .and. aimag(x(1)) == -0.4d0, "a complex quotient")
    call exakt_trsv("U", "N", "N", a, x(2:), status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_trsv: a is not square, or x not of its size", &
               "complex trsv of other shapes")
    call exakt_trsm("L", "U", "N", "x", one, a, b, status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_trsm: diag is 'x'; it must be N or U", &
               "complex trsm of an unknown letter")
  end subroutine

  subroutine test_triangles()
    integer, parameter :: m = 12
    real(real64) :: a(m, m), b(m, 3), x(m), xs(2*m), wide(6, m)
    integer :: i, j
    ! Powers of two on the diagonal, and solutions that are small integers: everything is exact.
    a = -huge(1d0)
    do j = 1, m
      do i = 1, j
        a(i, j) = real(mod(i*7 + j*3, 10) - 5, real64)
      end do
      a(j, j) = 2d0**mod(j, 4)
    end do
    do i = 1, m
      x(i) = 0
      do j = i, m
        x(i) = x(i) + a(i, j)*j
      end do
      b(i, :) = x(i)*[1, -2, 3]
    end do
    xs = 0
    xs(2*m:1:-2) = x
    wide = -1
    wide(2:6:2, :) = transpose(b)
    call exakt_trsv("U", "N", "N", a, x)
    call check(all(x == [(real(i, real64), i=1, m)]), "trsv")
    call exakt_trsv("U", "N", "N", a, xs(2*m:1:-2))
    call check(all(xs(2*m:1:-2) == x), "trsv backwards")
    call exakt_trsm("L", "U", "N", "N", 1d0, a, b)
    call check(all(b(:, 1) == x) .and. all(b(:, 2) == -2*x) .and. all(b(:, 3) == 3*x), "trsm")
    ! The columns of what is copied are not contiguous.
    call exakt_trsm("r", "u", "t", "n", 1d0, a, wide(2:6:2, :))
    call check(all(wide(2:6:2, :) == transpose(b)) .and. all(wide(1:5:2, :) == -1), "trsm from the right, into a section")
  end subroutine

  subroutine test_accumulators()
    type(exakt_accumulator) :: a, b, c
    real(real64) :: x(4)
    real(real32) :: s(3)
    x = [1d0, 1d300, 2d0, -1d300]
    s = [1.5, 2.5, 4.0]
    call a%add(x)
    call check(a%round() == 3, "accumulator of an array")
    call a%add(1d-300)
    call check(a%round(exakt_upward) == nearest(3d0, 1d0) .and. a%round(exakt_downward) == 3, "accumulator in modes")
    call b%add(s)
    call b%add_product([1d200, 2d0], [1d200, 3d0])
    c = b
    call c%add_product(-1d200, 1d200)
    call check(c%round() == 14 .and. c%round_real32() == 14, "accumulator of products")
    call a%merge(c)
    call a%add(-1d-300)
    call check(a%round() == 17, "merged accumulators")
    call a%subtract(c)
    call c%clear()
    call c%add(3.0)
    call check(a%equals(c), "an accumulator from which another was removed")
    call c%add(1d-320)
    call check(.not. a%equals(c), "accumulators that differ")
    call test_copied_accumulators()
    call test_accumulators_as_bytes()
  end subroutine

  !> However an accumulator is copied, the copy is a sum of its own.
  subroutine test_copied_accumulators()
    type :: pair
      type(exakt_accumulator) :: sums(2)
    end type
    type(exakt_accumulator) :: a(2), b(2)
    type(exakt_accumulator), allocatable :: some(:), one, other
    type(pair) :: p, q
    integer :: i
    do i = 1, 2
      call a(i)%add(real(i, real64))
    end do
    b = a
    call b(1)%add(10d0)
    call check(a(1)%round() == 1 .and. b(1)%round() == 11 .and. b(2)%round() == 2, "an array that is assigned")
    some = [a(1), a(1), b]
    call some(1)%add(100d0)
    call check(a(1)%round() == 1 .and. some(1)%round() == 101 .and. some(2)%round() == 1 .and. some(3)%round() == 11, &
               "an array that is constructed")
    p%sums = a
    q = p
    call q%sums(2)%merge(q%sums(1))
    call check(p%sums(2)%round() == 2 .and. q%sums(2)%round() == 3, "accumulators in a type")
    allocate (one)
    call one%add(5d0)
    allocate (other, source=one)
    call other%add(6d0)
    call check(one%round() == 5 .and. other%round() == 11, "an accumulator that is allocated from another")
    deallocate (one)
    call check(other%round() == 11, "an accumulator whose source is gone")
  end subroutine

  !> Three, as the form says: 48 times 2**(-4), or of numbers alone 12 times 2**(-2), and a checksum.
  subroutine test_accumulators_as_bytes()
    integer(int8), parameter :: three(21) = [69_int8, 88_int8, 75_int8, 84_int8, 1_int8, 1_int8, 53_int8, 0_int8, -4_int8, &
      -1_int8, -1_int8, -1_int8, 1_int8, 0_int8, 0_int8, 0_int8, 48_int8, -41_int8, 10_int8, 41_int8, -43_int8]
    integer(int8), parameter :: three_of_numbers(21) = [three(1:5), 0_int8, three(7:8), -2_int8, three(10:16), 12_int8, &
      -71_int8, 18_int8, 21_int8, 79_int8]
    type(exakt_accumulator) :: a, b, empty
    integer(int8), allocatable :: bytes(:)
    integer(int8) :: every_other(42)
    integer :: status, i
    call a%add([2d0, 1d300, 1d0, -1d300])
    bytes = a%to_bytes()
    call check(size(bytes) == 21, "the number of bytes of 3")
    if (size(bytes) == 21) call check(all(bytes == three), "the bytes of 3")
    call b%add(1d10)
    call b%from_bytes(three)
    call check(b%round() == 3 .and. b%equals(a), "a sum from its bytes")
    call b%add(0.5d0)
    call check(b%round() == 3.5d0 .and. a%round() == 3, "a sum from bytes that grows")
    call b%from_bytes(three_of_numbers, status)
    call check(status == exakt_success .and. b%round() == 3 .and. b%equals(a), "a sum from bytes of numbers alone")
    every_other = 7
    every_other(42:1:-2) = three
    call b%clear()
    call b%from_bytes(every_other(42:1:-2))
    call check(b%equals(a), "a sum from every other byte, backwards")
    ! Far from each other, negative, beyond doubles, or no numbers at all.
    call a%clear()
    call a%add_product([2d0**(-1074), 1d300], [-2d0**(-1074), 1d300])
    call b%from_bytes(a%to_bytes())
    call check(b%equals(a) .and. b%round(exakt_downward) == huge(1d0), "products far from each other, from bytes")
    call b%add_product(-1d300, 1d300)
    call check(b%round(exakt_downward) == -2d0**(-1074) .and. b%round(exakt_upward) == 0, "what is left of these")
    call a%add(ieee_value(1d0, ieee_positive_inf))
    call b%from_bytes(a%to_bytes())
    call check(b%equals(a) .and. b%round() > huge(1d0), "infinity from bytes")
    bytes = empty%to_bytes()
    call check(size(bytes) == 20, "the number of bytes of nothing")
    call b%from_bytes(bytes)
    call check(b%round() == 0 .and. b%equals(empty), "nothing from bytes")
    ! What is damaged changes nothing.
    call b%add(4d0)
    do i = 1, 21
      bytes = three
      bytes(i) = ieor(bytes(i), 16_int8)
      call b%from_bytes(bytes, status)
      call check(status == exakt_invalid_argument .and. b%round() == 4, "damaged bytes")
    end do
    call check(exakt_message() == "exakt_accumulator_from_bytes: damaged: the checksum does not match", "what is damaged")
    call b%from_bytes(three(1:20), status)
    call check(status == exakt_invalid_argument .and. b%round() == 4, "bytes without the last one")
    call b%from_bytes(three(1:0), status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_accumulator_from_bytes: 0 bytes are too &
               &few, an accumulator has at least 20", "no bytes")
  end subroutine

  !> Numerators and denominators below 2**53: a quotient of doubles is then rounded once.
  subroutine test_statistics()
    integer, parameter :: few = 30
    real(real64) :: x(2*few), y(few), bins(3)
    real(real32) :: s(few), t(few), bins_of_real32(3)
    integer(int64) :: a(few), b(few), of_x, of_both, expected(3)
    integer :: i, bin
    expected = 0
    do i = 1, few
      a(i) = mod(number(i), 4096_int64)
      b(i) = mod(number(i + few), 4096_int64)
      x(2*i - 1) = real(a(i), real64)
      x(2*i) = 0.1d0
      y(i) = real(b(i), real64)
      s(i) = real(a(i), real32)
      t(i) = real(b(i), real32)
      bin = merge(1, merge(2, 3, a(i) < 1000), a(i) < 0)
      if (a(i) >= -3000 .and. a(i) <= 3000) expected(bin) = expected(bin) + b(i)
    end do
    of_x = few*sum(a*a) - sum(a)**2
    of_both = few*sum(a*b) - sum(a)*sum(b)
    associate (every_second => x(1:2*few:2), last_first => y(few:1:-1))
      call check(exakt_variance(every_second) == real(of_x, real64)/(few*(few - 1)), "variance")
      call check(exakt_variance(every_second, 0) == real(of_x, real64)/few**2, "variance of a population")
      call check(exakt_covariance(every_second, y) == real(of_both, real64)/(few*(few - 1)), "covariance")
      call check(exakt_covariance(last_first, x(2*few - 1:1:-2), ddof=3) == real(of_both, real64)/(few*(few - 3)), &
                 "covariance backwards")
      call check(exakt_correlation(every_second, x(1:2*few:2)) == 1, "correlation with itself")
      call check(exakt_correlation(every_second, -every_second) == -1, "correlation with its negative")
      call exakt_histogram(every_second, y, [-3000d0, 0d0, 1000d0, 3000d0], bins)
      call check(all(bins == expected), "histogram")
      call exakt_histogram(x(2*few - 1:1:-2), t(few:1:-1), [-3000d0, 0d0, 1000d0, 3000d0], bins_of_real32)
      call check(all(bins_of_real32 == real(expected, real32)), "histogram of real32")
    end associate
    call check(exakt_variance(s) == real(real(of_x, real64)/(few*(few - 1)), real32), "variance of real32")
    call check(exakt_covariance(s, t) == real(real(of_both, real64)/(few*(few - 1)), real32), "covariance of real32")
    call check(exakt_correlation(s, 2*s) == 1, "correlation of real32")
    call check(exakt_stddev([1d0, 3d0], 0) == 1 .and. exakt_stddev([1.0, 3.0], ddof=0) == 1, "stddev")
    call check(exakt_correlation([1d0, -1d0, 0d0, 0d0], [3d0, -3d0, 4d0, -4d0]) == 0.6d0, "a correlation of 3/5")
    ! The double 0.6 is below 3/5, and that next to 2/9 below that.
    call check(exakt_correlation([1d0, -1d0, 0d0, 0d0], [3d0, -3d0, 4d0, -4d0], exakt_upward) == nearest(0.6d0, 1d0), &
               "correlation upward")
    ! What plain sums lose: 1e16 and neighbours. The variance of 0, 2, 4 is 4.
    call check(exakt_variance([1d16, 1d16 + 2, 1d16 + 4]) == 4, "variance of what cancels")
    call check(exakt_covariance([1d16, 1d16 + 2, 1d16 + 4], [4d0, 2d0, 0d0]) == -4, "covariance of what cancels")
    call check(exakt_covariance([0d0, 0d0, 1d0], [0d0, 0d0, 1d0], 0, exakt_upward) == nearest(2/9d0, 1d0), &
               "covariance upward")
    call check(ieee_is_nan(exakt_variance([7d0])) .and. &
               ieee_is_nan(exakt_correlation([1d0, 1d0], [1d0, 2d0])), "NaN without spread")
    call exakt_histogram([1d0, 2d0, 1d0, 3d0], [1d300, 1d0, -1d300, 5d0], [0d0, 1.5d0, 2d0, 2d0], bins)
    call check(all(bins == [0d0, 0d0, 1d0]), "a histogram that cancels, with an empty bin")
  end subroutine

  subroutine test_refusals()
    real(real64) :: x(3), y(2), r, a(2, 3), bins(2)
    integer :: status
    bins = 0
    x = 0; y = 0; a = 0
    r = exakt_dot(x, y, status=status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_dot: x and y differ in size", &
               "dot of different sizes")
    r = exakt_sum(x, rounding=7, status=status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_dsum_rounded: the rounding mode is 7; it &
               &must be EXAKT_TO_NEAREST, EXAKT_TOWARD_ZERO, EXAKT_UPWARD or EXAKT_DOWNWARD", "an unknown mode")
    call exakt_gemv(1d0, a, y, 0d0, x, status=status)
    call check(status == exakt_invalid_argument .and. &
               exakt_message() == "exakt_gemv: the shapes of op(a), x and y do not match", "gemv of other shapes")
    call exakt_gemv(1d0, a, x, 0d0, y, trans="X", status=status)
    call check(status == exakt_invalid_argument .and. &
               exakt_message() == "exakt_gemv: trans is 'X'; it must be N, T or C", "gemv of an unknown letter")
    call exakt_trsm("L", "", "N", "N", 1d0, a(:, :2), a, status=status)
    call check(status == exakt_invalid_argument .and. &
               exakt_message() == "exakt_trsm: uplo is ''; it must be U or L", "trsm of no letter")
    call exakt_gemm(1d0, a, a, 0d0, a, transb="transposed", transa="hermitian", status=status)
    call check(status == exakt_invalid_argument .and. &
               exakt_message() == "exakt_gemm: transa is 'hermitian'; it must be N, T or C", "gemm of an unknown letter")
    call exakt_trsv("U", "N", "N", a, x, status=status)
    call check(status == exakt_invalid_argument, "trsv of a matrix that is not square")
    r = exakt_covariance(x, y, status=status)
    call check(status == exakt_invalid_argument, "covariance of different sizes")
    r = exakt_correlation(y, x, status=status)
    call check(status == exakt_invalid_argument, "correlation of different sizes")
    call exakt_histogram(x, y, [0d0, 1d0], bins(:1), status)
    call check(status == exakt_invalid_argument, "a histogram with too few weights")
    call exakt_histogram(y, y, [0d0, 1d0], bins, status)
    call check(status == exakt_invalid_argument, "a histogram with too few edges")
    call exakt_histogram(y, y, [0d0], bins(:0), status)
    call check(status == exakt_invalid_argument, "a histogram without bins")
    call exakt_histogram(y, y, [0d0, 2d0, 1d0], bins, status)
    call check(status == exakt_invalid_argument .and. exakt_message() == "exakt_dhistogram: edges[1] is 2, edges[2] &
               &is 1; edges must ascend", "a histogram of edges that descend")
    r = exakt_variance(x, rounding=7, status=status)
    call check(status == exakt_invalid_argument, "variance in an unknown mode")
    r = exakt_sum(x, status=status)
    call check(status == exakt_success .and. r == 0, "a call that succeeds")
  end subroutine

  !> Of arrays for whose copies no memory is enough. They are only described, for nothing is read before there is a copy.
  subroutine test_lack_of_memory()
    integer(c_int64_t), parameter :: many = 2_c_int64_t**27
    real(real64), target :: number(2), other(2)
    integer(int8), target :: byte(2)
    real(real64), pointer :: a(:, :), x(:), y(:)
    integer(int8), pointer :: bytes(:)
    integer(int32), target :: offset(2)
    integer(int32), pointer :: offsets(:)
    complex(real64) :: z(2), w(1)
    type(exakt_accumulator) :: s
    integer :: status
    number = 1; other = 2; byte = 3; offset = 1; z = 1; w = 2
    call c_f_pointer(c_loc(number), a, [2*many, many])
    call c_f_pointer(c_loc(number), x, [many])
    call c_f_pointer(c_loc(other), y, [many])
    call c_f_pointer(c_loc(byte), bytes, [many**2])
    call exakt_gemv(1d0, a(1::2, :), x, 0d0, y, status=status)
    call check(status == exakt_out_of_memory .and. &
               exakt_message() == "there is not enough memory for a copy of a matrix", "gemv without memory for a copy")
    call exakt_gemm(1d0, a(1::2, :), a(1::2, :), 0d0, a(1::2, :), status=status)
    call check(status == exakt_out_of_memory, "gemm without memory for copies")
    call exakt_trsv("U", "N", "N", a(1::2, :), y, status)
    call check(status == exakt_out_of_memory, "trsv without memory for a copy")
    call exakt_trsm("L", "U", "N", "N", 1d0, a(1::2, :), a(1::2, :), status)
    call check(status == exakt_out_of_memory .and. all(number == 1) .and. all(other == 2), "trsm without memory for copies")
    call c_f_pointer(c_loc(offset), offsets, [many**2])
    call exakt_segmented_sum(offsets, x, y, status)
    call check(status == exakt_out_of_memory .and. all(other == 2) .and. &
               exakt_message() == "there is not enough memory for a copy of the offsets", "segmented sum without memory")
    call exakt_segmented_sum(offsets, z, w, status)
    call check(status == exakt_out_of_memory .and. w(1) == 2, "complex segmented sum without memory")
    call s%add(4d0)
    call s%from_bytes(bytes, status)
    call check(status == exakt_out_of_memory .and. s%round() == 4 .and. &
               exakt_message() == "there is not enough memory for a copy of the bytes", "a sum from bytes without memory")
  end subroutine

end program
