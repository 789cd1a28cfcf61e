# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_numpy.py LIBRARY [LAPACK]: NumPy's results have the same bits whatever the BLAS behind is told to do, if the library is
preloaded; and they are not those of the BLAS alone. EXAKT_BLAS_VERIFY tells so, and that sums of small integers are the
same in any order. With the reference LAPACK, which calls the BLAS by its names, numpy.linalg is reproducible too."""
import hashlib
import os
import subprocess
import sys
import tempfile


def results(kind):
    import numpy as np

    generator = np.random.default_rng(1)

    class random:
        def standard_normal(shape):
            return generator.integers(-9, 9, shape).astype("d") if kind == "integers" else generator.standard_normal(shape)

    digest = hashlib.sha256()
    if kind == "linalg":
        for n in (50, 200):
            a, b = random.standard_normal((n, n)), random.standard_normal(n)
            for result in (np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.cholesky(a @ a.T + n * np.eye(n)),
                           np.linalg.qr(a)[1], np.linalg.eigvalsh(a + a.T)):
                digest.update(np.ascontiguousarray(result).tobytes())
        return digest.hexdigest()
    x = random.standard_normal(200000)
    for result in (x @ x[::-1], np.linalg.norm(x), x[::2] @ x[1::2]):
        digest.update(result.tobytes())
    for n in (3, 50, 300):
        a, b, x = random.standard_normal((n, n)), random.standard_normal((n, n)), random.standard_normal(n)
        z, w = a + 1j * b, x - 2j * x[::-1]
        for result in (a @ b, a @ x, x @ a, x @ x, a.T @ a, np.linalg.norm(x), z @ z.T, z @ b, z @ w, np.dot(w, w),
                       np.vdot(w, z[0]), (a.astype("f") @ b.astype("f")), a[::2, ::2] @ x[::2], np.inner(a, b)):
            digest.update(np.ascontiguousarray(result).tobytes())
    return digest.hexdigest()


def run(library=None, kind="normal", **environment):
    settings = dict(os.environ, **environment)
    if library:
        settings["LD_PRELOAD"] = library
    command = [sys.executable, __file__, "--results", kind]
    return subprocess.run(command, env=settings, check=True, capture_output=True, text=True).stdout.strip()


def differing(library, kind):
    """{routine: [numbers, those that differ]}"""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table")
        run(library, kind, EXAKT_BLAS_VERIFY=table)
        counts = {}
        for line in open(table):
            if not line.startswith("#"):
                name, _, _, _, numbers, differ, _ = line.split()
                of_name = counts.setdefault(name, [0, 0])
                of_name[0] += int(numbers)
                of_name[1] += int(differ)
        return counts


if sys.argv[1] == "--results":
    print(results(sys.argv[2]))
    sys.exit()
library = sys.argv[1]
environments = ({}, {"OPENBLAS_NUM_THREADS": "1"}, {"OPENBLAS_NUM_THREADS": "2"}, {"OPENBLAS_CORETYPE": "Haswell"},
                {"EXAKT_ISA": "portable"}, {"EXAKT_NUM_THREADS": "3"})
ours = {run(library, **environment) for environment in environments}
theirs = run()
print("preloaded:", *ours)
print("alone:    ", theirs)
assert len(ours) == 1 and theirs not in ours
normal, integers = differing(library, "normal"), differing(library, "integers")
print("routine: [numbers, those that differ]:", normal)
assert {"dgemm", "dgemv", "ddot", "dsyrk", "sgemm", "zgemm"} <= set(normal)
assert all(normal[name][1] > 0 for name in ("dgemm", "dgemv", "zgemm"))
assert normal["dgemm"][0] > 3**2 + 50**2 + 300**2
assert all(differ == 0 for name, (_, differ) in integers.items() if not name.endswith("nrm2")), integers
if len(sys.argv) > 2:
    both = f"{library} {sys.argv[2]}"
    ours = {run(both, "linalg", **environment) for environment in environments}
    print("numpy.linalg:", *ours)
    assert len(ours) == 1
