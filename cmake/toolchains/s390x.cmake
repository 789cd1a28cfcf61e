# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The highest byte comes first, and Highway has no vectors for it.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-s390x -L /usr/s390x-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
