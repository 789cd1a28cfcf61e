# One room, one target, one component of the installed package.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(Exakt_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Exakt)

# exakt_add_component(<room> HEADERS <file>... [LINK <target>...] [PACKAGES <package>...])
#
# Makes the INTERFACE target Exakt::<room> of the headers in the current folder and installs it as the component <room>.
# LINK names what the headers include: Kokkos::kokkos, Exakt::<another room>, other targets; PACKAGES names the
# packages, besides Kokkos, that a user of the component has to find for those targets.
function(exakt_add_component room)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;LINK;PACKAGES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_HEADERS)
    message(FATAL_ERROR "exakt_add_component(${room}): needs HEADERS; not understood: '${arg_UNPARSED_ARGUMENTS}'")
  endif()

  set(target exakt_${room})
  add_library(${target} INTERFACE)
  add_library(Exakt::${room} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${room})
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS ${CMAKE_CURRENT_SOURCE_DIR} FILES ${arg_HEADERS})
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE ${arg_LINK})

  install(
    TARGETS ${target}
    EXPORT Exakt_${room}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/exakt/${room})
  install(EXPORT Exakt_${room} NAMESPACE Exakt:: FILE Exakt_${room}Targets.cmake DESTINATION ${Exakt_INSTALL_CMAKEDIR})

  set(rooms ${arg_LINK})
  list(FILTER rooms INCLUDE REGEX "^Exakt::")
  list(TRANSFORM rooms REPLACE "^Exakt::" "")
  string(APPEND description "set(Exakt_${room}_ROOMS \"${rooms}\")\nset(Exakt_${room}_PACKAGES \"${arg_PACKAGES}\")\n")
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/Exakt_${room}Needs.cmake "${description}")
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/Exakt_${room}Needs.cmake DESTINATION ${Exakt_INSTALL_CMAKEDIR})
endfunction()

# exakt_install_package(): what find_package(Exakt COMPONENTS ...) reads, after all components have been added.
function(exakt_install_package)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ExaktConfig.cmake.in ${PROJECT_BINARY_DIR}/ExaktConfig.cmake
                                INSTALL_DESTINATION ${Exakt_INSTALL_CMAKEDIR} NO_SET_AND_CHECK_MACRO)
  # Headers only, and 0.x: a minor version may change the interface.
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/ExaktConfigVersion.cmake COMPATIBILITY SameMinorVersion
                                   ARCH_INDEPENDENT)
  install(FILES ${PROJECT_BINARY_DIR}/ExaktConfig.cmake ${PROJECT_BINARY_DIR}/ExaktConfigVersion.cmake
          DESTINATION ${Exakt_INSTALL_CMAKEDIR})
endfunction()
