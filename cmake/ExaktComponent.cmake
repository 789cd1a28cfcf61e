# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One package, one target, one component of the installation.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Folders that were given as absolute paths, as they are seen from the prefix: behind it pkg-config finds them, and CMake 3.25 those
# of headers.
foreach(folder IN ITEMS LIBDIR INCLUDEDIR)
  file(RELATIVE_PATH CMAKE_INSTALL_${folder} ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_${folder}})
endforeach()
set(Exakt_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Exakt)

# exakt_add_component(<component> HEADERS <file>... [GENERATED <file>...] [INLINE <file>...] [SOURCES <file>...]
#                     [DRIVERS <file>...] [LINK <target>...] [PACKAGES <package>...] [NO_CXX])
#
# Makes the target Exakt::<component> of the headers in the current folder, and of those that were generated in the folder of
# the build tree that belongs to it, and installs it as the component <component>. INLINE names parts of headers, which do not
# compile alone. With SOURCES it is the library libExakt<Component>, static or shared by BUILD_SHARED_LIBS, without an
# interface library. LINK names what the headers include: Kokkos::kokkos, Exakt::<another component>, other targets; the
# sources do not see these. DRIVERS are sources that do: functions of the headers, compiled for the common types
# (exakt_compile_drivers). PACKAGES names what, besides Kokkos, a user of the component has to find for those targets,
# as exakt_find() calls it. With NO_CXX the headers are for projects without C++ as well; they need no Kokkos either, and where
# there is none these components alone are installed.
function(exakt_add_component component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_CXX" "" "HEADERS;GENERATED;INLINE;SOURCES;DRIVERS;LINK;PACKAGES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_HEADERS)
    message(FATAL_ERROR "exakt_add_component(${component}): needs HEADERS; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()

  if(NOT Exakt_ENABLE_KOKKOS)
    list(REMOVE_ITEM arg_LINK Kokkos::kokkos)
  endif()

  set(target exakt_${component})
  set(folders ${CMAKE_CURRENT_SOURCE_DIR})
  if(arg_GENERATED)
    list(APPEND folders ${CMAKE_CURRENT_BINARY_DIR})
    list(TRANSFORM arg_GENERATED PREPEND ${CMAKE_CURRENT_BINARY_DIR}/)
  endif()
  if(arg_SOURCES)
    string(SUBSTRING ${component} 0 1 initial)
    string(SUBSTRING ${component} 1 -1 others)
    string(TOUPPER ${initial} initial)
    add_library(${target} ${arg_SOURCES})
    exakt_set_library_properties(${target} Exakt${initial}${others})
    set(visibility PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(visibility INTERFACE)
  endif()
  set(installed ${target})
  if(arg_DRIVERS AND Kokkos_DEVICES AND NOT Kokkos_DEVICES MATCHES "CUDA|HIP|SYCL|OPENMPTARGET")
    exakt_compile_drivers(${component} Exakt${initial}${others}Kokkos ${arg_DRIVERS})
    add_library(Exakt::${component} ALIAS ${target}_drivers)
    set_target_properties(${target}_drivers PROPERTIES EXPORT_NAME ${component})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${component}_kernels)
    list(APPEND installed ${target}_drivers)
  else()
    add_library(Exakt::${component} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${component})
  endif()
  set_target_properties(${target} PROPERTIES INTERFACE_HEADER_SETS_TO_VERIFY HEADERS)
  target_sources(${target} ${visibility} FILE_SET HEADERS BASE_DIRS ${folders} FILES ${arg_HEADERS} ${arg_GENERATED})
  target_sources(${target} ${visibility} FILE_SET parts_of_headers TYPE HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR}
                                         FILES ${arg_INLINE})
  if(arg_NO_CXX)
    target_compile_features(${target} PRIVATE cxx_std_20)
  else()
    target_compile_features(${target} ${visibility} cxx_std_20)
  endif()
  target_link_libraries(${target} INTERFACE ${arg_LINK})

  if(NOT Exakt_ENABLE_KOKKOS AND NOT arg_NO_CXX)
    return() # for what is compiled of it into libexakt
  endif()
  install(
    TARGETS ${installed}
    EXPORT Exakt_${component}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/exakt/${component}
    FILE_SET parts_of_headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/exakt/${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT Exakt_${component} NAMESPACE Exakt:: FILE Exakt_${component}Targets.cmake DESTINATION ${Exakt_INSTALL_CMAKEDIR})

  set(components ${arg_LINK})
  list(FILTER components INCLUDE REGEX "^Exakt::")
  list(TRANSFORM components REPLACE "^Exakt::" "")
  string(APPEND description "set(Exakt_${component}_COMPONENTS \"${components}\")\nset(Exakt_${component}_PACKAGES \"${arg_PACKAGES}\")\n")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/Exakt_${component}Needs.cmake "${description}")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/Exakt_${component}Needs.cmake DESTINATION ${Exakt_INSTALL_CMAKEDIR})
  set_property(GLOBAL APPEND PROPERTY Exakt_COMPONENTS ${component})
endfunction()

function(exakt_set_library_properties target name)
  # 0.x: a minor version may change the interface.
  set_target_properties(
    ${target}
    PROPERTIES OUTPUT_NAME ${name}
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               POSITION_INDEPENDENT_CODE TRUE
               CXX_EXTENSIONS FALSE
               CXX_VISIBILITY_PRESET hidden
               VISIBILITY_INLINES_HIDDEN TRUE)
endfunction()

# exakt_compile_drivers(<component> <library> <file>...): the target exakt_<component>_drivers, which links exakt_<component>. Shared only
# where Kokkos is, for two Kokkos in one process are none. Headers take what is compiled if EXAKT_<COMPONENT>_COMPILED_<SPACE> is
# the version of their own Kokkos. It is for every processor, as the kernels are, in which the time goes.
function(exakt_compile_drivers component library)
  set(target exakt_${component}_drivers)
  set(kind STATIC)
  if(TARGET Kokkos::kokkoscore AND BUILD_SHARED_LIBS)
    get_target_property(kind_of_kokkos Kokkos::kokkoscore TYPE)
    if(kind_of_kokkos STREQUAL "SHARED_LIBRARY")
      set(kind SHARED)
    endif()
  endif()
  add_library(${target} ${kind} ${ARGN})
  exakt_compile_together(${target} drivers ${ARGN})
  exakt_set_library_properties(${target} ${library})
  target_link_libraries(${target} PUBLIC exakt_${component})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(${target} PRIVATE -march=x86-64)
  endif()
  # KOKKOS_VERSION, as Kokkos_Macros.hpp has it: 30401.
  string(REGEX REPLACE "^([0-9]+)[.]0*([0-9]+)[.]0*([0-9]+).*" "\\1*10000+\\2*100+\\3" version "${Kokkos_VERSION}")
  math(EXPR version "${version}")
  string(TOUPPER ${component} COMPONENT)
  foreach(space IN ITEMS SERIAL OPENMP THREADS)
    if(space IN_LIST Kokkos_DEVICES)
      target_compile_definitions(${target} INTERFACE EXAKT_${COMPONENT}_COMPILED_${space}=${version})
    endif()
  endforeach()
endfunction()

option(Exakt_COMPILE_LARGE_FILES "Compile sources that instantiate the same templates as one, in two thirds of the time" OFF)
mark_as_advanced(Exakt_COMPILE_LARGE_FILES)

# exakt_compile_together(<target> <group> <file>...): these sources of the target as one file with Exakt_COMPILE_LARGE_FILES. Without
# it, which is how packages are built, who links a static library gets the objects that he needs.
function(exakt_compile_together target group)
  if(Exakt_COMPILE_LARGE_FILES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
  endif()
endfunction()

# exakt_compile_kernels(<component>): the sources of the component are kernels, with Highway's headers and without Kokkos; a rounded
# product stays one. They are for hosts, whatever else the compiler makes of other sources, and for every processor,
# whatever the flags of the build: Highway adds what a set allows.
function(exakt_compile_kernels component)
  set(target exakt_${component})
  target_compile_definitions(${target} PRIVATE EXAKT_WITHOUT_KOKKOS)
  target_include_directories(${target} SYSTEM PRIVATE ${Highway_INCLUDE_DIR})
  target_include_directories(${target} PRIVATE ${Exakt_BINARY_DIR}/core) # Exakt_Version.hpp
  # At -O2, which is what many builds of packages come with, loops over a few packs stay loops, and these in memory.
  target_compile_options(${target} PRIVATE -ffp-contract=off $<$<NOT:$<CONFIG:Debug>>:-O3>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
    target_compile_options(${target} PRIVATE -march=x86-64)
  endif()
  if(CMAKE_CXX_COMPILER MATCHES "nvcc_wrapper")
    target_compile_options(${target} PRIVATE --host-only)
  elseif(CMAKE_CXX_COMPILER MATCHES "hipcc")
    target_compile_options(${target} PRIVATE "SHELL:-x c++")
  endif()
endfunction()

# exakt_install_package(): Exakt::Exakt, which is all components, and what find_package(Exakt COMPONENTS ...) reads, after all
# components have been added.
function(exakt_install_package)
  get_property(Exakt_COMPONENTS GLOBAL PROPERTY Exakt_COMPONENTS)
  get_property(Exakt_FORTRAN_COMPONENTS GLOBAL PROPERTY Exakt_FORTRAN_COMPONENTS)
  get_property(Exakt_MULTIPLIERS GLOBAL PROPERTY Exakt_MULTIPLIERS)
  get_property(Exakt_PUBLIC_MULTIPLIERS GLOBAL PROPERTY Exakt_PUBLIC_MULTIPLIERS)
  add_library(exakt_all_components INTERFACE)
  add_library(Exakt::Exakt ALIAS exakt_all_components)
  list(TRANSFORM Exakt_COMPONENTS PREPEND Exakt:: OUTPUT_VARIABLE targets)
  target_link_libraries(exakt_all_components INTERFACE ${targets})

  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ExaktConfig.cmake.in ${PROJECT_BINARY_DIR}/ExaktConfig.cmake
                                INSTALL_DESTINATION ${Exakt_INSTALL_CMAKEDIR} NO_SET_AND_CHECK_MACRO)
  # 0.x: a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/ExaktConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(
    FILES ${PROJECT_BINARY_DIR}/ExaktConfig.cmake ${PROJECT_BINARY_DIR}/ExaktConfigVersion.cmake
          ${PROJECT_SOURCE_DIR}/cmake/ExaktFind.cmake ${PROJECT_SOURCE_DIR}/cmake/FindOneDNN.cmake
    DESTINATION ${Exakt_INSTALL_CMAKEDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/Exakt)
endfunction()
