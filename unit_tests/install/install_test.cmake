# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cmake_minimum_required(VERSION 3.24)

cmake_path(ABSOLUTE_PATH SOURCE NORMALIZE OUTPUT_VARIABLE source_as_given)
file(REAL_PATH ${SOURCE} SOURCE)
set(prefix ${WORK}/prefix)
set(compiler_options -G ${CMAKE_GENERATOR} -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
                     -D CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER}
                     -D CMAKE_EXE_LINKER_FLAGS=${CMAKE_EXE_LINKER_FLAGS} -D Kokkos_DIR=${Kokkos_DIR})
set(configure_options ${compiler_options} -D Exakt_ROOT=${prefix})
file(REMOVE_RECURSE ${WORK})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# configure(<source> <argument>... SAYS <regular expression>...)
function(configure source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SAYS")
  cmake_path(GET source FILENAME name)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${source} -B ${WORK}/${name} ${arg_UNPARSED_ARGUMENTS}
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE said ECHO_OUTPUT_VARIABLE)
  foreach(expected IN LISTS arg_SAYS)
    if(NOT said MATCHES "${expected}")
      message(FATAL_ERROR "Configuring ${source} did not say: ${expected}")
    endif()
  endforeach()
endfunction()

# must_stand_alone(<prefix>): out of sight of the source and build trees no path into them may be left. Only the Kokkos that was
# built with may be in one of them, where the package looks for it first.
function(must_stand_alone installed)
  file(GLOB_RECURSE files ${installed}/*.cmake ${installed}/*.pc ${installed}/*.h ${installed}/*.hpp)
  foreach(file IN LISTS files)
    file(READ ${file} text)
    string(REPLACE "HINTS \"${Kokkos_DIR}\"" "" text "${text}")
    foreach(tree IN ITEMS ${BUILD_TREE} ${SOURCE} ${source_as_given})
      string(FIND "${text}" "${tree}" position)
      if(NOT position EQUAL -1)
        string(SUBSTRING "${text}" ${position} 100 leak)
        message(FATAL_ERROR "${file} points into ${tree}: ${leak}")
      endif()
    endforeach()
  endforeach()
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${prefix})
run(${CMAKE_COMMAND} -E compare_files ${SOURCE}/LICENSE ${prefix}/share/doc/Exakt/LICENSE)

must_stand_alone(${prefix})

if(EXISTS ${prefix}/bin/exakt)
  run(${prefix}/bin/exakt --version)
endif()

# In C, through CMake and through pkg-config alone, and in Fortran.
function(use_from_c installed is_static has_fortran)
  if(NOT C_COMPILER)
    return()
  endif()
  file(REMOVE_RECURSE ${WORK}/c)
  configure(${TESTS}/c -G ${CMAKE_GENERATOR} -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
            -D CMAKE_EXE_LINKER_FLAGS=${CMAKE_EXE_LINKER_FLAGS} -D Exakt_ROOT=${installed} -D IS_STATIC=${is_static}
            -D HAS_FORTRAN=${has_fortran})
  run(${CMAKE_COMMAND} --build ${WORK}/c)
  run(${WORK}/c/in_c)
  if(has_fortran)
    run(${WORK}/c/in_fortran)
  endif()
  find_program(pkg_config NAMES pkg-config pkgconf)
  file(GLOB_RECURSE description ${installed}/*/exakt.pc)
  if(pkg_config AND description)
    get_filename_component(folder ${description} DIRECTORY)
    set(ENV{PKG_CONFIG_PATH} ${folder})
    execute_process(COMMAND ${pkg_config} --cflags --libs exakt OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(flags UNIX_COMMAND "${flags} ${CMAKE_EXE_LINKER_FLAGS}")
    get_filename_component(libraries ${folder} DIRECTORY)
    run(${C_COMPILER} -std=c99 -pedantic-errors ${TESTS}/c/main.c -o ${WORK}/c/by_pkg_config ${flags} -Wl,-rpath,${libraries})
    run(${WORK}/c/by_pkg_config)
  endif()
endfunction()
get_filename_component(kind "${C_LIBRARY}" LAST_EXT)
if(kind STREQUAL ".a")
  use_from_c(${prefix} TRUE ${HAS_FORTRAN})
else()
  use_from_c(${prefix} FALSE ${HAS_FORTRAN})
endif()

configure(${SOURCE}/examples ${configure_options} -D CMAKE_BUILD_TYPE=Release -D CMAKE_CXX_FLAGS_RELEASE=-O1)
run(${CMAKE_COMMAND} --build ${WORK}/examples --parallel 2)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/examples --output-on-failure --no-tests=error)

set(features -D HAS_MPI=${HAS_MPI} -D HAS_ONEDNN=${HAS_ONEDNN} -D HAS_BLAS=${HAS_BLAS})
configure(${TESTS}/consumers ${configure_options} ${features} -D MPI_Fortran_COMPILER=${CMAKE_COMMAND})
run(${CMAKE_COMMAND} --build ${WORK}/consumers --parallel 2)
run(${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/consumers --output-on-failure --no-tests=error)

# A part of the user's own build, shared libraries here, has what it asks for, and says what it does without.
if(HAS_MPI)
  set(mpi "Exakt with MPI [0-9]")
else()
  set(mpi "Exakt without MPI .*: no Exakt::mpi")
endif()
set(in_tree_options -D SOURCE=${SOURCE} -D Exakt_COMPILE_LARGE_FILES=ON -D CMAKE_BUILD_TYPE=Debug
                    "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DHWY_COMPILE_ONLY_STATIC") # its speed does not matter
configure(${TESTS}/in_tree ${compiler_options} ${features} ${in_tree_options} -D BUILD_SHARED_LIBS=ON
          SAYS ${mpi} "Exakt without ONEDNN .not asked for; .*: the same bits")
run(${CMAKE_COMMAND} --build ${WORK}/in_tree --parallel 2)

# Whoever uses a shared libExaktBlas does not need what it was linked to.
run(${CMAKE_COMMAND} --install ${WORK}/in_tree --prefix ${WORK}/shared_prefix)
must_stand_alone(${WORK}/shared_prefix)
configure(${TESTS}/shared ${compiler_options} -D Exakt_ROOT=${WORK}/shared_prefix)
run(${CMAKE_COMMAND} --build ${WORK}/shared)
run(${WORK}/shared/everything)
use_from_c(${WORK}/shared_prefix FALSE FALSE)

# Without Kokkos there is one component, which is found and used without it as well. As where threads are a library of their own (in glibc
# before 2.34): a static library names it.
configure(${TESTS}/without_kokkos ${compiler_options} ${in_tree_options} -D CMAKE_HAVE_LIBC_PTHREAD=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/without_kokkos --parallel 2)
run(${CMAKE_COMMAND} --install ${WORK}/without_kokkos --prefix ${WORK}/c_prefix)
must_stand_alone(${WORK}/c_prefix)
configure(${TESTS}/c_alone ${compiler_options} -D Exakt_ROOT=${WORK}/c_prefix)
use_from_c(${WORK}/c_prefix TRUE FALSE)
file(GLOB_RECURSE description ${WORK}/c_prefix/*/exakt.pc)
file(STRINGS ${description} threads REGEX "^Libs: .* -l?pthread")
if(UNIX AND NOT APPLE AND NOT threads)
  message(FATAL_ERROR "exakt.pc does not name the library of threads")
endif()

file(GLOB_RECURSE for_petsc ${WORK}/c_prefix/*/exakt_petsc.h)
if(NOT for_petsc)
  message(FATAL_ERROR "The header for PETSc, which needs no Kokkos, is not installed")
endif()

# Folders for libraries and headers may be given as absolute paths.
set(absolute ${WORK}/absolute_prefix)
configure(${TESTS}/without_kokkos -D CMAKE_INSTALL_PREFIX=${absolute} -D CMAKE_INSTALL_LIBDIR=${absolute}/lib
          -D CMAKE_INSTALL_INCLUDEDIR=${absolute}/include)
run(${CMAKE_COMMAND} --install ${WORK}/without_kokkos)
use_from_c(${absolute} TRUE FALSE)

# Without a word about it, a build is optimized.
configure(${SOURCE} ${compiler_options} -D Exakt_ENABLE_MPI=OFF -D Exakt_ENABLE_BLAS=OFF -D Exakt_ENABLE_TOOL=OFF
          -D Exakt_ENABLE_TESTS=OFF -D Exakt_ENABLE_PERF_TESTS=OFF -D Exakt_ENABLE_EXAMPLES=OFF
          SAYS "Exakt [0-9.]+ Release" "Exakt without MPI .switched off; ")

# What was installed last from a build tree goes again.
run(${CMAKE_COMMAND} --build ${BUILD_TREE} --target uninstall)
file(GLOB_RECURSE left LIST_DIRECTORIES FALSE ${prefix}/*)
if(left)
  message(FATAL_ERROR "The target uninstall has left ${left}")
endif()
