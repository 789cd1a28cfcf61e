# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# CMake's, and a look at the policies that are in force where Exakt asks for it.
if(POLICY CMP0140)
  cmake_policy(GET CMP0140 newer_policy)
endif()
include(${CMAKE_ROOT}/Modules/FindThreads.cmake)
