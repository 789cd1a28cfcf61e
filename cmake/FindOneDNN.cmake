# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# oneDNN as the C library that gemm's modular engine calls: OneDNN::OneDNN, OneDNN_VERSION.
#
# Not through oneDNN's own package, which asks for OpenCL where it was built for GPUs as well. It has to compute on OpenMP
# threads, or on none of its own, for its user tells it how many to take.

find_path(OneDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h)
find_library(OneDNN_LIBRARY dnnl)
mark_as_advanced(OneDNN_INCLUDE_DIR OneDNN_LIBRARY)

set(OneDNN_THREADS "")
if(OneDNN_INCLUDE_DIR)
  file(STRINGS ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_config.h runtime REGEX "^#define DNNL_CPU_THREADING_RUNTIME ")
  if(runtime MATCHES "DNNL_RUNTIME_(OMP|SEQ)$")
    set(OneDNN_THREADS ${CMAKE_MATCH_1})
  endif()
  file(STRINGS ${OneDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h version REGEX "^#define DNNL_VERSION_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM version REPLACE "^.* " "")
  list(JOIN version "." OneDNN_VERSION)
endif()
set(required OneDNN_LIBRARY OneDNN_INCLUDE_DIR OneDNN_THREADS)
if(OneDNN_THREADS STREQUAL "OMP")
  find_package(OpenMP QUIET COMPONENTS CXX)
  list(APPEND required OpenMP_CXX_FOUND)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OneDNN REQUIRED_VARS ${required} VERSION_VAR OneDNN_VERSION)

if(OneDNN_FOUND AND NOT TARGET OneDNN::OneDNN)
  add_library(OneDNN::OneDNN UNKNOWN IMPORTED)
  set_target_properties(OneDNN::OneDNN PROPERTIES IMPORTED_LOCATION ${OneDNN_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                  ${OneDNN_INCLUDE_DIR})
  if(OneDNN_THREADS STREQUAL "OMP")
    set_property(TARGET OneDNN::OneDNN PROPERTY INTERFACE_LINK_LIBRARIES OpenMP::OpenMP_CXX)
  endif()
endif()
