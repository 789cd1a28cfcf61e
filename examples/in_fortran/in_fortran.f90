! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

!> A global mean as climate codes take it: of areas times temperatures, of which sections are summed where they lie.
program in_fortran
  use, intrinsic :: iso_fortran_env, only: real64
  use exakt
  implicit none
  integer, parameter :: longitudes = 144, latitudes = 91
  real(real64), parameter :: pi = acos(-1d0)
  real(real64) :: temperature(longitudes, latitudes), area(longitudes, latitudes)
  type(exakt_accumulator) :: heat, north, south
  integer :: i, j

  do j = 1, latitudes
    do i = 1, longitudes
      area(i, j) = cos(pi*(j - 46)/91)
      temperature(i, j) = 288 + 30*sin(3*pi*i/longitudes)*area(i, j)
    end do
  end do
  do j = 1, latitudes
    call heat%add_product(area(:, j), temperature(:, j))
  end do
  do i = longitudes, 1, -1
    call south%add_product(area(i, 1:45), temperature(i, 1:45))
    call north%add_product(area(i, latitudes:46:-1), temperature(i, latitudes:46:-1))
  end do
  call north%merge(south)
  print '(a, f25.14)', "along the parallels:", heat%round()
  print '(a, f25.14)', "along the meridians:", north%round()
  print '(a, l1)', "the same sum: ", heat%equals(north)
  print '(a, f18.14)', "mean of one parallel:", exakt_mean(temperature(:, 30))
  print '(a, f18.14)', "of one meridian:     ", exakt_mean(temperature(17, :))
end program
