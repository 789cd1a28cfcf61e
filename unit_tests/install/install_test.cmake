cmake_minimum_required(VERSION 3.24)

set(prefix ${WORK}/prefix)
set(configure_options
    -G ${CMAKE_GENERATOR} -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER} -D CMAKE_EXE_LINKER_FLAGS=${CMAKE_EXE_LINKER_FLAGS}
    -D CMAKE_BUILD_TYPE=Release -D Kokkos_DIR=${Kokkos_DIR} -D Exakt_ROOT=${prefix})
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${prefix})

# The package must stand on its own: out of sight of the source and build trees no path into them may be left.
file(GLOB_RECURSE package_files ${prefix}/*.cmake)
foreach(file IN LISTS package_files)
  file(STRINGS ${file} leaks REGEX "${BUILD_TREE}/(core|packages)")
  if(leaks)
    message(FATAL_ERROR "${file} points into the build tree: ${leaks}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S ${EXAMPLES} -B ${WORK}/examples ${configure_options})
run(${CMAKE_COMMAND} --build ${WORK}/examples --parallel 2)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/examples --output-on-failure --no-tests=error)

execute_process(COMMAND ${CMAKE_COMMAND} -S ${WRONG_COMPONENT} -B ${WORK}/wrong_component ${configure_options}
                OUTPUT_QUIET ERROR_VARIABLE refusal RESULT_VARIABLE status)
string(REGEX REPLACE "[ \n]+" " " refusal "${refusal}")
if(status EQUAL 0 OR NOT refusal MATCHES "Exakt has no component 'spellcheck' in .*; it was installed with: .*core")
  message(FATAL_ERROR "An unknown component was not refused by name: ${refusal}")
endif()
