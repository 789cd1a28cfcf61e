# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles a file, which has to be possible: see exakt_compile_case in cmake/ExaktTest.cmake.
#
# cmake -DCOMMANDS=<compile_commands.json> -DTARGET=<whose command is taken> -DSOURCE=<file> -DDEFINES=<macros, by commas>
#       -P compile_case.cmake

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

# Which would expand the precompiled header.
set(ENV{CCACHE_DISABLE} 1)
execute_process(COMMAND ${command} ${defines} -fsyntax-only ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
