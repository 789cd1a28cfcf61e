# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -D COMMAND=<program;argument;...> -D EXPECTED=<regular expression> -P expect_output.cmake
#
# The program succeeds, and what it prints matches. With PASS_REGULAR_EXPRESSION ctest would not look at the exit code.
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
message("${output}")
if(NOT result EQUAL 0)
  message(FATAL_ERROR "it failed (${result})")
endif()
if(NOT output MATCHES "${EXPECTED}")
  message(FATAL_ERROR "what it prints does not match ${EXPECTED}")
endif()
