# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles one case of a file with refusals, or a header: see exakt_add_refusals, exakt_compile_headers in cmake/ExaktTest.cmake.
#
# cmake -DCOMMANDS=<compile_commands.json> -DTARGET=<whose command is taken> -DSOURCE=<file> -DDEFINES=<macros, by commas>
#       -DSTOP=<option that ends the compilation at its first error> -DEXPECT=<words of that error; empty if there is to
#       be none> -P compile_case.cmake

file(STRINGS ${COMMANDS} command REGEX "\"command\": .*/${TARGET}\\.dir/" LIMIT_COUNT 1)
string(REGEX REPLACE ",$" "" command "${command}")
string(JSON command GET "{${command}}" command)
separate_arguments(command UNIX_COMMAND "${command}")
foreach(option -o -c)  # and what follows it
  list(FIND command ${option} place)
  list(REMOVE_AT command ${place})
  list(REMOVE_AT command ${place})
endforeach()
string(REGEX REPLACE "([^,]+),?" "-D\\1;" defines "${DEFINES}")

set(ENV{LC_ALL} C)
# Which would expand the precompiled header.
set(ENV{CCACHE_DISABLE} 1)
execute_process(COMMAND ${command} ${defines} ${STOP} -fsyntax-only ${SOURCE} RESULT_VARIABLE failed OUTPUT_VARIABLE output
                ERROR_VARIABLE output)

string(REGEX MATCH "[^\n]*error:[^\n]*" first "${output}")
if(EXPECT STREQUAL "")
  if(failed)
    message(FATAL_ERROR "is refused:\n${output}")
  endif()
elseif(NOT failed)
  message(FATAL_ERROR "compiles; it should be refused: ${EXPECT}")
else()
  string(FIND "${first}" "${EXPECT}" place)
  if(place EQUAL -1)
    string(SUBSTRING "${output}" 0 4000 output)
    message(FATAL_ERROR "the first error is\n  ${first}\nand should say\n  ${EXPECT}\n\n${output}")
  endif()
endif()
