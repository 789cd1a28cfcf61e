# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# spack repo add spack && spack install exakt
import os

from spack.package import *


class Exakt(CMakePackage):
    """Sums, dot products and BLAS for parallel C++ on Kokkos that are the exact value, rounded once: the same bits for any number
    of threads and ranks, any order of the terms, any processor."""

    # The repository that this recipe stands in.
    git = "file://" + os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
    homepage = git

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("shared", default=True, description="Shared libraries")
    variant("mpi", default=True, description="Sums across ranks")
    variant("blas", default=True, description="gemm of residues by a BLAS where there are no integer units")
    variant("onednn", default=False, description="gemm of residues by oneDNN on tiles (AMX)")
    variant("tool", default=True, description="The command line tool exakt")
    variant("fortran", default=False, description="The modules exakt and exakt_mpi for Fortran")
    variant("blas_abi", default=True, description="libexakt_blas.so, in place of the BLAS of any program")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.24:", type="build")
    depends_on("highway@1.0.3:", type="build")
    depends_on("kokkos@3.4.01:5")
    depends_on("mpi", when="+mpi")
    depends_on("blas", when="+blas")
    depends_on("onednn@2.3:", when="+onednn")
    depends_on("cli11", type="build", when="+tool")
    depends_on("nlohmann-json", type="build", when="+tool")
    depends_on("zlib-api", when="+tool")
    depends_on("catch2@2.13:", type="test")
    depends_on("mpfr", type="test")

    conflicts("%gcc@:10", msg="Exakt needs C++20")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("Exakt_ENABLE_MPI", "mpi"),
            self.define_from_variant("Exakt_ENABLE_BLAS", "blas"),
            self.define_from_variant("Exakt_ENABLE_ONEDNN", "onednn"),
            self.define_from_variant("Exakt_ENABLE_TOOL", "tool"),
            self.define_from_variant("Exakt_ENABLE_FORTRAN", "fortran"),
            self.define_from_variant("Exakt_ENABLE_BLAS_ABI", "blas_abi"),
            self.define("Exakt_ENABLE_TESTS", self.run_tests),
            self.define("Exakt_ENABLE_PYTHON", False),
            self.define("Exakt_ENABLE_PERF_TESTS", False),
            self.define("Exakt_ENABLE_EXAMPLES", False),
        ]
