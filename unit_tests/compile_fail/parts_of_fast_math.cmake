# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Clang refuses what lets it change results, and nothing else.
#
# cmake -DCLANG=<compiler> -DFOLDERS=<of headers> -DSOURCE=<fast_math.cpp> -P parts_of_fast_math.cmake

cmake_minimum_required(VERSION 3.24)

list(TRANSFORM FOLDERS PREPEND -I)
set(refused
    "-ffast-math"
    "-ffast-math -fno-finite-math-only"
    "-ffast-math -fhonor-nans"
    "-ffp-model=fast"
    "-ffp-model=fast -fhonor-infinities"
    "-funsafe-math-optimizations"
    "-fassociative-math -fno-signed-zeros -fno-trapping-math"
    "-freciprocal-math"
    "-fno-signed-zeros"
    "-fapprox-func"
    "-fno-honor-nans"
    "-fno-honor-infinities"
    "-fno-honor-nans -fno-honor-infinities")
execute_process(COMMAND ${CLANG} -dumpversion OUTPUT_VARIABLE version COMMAND_ERROR_IS_FATAL ANY)
if(version VERSION_GREATER_EQUAL 15) # older ones do nothing by it
  list(APPEND refused "-fdenormal-fp-math=positive-zero" "-fdenormal-fp-math=preserve-sign")
endif()
set(taken "-O0" "-O2" "-ffp-contract=fast" "-ffp-model=precise" "-ffp-model=strict" "-frounding-math" "-fno-math-errno"
          "-fno-trapping-math")
foreach(options IN LISTS refused taken)
  separate_arguments(arguments UNIX_COMMAND "${options}")
  execute_process(
    COMMAND ${CLANG} -std=c++20 -Wall -Wextra -Wpedantic -Werror -DEXAKT_WITHOUT_KOKKOS -O1 ${arguments} ${FOLDERS} -S -o -
            ${SOURCE}
    RESULT_VARIABLE result
    OUTPUT_QUIET
    ERROR_VARIABLE messages)
  if(options IN_LIST taken)
    if(NOT result EQUAL 0)
      message(SEND_ERROR "${options}: should compile\n${messages}")
    endif()
  elseif(result EQUAL 0 OR NOT messages MATCHES "Exakt needs exact floating-point arithmetic|unknown argument")
    message(SEND_ERROR "${options}: should be refused with our words\n${messages}")
  endif()
endforeach()
