# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The first processors of ARMv8, which have none of its later instructions.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -cpu cortex-a53 -L /usr/aarch64-linux-gnu)
include(${CMAKE_CURRENT_LIST_DIR}/cross.cmake)
