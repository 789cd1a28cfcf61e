# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the top-level project offers to those who make packages: archives (the target `package` and `package_source`), and the
# target `uninstall`. debian/ and spack/ have their own.

# exakt_offer_packages(): after everything that is installed.
function(exakt_offer_packages)
  add_custom_target(
    uninstall
    COMMAND ${CMAKE_COMMAND} -D MANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
    COMMENT "Removing what the last cmake --install of this build tree has installed"
    VERBATIM)

  set(CPACK_PACKAGE_NAME exakt)
  set(CPACK_PACKAGE_VENDOR "The Exakt authors")
  set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
  set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
  set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
  set(CPACK_GENERATOR TGZ)
  set(CPACK_SOURCE_GENERATOR TGZ)
  set(CPACK_SOURCE_PACKAGE_FILE_NAME exakt-${PROJECT_VERSION})
  # Of the source folder, wherever it is: `build` may be the name of one that it stands in, and builds may be elsewhere in it.
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" source "${PROJECT_SOURCE_DIR}")
  string(REGEX REPLACE "([][+.*()^$?|\\])" "\\\\\\1" build "${PROJECT_BINARY_DIR}")
  set(CPACK_SOURCE_IGNORE_FILES "^${source}/\\.git(/|$)" "^${source}/\\.deps(/|$)" "^${source}/build/" "^${build}/" "/__pycache__/"
      "\\.egg-info/")
  set(CPACK_VERBATIM_VARIABLES TRUE)
  include(CPack)
endfunction()
