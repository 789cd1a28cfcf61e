# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Functions that register tests.

include(CheckCXXCompilerFlag)

# exakt_add_test(<name> SOURCES <file>... [PROGRAM <program>] [LINK <target>...] [THREADS <n>...] [OPTIONS <flag>...]
#                [TIMEOUT <seconds>] [NATIVE] [LONG])
#
# One Catch2 executable on top of exakt_test_support, run once per thread count (1 and 3 unless THREADS says
# otherwise) as <name>.<n>_threads. LONG: built by the target long_tests, and run with `ctest -C Long` only. NATIVE makes
# a second executable <name>_native for this machine's own instruction set, LONG too: fused multiply-adds and wide vectors
# must give the same bits. Tests of the same PROGRAM share it, and must be alike but in their sources and threads; each runs
# its own files. In optimized builds the sources of a program are compiled as one: half the time where they instantiate
# the same templates.
function(exakt_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NATIVE;LONG" "PROGRAM;TIMEOUT" "SOURCES;LINK;THREADS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "exakt_add_test(${name}): needs SOURCES; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_THREADS)
    set(arg_THREADS 1 3) # three share most lengths unevenly, as two and four do not
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(CMAKE_CROSSCOMPILING)
    set(arg_THREADS 1) # with a Serial Kokkos
    math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}") # emulated
  endif()

  set(command ${name})
  if(arg_PROGRAM)
    # Catch2's name for the tests of a file.
    list(TRANSFORM arg_SOURCES REPLACE "^(.*/)?([^/]*)\\.cpp$" "[#\\2]" OUTPUT_VARIABLE files)
    list(JOIN files "," files)
    set(command ${arg_PROGRAM} --filenames-as-tags ${files})
  else()
    set(arg_PROGRAM ${name})
  endif()
  set_property(GLOBAL PROPERTY Exakt_COMMAND_OF_${name} ${command})
  set_property(GLOBAL PROPERTY Exakt_LONG_${name} ${arg_LONG})
  set(alike "${arg_LINK} ${arg_OPTIONS} ${arg_LONG}")
  if(TARGET ${arg_PROGRAM})
    get_target_property(others ${arg_PROGRAM} Exakt_TESTS_ALIKE)
    if(NOT alike STREQUAL others)
      message(FATAL_ERROR "exakt_add_test(${name}): LINK, OPTIONS and LONG differ from those of other tests of ${arg_PROGRAM}")
    endif()
    target_sources(${arg_PROGRAM} PRIVATE ${arg_SOURCES})
  else()
    add_executable(${arg_PROGRAM} ${arg_SOURCES})
    set_target_properties(${arg_PROGRAM} PROPERTIES Exakt_TESTS_ALIKE "${alike}")
    target_link_libraries(${arg_PROGRAM} PRIVATE exakt_test_support ${arg_LINK})
    target_compile_options(${arg_PROGRAM} PRIVATE ${arg_OPTIONS})
    exakt_compile_as_one(${arg_PROGRAM})
    exakt_use_precompiled_headers(${arg_PROGRAM} ${arg_OPTIONS})
  endif()
  get_filename_component(component ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(when)
  set(labels "unit;${component}")
  if(arg_LONG)
    set(when CONFIGURATIONS Long)
    list(APPEND labels long)
    exakt_build_for_long_tests(${arg_PROGRAM})
  endif()
  foreach(threads IN LISTS arg_THREADS)
    set(test ${name}.${threads}_threads)
    add_test(NAME ${test} ${when} COMMAND ${command})
    # Whatever the number of threads, the time goes into one of them, which compares.
    set_tests_properties(${test} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${labels}" FAIL_REGULAR_EXPRESSION "No tests? ran")
    exakt_set_threads(${test} ${threads})
  endforeach()

  if(arg_NATIVE)
    check_cxx_compiler_flag(-march=native Exakt_HAS_MARCH_NATIVE)
    if(Exakt_HAS_MARCH_NATIVE)
      exakt_add_test(${name}_native SOURCES ${arg_SOURCES} LINK ${arg_LINK} THREADS ${arg_THREADS}
                     OPTIONS ${arg_OPTIONS} -march=native TIMEOUT ${arg_TIMEOUT} LONG)
    endif()
  endif()
endfunction()

# exakt_build_for_long_tests(<target>): not before the target long_tests is built.
function(exakt_build_for_long_tests target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  if(NOT TARGET long_tests)
    add_custom_target(long_tests)
  endif()
  add_dependencies(long_tests ${target})
endfunction()

# exakt_compile_as_one(<target>): its sources as one file, in optimized builds. Unnamed namespaces are then one.
function(exakt_compile_as_one target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT CMAKE_CXX_COMPILER MATCHES "nvcc|hipcc")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  endif()
endfunction()

# exakt_use_precompiled_headers(<target> [<flag>...]): Kokkos, Catch2, core and the support headers are read once for all tests
# with the same flags, where nothing but the level of optimization differs. As exakt_compile_as_one, in optimized builds
# only: others, and the header sets, find an #include that is missing.
function(exakt_use_precompiled_headers target)
  if(NOT CMAKE_BUILD_TYPE STREQUAL "Release" OR CMAKE_CROSSCOMPILING OR CMAKE_CXX_COMPILER MATCHES "nvcc|hipcc" OR
     NOT "${ARGN}" MATCHES "^(-O[01])?$")
    return()
  endif()
  set(headers exakt_test_headers${ARGN})
  if(NOT TARGET ${headers})
    set(support ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../unit_tests/support)
    add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${support}/precompiled.cpp)
    target_link_libraries(${headers} PRIVATE exakt_test_support)
    target_compile_options(${headers} PRIVATE ${ARGN})
    target_precompile_headers(${headers} PRIVATE ${support}/ExaktTest_Precompiled.hpp)
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

# exakt_add_isa_tests(<test>... [KERNELS] [SETS <set>...] [EMULATED <test>...] [LONG_EMULATED <test>...] [EMULATED_WITHOUT <word>...])
#
# Each of these again for AVX-512, AVX2 and the portable set, or for SETS, as <test>.<set> on one thread; those that this
# machine or this build does not have are skipped, and the best one, which the test has on 1, 3 or 4 threads. SSE4, which
# differs from AVX2 in the same templates' widths, is for what tests kernels. EMULATED are those to run on an emulated
# processor without AVX as well, as <test>.emulated, if qemu-x86_64 is found and what is built is not for this machine
# alone; LONG_EMULATED the same, with `ctest -C Long` only. That also goes for all sets, but for AVX-512 and the portable
# one where KERNELS says that these tests are of kernels. Test cases with one of the words of EMULATED_WITHOUT in their
# names, which take minutes there, run unemulated only; such a test has a program of its own. Those tagged [devices] are of
# code without kernels, the same for every set.
function(exakt_add_isa_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "KERNELS" "" "SETS;EMULATED;LONG_EMULATED;EMULATED_WITHOUT")
  if(NOT arg_SETS)
    set(arg_SETS avx512 avx2 portable)
  endif()
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    return() # one set only, which all other tests run
  endif()
  get_filename_component(component ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  foreach(name IN LISTS arg_UNPARSED_ARGUMENTS)
    get_property(command GLOBAL PROPERTY Exakt_COMMAND_OF_${name})
    if(NOT command MATCHES "\\[#")
      list(APPEND command "~[devices]")
    endif()
    string(REGEX REPLACE "(\\[#[^]]*\\])" "\\1~[devices]" command "${command}")
    get_property(is_long GLOBAL PROPERTY Exakt_LONG_${name})
    foreach(set IN LISTS arg_SETS)
      set(when)
      set(labels "unit;${component}")
      if(is_long OR NOT arg_KERNELS OR NOT set MATCHES "^(avx512|portable)$")
        set(when CONFIGURATIONS Long)
        list(APPEND labels long)
      endif()
      add_test(NAME ${name}.${set} ${when} COMMAND ${command})
      set_tests_properties(${name}.${set} PROPERTIES TIMEOUT 300 LABELS "${labels}" ENVIRONMENT EXAKT_ISA=${set}
                                                     SKIP_RETURN_CODE 77
                                                     FAIL_REGULAR_EXPRESSION "No tests? ran")
      exakt_set_threads(${name}.${set} 1)
      if(TEST ${name}.1_threads OR TEST ${name}.3_threads OR TEST ${name}.4_threads)
        set_property(TEST ${name}.${set} APPEND PROPERTY ENVIRONMENT EXAKT_TEST_OTHER_SETS=1)
      endif()
    endforeach()
  endforeach()
  find_program(Exakt_QEMU qemu-x86_64)
  mark_as_advanced(Exakt_QEMU)
  if(Exakt_QEMU AND NOT "${CMAKE_CXX_FLAGS}" MATCHES "-march=native|-fsanitize")
    foreach(name IN LISTS arg_EMULATED arg_LONG_EMULATED)
      set(when)
      set(labels "unit;emulated;${component}")
      if(name IN_LIST arg_LONG_EMULATED)
        set(when CONFIGURATIONS Long)
        list(APPEND labels long)
      endif()
      get_property(command GLOBAL PROPERTY Exakt_COMMAND_OF_${name})
      list(POP_FRONT command program)
      if(arg_EMULATED_WITHOUT)
        list(TRANSFORM arg_EMULATED_WITHOUT REPLACE "(.+)" "~\"*\\1*\"" OUTPUT_VARIABLE without)
        list(JOIN without " " without)
        list(APPEND command ${without})
      endif()
      add_test(NAME ${name}.emulated ${when} COMMAND ${Exakt_QEMU} -cpu Nehalem $<TARGET_FILE:${program}> ${command})
      set_tests_properties(${name}.emulated PROPERTIES TIMEOUT 600 LABELS "${labels}" FAIL_REGULAR_EXPRESSION "No tests? ran")
      exakt_set_threads(${name}.emulated 1)
    endforeach()
  endif()
endfunction()

# Threads are left unbound, or all tests that run at the same time would share the first cores; and they sleep while they
# wait, for there may be more of them than cores.
function(exakt_set_threads test threads)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT OMP_NUM_THREADS=${threads} KOKKOS_NUM_THREADS=${threads}
                                            OMP_PROC_BIND=false OMP_WAIT_POLICY=passive)
endfunction()

# exakt_add_mpi_test(<name> SOURCES <file>... [LINK <target>...] RANKS <n>... THREADS <n>... [SETS <set>...] [OPTIONS <flag>...]
#                    [LONG])
#
# One Catch2 executable with a main() of its own, run as <name>.<n>_ranks.<n>_threads: the first number of ranks with the
# last number of threads, the next one with the one before, and so on in circles; and on two ranks as <name>.<set> with
# the kernels of these instruction sets. LONG as in exakt_add_test; SETS, and more than four ranks, are LONG, too.
function(exakt_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "LONG" "" "SOURCES;LINK;RANKS;THREADS;SETS;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES OR NOT arg_RANKS OR NOT arg_THREADS)
    message(FATAL_ERROR "exakt_add_mpi_test(${name}): needs SOURCES, RANKS and THREADS; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()

  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE exakt_test_support ${arg_LINK})
  target_compile_options(${name} PRIVATE ${arg_OPTIONS})
  exakt_compile_as_one(${name})
  exakt_use_precompiled_headers(${name} ${arg_OPTIONS})
  get_filename_component(component ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(when)
  set(labels "unit;${component}")
  if(arg_LONG)
    set(when CONFIGURATIONS Long)
    list(APPEND labels long)
    exakt_build_for_long_tests(${name})
  endif()
  foreach(set IN LISTS arg_SETS)
    exakt_mpi_command(command 2 $<TARGET_FILE:${name}>)
    add_test(NAME ${name}.${set} CONFIGURATIONS Long COMMAND ${command})
    set_tests_properties(${name}.${set} PROPERTIES TIMEOUT 300 PROCESSORS 2 LABELS "unit;${component};long"
                                                   ENVIRONMENT EXAKT_ISA=${set} SKIP_RETURN_CODE 77)
    exakt_set_ranks(${name}.${set} 2)
    exakt_set_threads(${name}.${set} 1)
  endforeach()
  set(circle)
  foreach(ranks IN LISTS arg_RANKS)
    if(NOT circle)
      set(circle ${arg_THREADS})
    endif()
    list(POP_BACK circle threads)
    set(test ${name}.${ranks}_ranks.${threads}_threads)
    exakt_mpi_command(command ${ranks} $<TARGET_FILE:${name}>)
    if(ranks GREATER 4)
      add_test(NAME ${test} CONFIGURATIONS Long COMMAND ${command})
      set_tests_properties(${test} PROPERTIES TIMEOUT 300 PROCESSORS ${ranks} LABELS "unit;${component};long")
    else()
      add_test(NAME ${test} ${when} COMMAND ${command})
      set_tests_properties(${test} PROPERTIES TIMEOUT 300 PROCESSORS ${ranks} LABELS "${labels}")
    endif()
    exakt_set_ranks(${test} ${ranks})
    exakt_set_threads(${test} ${threads})
  endforeach()
endfunction()

# exakt_start_first(<test>...): the longest ones, lest the last of all run alone. Those that there are not are left out.
function(exakt_start_first)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_tests_properties(${test} PROPERTIES COST 10)
    endif()
  endforeach()
endfunction()

# exakt_run_alone(<test>...): those with barriers of teams, which spin, and where threads meet often: what else ran would keep
# them from meeting, and they take up to ten times as long. Those that there are not are left out: there is one thread only under emulation.
function(exakt_run_alone)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_tests_properties(${test} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

# exakt_mpi_command(<variable> <ranks> <program> <argument>...): how to run it on so many ranks.
function(exakt_mpi_command variable ranks)
  set(${variable} ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS} ${ARGN} PARENT_SCOPE)
endfunction()

# exakt_set_ranks(<test> [<ranks>]): what mpiexec and the test find in their environment; programs that look at EXAKT_TEST_RANKS
# fail on any other number.
# There may be more ranks than cores, and tests may run as root, in containers. Other kinds of MPI ignore what is said to
# Open MPI: start so many, leave them unbound (PRTE_MCA_: Open MPI 5), let those who wait make way, and find no network.
function(exakt_set_ranks test)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
                                            OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
                                            PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe PRTE_MCA_hwloc_default_binding_policy=none
                                            OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none)
  if(ARGN)
    set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT EXAKT_TEST_RANKS=${ARGN})
  endif()
endfunction()

# exakt_add_output_test(<test> <regular expression> <add_test's words>...): the command succeeds, and what it prints matches.
function(exakt_add_output_test test expected)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "COMMAND;CONFIGURATIONS")
  set(command ${CMAKE_CROSSCOMPILING_EMULATOR} ${arg_COMMAND})
  add_test(NAME ${test} CONFIGURATIONS ${arg_CONFIGURATIONS}
           COMMAND ${CMAKE_COMMAND} "-DCOMMAND=${command}" "-DEXPECTED=${expected}" -P
                   ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../examples/expect_output.cmake)
endfunction()

# exakt_add_compile_fail_test(<name> SOURCE <file> EXPECT <regular expression> [LINK <target>...] [OPTIONS <flag>...])
#
# Passes, with `ctest -C Long`, if the compiler refuses the file with a message that matches. Without OPTIONS and with
# EXAKT_CORRECTED defined the same file compiles, as part of the target long_tests: no other slip in it can pass for the refusal.
function(exakt_add_compile_fail_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "SOURCE;EXPECT" "LINK;OPTIONS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCE OR NOT arg_EXPECT)
    message(FATAL_ERROR "exakt_add_compile_fail_test(${name}): needs SOURCE and EXPECT; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()

  set(target compile_fail_${name})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCE})
  target_compile_options(${target} PRIVATE ${arg_OPTIONS})
  add_library(${target}_corrected OBJECT ${arg_SOURCE})
  target_compile_definitions(${target}_corrected PRIVATE EXAKT_CORRECTED)
  foreach(variant ${target} ${target}_corrected)
    target_link_libraries(${variant} PRIVATE ${arg_LINK})
  endforeach()

  exakt_build_for_long_tests(${target}_corrected)

  add_test(NAME compile_fail.${name} CONFIGURATIONS Long
           COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${target})
  # One build at a time in one build tree; the messages of the compiler in English.
  set_tests_properties(compile_fail.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${arg_EXPECT}" TIMEOUT 120 ENVIRONMENT LC_ALL=C
                                                       RESOURCE_LOCK build_tree LABELS "compile_fail;long")
endfunction()

# exakt_add_refusals(<file> [VERB <verb>] LIKE <target> CASES <name> <words> [<name> <words>]...)
#
# A test, with `ctest -C Long`: the compiler refuses each case of the file, with CASE_<name> defined, and its first error holds
# the words, which have no semicolons. It refuses nothing else there. The command is that of LIKE, an object library of one file, and its
# precompiled header. VERB is defined as the verb. Without Python3_FOUND there is no test. Nothing is built, so files are compiled side by side.
function(exakt_add_refusals source)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "VERB;LIKE" "CASES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_LIKE OR NOT arg_CASES)
    message(FATAL_ERROR "exakt_add_refusals(${source}): needs LIKE and CASES; not understood: "
                        "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT Python3_FOUND)
    return()
  endif()
  set_target_properties(${arg_LIKE} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  get_filename_component(name ${source} NAME_WE)
  set(macros)
  if(arg_VERB)
    string(APPEND name ".${arg_VERB}")
    set(macros VERB=${arg_VERB})
  endif()
  set(how alone)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT CMAKE_CXX_COMPILER MATCHES "nvcc|hipcc")
    set(how together)
  endif()
  set(lines)
  while(arg_CASES)
    list(POP_FRONT arg_CASES case words)
    string(APPEND lines "${case} ${words}\n")
  endwhile()
  set(expected ${CMAKE_CURRENT_BINARY_DIR}/${name}.cases)
  file(WRITE ${expected} "${lines}")
  add_test(NAME compile_fail.${name} CONFIGURATIONS Long
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/refusals.py ${CMAKE_BINARY_DIR}/compile_commands.json ${arg_LIKE}
                   ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${expected} ${how} ${macros})
  set_tests_properties(compile_fail.${name} PROPERTIES TIMEOUT 300 LABELS "compile_fail;long")
endfunction()

# exakt_compile_headers(LIKE <target> COMPONENTS <component>...)
#
# A test for each public header of the components, those of their topmost folder, with `ctest -C Long`: it compiles where none of the others was
# included before. The command is that of LIKE, as above; what it precompiles is all that a header can do without including it.
function(exakt_compile_headers)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "LIKE" "COMPONENTS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_LIKE OR NOT arg_COMPONENTS)
    message(FATAL_ERROR "exakt_compile_headers: needs LIKE and COMPONENTS; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set_target_properties(${arg_LIKE} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
  foreach(component IN LISTS arg_COMPONENTS)
    get_target_property(headers exakt_${component} HEADER_SET)
    get_target_property(folder exakt_${component} SOURCE_DIR)
    string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" prefix "${folder}/")
    list(FILTER headers INCLUDE REGEX "^(${prefix})?[^/]+\\.hpp$")
    if(NOT headers)
      message(FATAL_ERROR "exakt_compile_headers: ${component} has no headers")
    endif()
    foreach(header IN LISTS headers)
      cmake_path(GET header FILENAME name)
      exakt_compile_case(header ${name} ${arg_LIKE} ${folder}/${name} "")
    endforeach()
  endforeach()
endfunction()

# The test <kind>.<name>: the file, compiled as LIKE is with the macros, compiles.
function(exakt_compile_case kind name like file macros)
  add_test(NAME ${kind}.${name} CONFIGURATIONS Long
           COMMAND ${CMAKE_COMMAND} -DCOMMANDS=${CMAKE_BINARY_DIR}/compile_commands.json -DTARGET=${like} -DSOURCE=${file}
                   -DDEFINES=${macros} -P
                   ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../unit_tests/compile_fail/compile_case.cmake)
  set_tests_properties(${kind}.${name} PROPERTIES TIMEOUT 120 LABELS "${kind};long")
endfunction()
