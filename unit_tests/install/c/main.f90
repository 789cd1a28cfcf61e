! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program in_fortran
  use exakt
  implicit none
  if (exakt_sum([1d0, 1d100, 1d0, -1d100]) /= 2) error stop 1
end program
