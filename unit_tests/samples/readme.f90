! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program sum
  use exakt
  real(8) :: x(4) = [1d0, 1d100, 1d0, -1d100]
  print *, exakt_sum(x)   ! 2
end program
