#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What can be known of the Spack recipe without Spack: spack_recipe.py SOURCE

It is Python, its variants are those that it uses, and each option that it sets is one of the build.
"""
import pathlib
import re
import sys
import types

source = pathlib.Path(sys.argv[1])
variants, conditions, set_by = set(), [], {}


def directive(name):
    def record(*arguments, **options):
        if name == "variant":
            variants.add(arguments[0])
        conditions.extend(re.findall(r"[+~](\w+)", options.get("when", "")))
    return record


class CMakePackage:
    run_tests = False

    def define(self, option, value):
        set_by[option] = None
        return "-D%s=%s" % (option, "ON" if value else "OFF")

    def define_from_variant(self, option, variant):
        set_by[option] = variant
        return "-D%s=ON" % option


spack, package = types.ModuleType("spack"), types.ModuleType("spack.package")
package.CMakePackage = CMakePackage
for name in ("license", "version", "variant", "depends_on", "conflicts"):
    setattr(package, name, directive(name))
sys.modules.update({"spack": spack, "spack.package": package})

recipe = source / "spack/packages/exakt/package.py"
space = {"__file__": str(recipe), "__name__": "recipe"}
exec(compile(recipe.read_text(), str(recipe), "exec"), space)
space["Exakt"]().cmake_args()

text = "\n".join(p.read_text() for p in [source / "CMakeLists.txt", source / "python/CMakeLists.txt"])
options = {"BUILD_SHARED_LIBS"} | set(re.findall(r"option\((Exakt_\w+)", text))
options |= {"Exakt_ENABLE_" + name for name in re.findall(r"exakt_offer\((\w+)", text)}
assert variants and set_by
errors = ["%s is no option" % o for o in set_by if o not in options]
errors += ["%s is no variant" % v for v in list(set_by.values()) + conditions if v is not None and v not in variants]
errors += ["variant %s sets nothing" % v for v in variants if v not in set_by.values()]
errors += ["git is not this repository"] if not space["Exakt"].git.endswith(str(source.resolve())) else []
sys.exit("\n".join(errors) or 0)
