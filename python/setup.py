# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the module exakt._core with CMake, from the sources around this folder."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        if not (ROOT / "packages/c/exakt.h").exists():
            raise RuntimeError("exakt is built from its folder inside the sources of Exakt")
        build = pathlib.Path(self.build_temp).resolve()
        build.mkdir(parents=True, exist_ok=True)
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=OFF", "-DExakt_ENABLE_KOKKOS=OFF",
                   "-DExakt_ENABLE_PYTHON=ON", f"-DExakt_PYTHON={sys.executable}"]
        is_new = not (build / "CMakeCache.txt").exists()
        if is_new and shutil.which("ninja") and "CMAKE_GENERATOR" not in os.environ:
            options += ["-G", "Ninja"]
        subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *options], check=True)
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", str(build), "--target", "exakt_python", "--parallel", jobs], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(str(build / "python/exakt" / ("_core" + sysconfig.get_config_var("EXT_SUFFIX"))), str(target))


version = re.search(r"VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text().split("project(Exakt")[1]).group(1)
setup(version=version, ext_modules=[Extension("exakt._core", [])], cmdclass={"build_ext": CMakeBuild})
