# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# How the packages that Exakt can do without are found: here, and by the installed package where it is used.

# exakt_find(<package> [QUIET] [REQUIRED]), where <package> is one of MPI, MPI_FORTRAN, ONEDNN, BLAS, CUBLASLT, THREADS.
#
# Sets Exakt_<package>_FOUND, Exakt_<package>_TARGET and Exakt_<package>_IS, which describes what was found; of ONEDNN and
# BLAS also Exakt_<package>_FILES.
macro(exakt_find package)
  set(Exakt_${package}_FOUND FALSE)
  if("${package}" STREQUAL "MPI")
    # Without a component, the MPI of every language that the project has enabled would have to work.
    find_package(MPI ${ARGN} COMPONENTS CXX)
    set(Exakt_MPI_FOUND ${MPI_CXX_FOUND})
    set(Exakt_MPI_TARGET MPI::MPI_CXX)
    set(Exakt_MPI_IS "${MPI_CXX_VERSION}, ${MPI_CXX_COMPILER}")
  elseif("${package}" STREQUAL "MPI_FORTRAN")
    find_package(MPI ${ARGN} COMPONENTS Fortran)
    set(Exakt_MPI_FORTRAN_FOUND ${MPI_Fortran_FOUND})
  elseif("${package}" STREQUAL "ONEDNN")
    # oneDNN 2.3 is the first with the instruction set called AVX2 VNNI, from which on their names are comparable.
    find_package(OneDNN 2.3 ${ARGN})
    set(Exakt_ONEDNN_FOUND ${OneDNN_FOUND})
    set(Exakt_ONEDNN_TARGET OneDNN::OneDNN)
    set(Exakt_ONEDNN_IS "${OneDNN_VERSION}, ${OneDNN_LIBRARY}")
    set(Exakt_ONEDNN_FILES ${OneDNN_LIBRARY})
    if(OneDNN_THREADS STREQUAL "OMP")
      list(APPEND Exakt_ONEDNN_FILES ${OpenMP_CXX_LIBRARIES})
    endif()
  elseif("${package}" STREQUAL "BLAS" AND NOT "${BLA_SIZEOF_INTEGER} ${BLA_VENDOR}" MATCHES "^8|ilp|ILP")
    # With 32-bit integers, as BLAS has had them from the beginning; not where the project has chosen one with 64 bits,
    # whose functions have the same names.
    set(Exakt_size_of_integer "${BLA_SIZEOF_INTEGER}")
    set(BLA_SIZEOF_INTEGER 4)
    find_package(BLAS ${ARGN})
    if(Exakt_size_of_integer)
      set(BLA_SIZEOF_INTEGER ${Exakt_size_of_integer})
    else()
      unset(BLA_SIZEOF_INTEGER)
    endif()
    set(Exakt_BLAS_FOUND ${BLAS_FOUND})
    set(Exakt_BLAS_TARGET BLAS::BLAS)
    set(Exakt_BLAS_IS "${BLAS_LIBRARIES}")
    set(Exakt_BLAS_FILES ${BLAS_LIBRARIES} ${BLAS_LINKER_FLAGS})
  elseif("${package}" STREQUAL "THREADS")
    find_package(Threads ${ARGN})
    set(Exakt_THREADS_FOUND ${Threads_FOUND})
  elseif("${package}" STREQUAL "CUBLASLT")
    find_package(CUDAToolkit ${ARGN})
    if(TARGET CUDA::cublasLt)
      set(Exakt_CUBLASLT_FOUND TRUE)
    endif()
    set(Exakt_CUBLASLT_TARGET CUDA::cublasLt)
    set(Exakt_CUBLASLT_IS "${CUDAToolkit_VERSION}, ${CUDAToolkit_LIBRARY_DIR}")
  endif()
endmacro()

# What it costs to do without one.
set(Exakt_MPI_COST "no Exakt::mpi, and the tool exakt works on one rank")
set(Exakt_ONEDNN_COST "the same bits, but gemm does not use the tiles of AMX")
set(Exakt_BLAS_COST "the same bits, but without AVX2 gemm is slower where sums cancel")
set(Exakt_CUBLASLT_COST "the same bits, but gemm on GPUs does not use their integer units")

# exakt_link_private_multiplier(<target> <package> [<source>]): gemm multiplies residues by <package>, which was found, in
# the compiled library that <target> is; <source> calls it; EXAKT_BLAS_HAS_<package> names its file.
#
# Users of a shared library have nothing to do with it. Not exported: the installed package does this again for a static
# library, with what is found where it is used.
function(exakt_link_private_multiplier target package)
  if(ARGC GREATER 2)
    set(link $<BUILD_INTERFACE:${Exakt_${package}_TARGET}>)
    target_link_libraries(${target} PRIVATE ${link})
    string(REGEX REPLACE "^.*[/ ]|;.*$" "" file "${Exakt_${package}_IS}")
    set_property(SOURCE ${ARGV2} APPEND PROPERTY COMPILE_DEFINITIONS "EXAKT_BLAS_HAS_${package}=${file}") # nvcc_wrapper loses quotes
  else()
    # Files, and properties: another directory than the one where the package was found first may ask for blas.
    get_target_property(linked ${target} INTERFACE_LINK_LIBRARIES)
    list(GET Exakt_${package}_FILES 0 file)
    if("${file}" IN_LIST linked)
      return()
    endif()
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${Exakt_${package}_FILES})
  endif()
  # Programs that do not call gemm do not load it.
  get_target_property(type ${target} TYPE)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND type STREQUAL "STATIC_LIBRARY")
    set_property(TARGET ${target} APPEND PROPERTY INTERFACE_LINK_OPTIONS $<BUILD_INTERFACE:LINKER:--as-needed>)
  endif()
endfunction()

# exakt_link_public_multiplier(<target> <package>): the same where it is the headers that call it. Not exported either.
function(exakt_link_public_multiplier target package)
  get_target_property(definitions ${target} INTERFACE_COMPILE_DEFINITIONS)
  if("${definitions}" MATCHES "EXAKT_BLAS_HAS_${package}")
    return()
  endif()
  target_compile_definitions(${target} INTERFACE $<BUILD_INTERFACE:EXAKT_BLAS_HAS_${package}>)
  target_link_libraries(${target} INTERFACE $<BUILD_INTERFACE:${Exakt_${package}_TARGET}>)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${target} INTERFACE $<BUILD_INTERFACE:LINKER:--as-needed>)
  endif()
endfunction()

# exakt_complete_kokkos(): after find_package(Kokkos). The target Kokkos::kokkos of Debian's Trilinos names <prefix>/lib/include, which
# there is not; the variable beside it names the folder of the headers.
function(exakt_complete_kokkos)
  if(TARGET trilinos_kokkoscore AND Kokkos_INCLUDE_DIRS)
    set_target_properties(Kokkos::kokkos PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Kokkos_INCLUDE_DIRS}")
  endif()
endfunction()
