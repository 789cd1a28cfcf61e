# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# For Linux on the processor that the file which includes this one has set: Debian's cross compiler, and its programs run
# by qemu-user. `cmake/bootstrap.sh --cross PROCESSOR` makes the prefix. Catch2 2, which is headers: the library of
# Catch2 3 would be this machine's.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu-g++)
set(Exakt_CROSS_PREFIX ${CMAKE_CURRENT_LIST_DIR}/../../.deps/${CMAKE_SYSTEM_PROCESSOR})
cmake_path(NORMAL_PATH Exakt_CROSS_PREFIX)
set(Kokkos_ROOT ${Exakt_CROSS_PREFIX})

# Libraries are this processor's; headers and packages of headers are for all (Highway, Catch2 2).
set(CMAKE_FIND_ROOT_PATH ${Exakt_CROSS_PREFIX} /usr/${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
