# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_numpy.py products|linalg LIBRARY [LAPACK]: NumPy's results have the same bits whatever the BLAS behind is told to do, if the library is
preloaded; and they are not those of the BLAS alone. EXAKT_BLAS_VERIFY tells so, and that sums of small integers are the
same in any order. numpy.linalg is reproducible too, whatever LAPACK there is: solve, inv, cholesky and the R of qr have
the same bits with OpenBLAS's and with the reference implementation, LAPACK."""
import ctypes
import hashlib
import os
import subprocess
import sys
import tempfile


def band_factor(a, width):
    """Cholesky's factor of a band of a by LAPACK's pbtrf, which NumPy has no function for: with OpenBLAS's LAPACK, potf2 does its blocks."""
    import numpy as np

    n = len(a)
    band = np.zeros((n, width + 1))
    for k in range(width + 1):
        band[: n - k, k] = np.diagonal(a, -k) / (1 + k) ** 2
    band[:, 0] *= 3
    try:
        lapack = ctypes.CDLL("liblapack.so.3")
    except OSError:
        return band  # another system
    number, info = (lambda i: ctypes.byref(ctypes.c_int(i))), ctypes.c_int(-1)
    lapack.dpbtrf_(b"L", number(n), number(width), band.ctypes.data_as(ctypes.c_void_p), number(width + 1), ctypes.byref(info))
    assert info.value == 0
    return band


def results(kind):
    import numpy as np

    generator = np.random.default_rng(1)

    class random:
        def standard_normal(shape):
            return generator.integers(-9, 9, shape).astype("d") if kind == "integers" else generator.standard_normal(shape)

    digest = hashlib.sha256()
    if kind in ("factors", "eigenvalues"):
        for n in (1, 50, 130):
            a, b = random.standard_normal((n, n)), random.standard_normal(n)
            for z in (a, a.astype("f"), a + 1j * a.T, (a - 1j * a.T).astype("F")):
                square = z @ z.conj().T + n * np.eye(n, dtype=z.dtype)
                if kind == "factors":
                    x = np.linalg.solve(z, b.astype(z.dtype))
                    some = (x, np.linalg.inv(z), np.linalg.cholesky(square), np.linalg.qr(z, mode="r"))
                    assert np.abs(z @ x - b).max() <= n * np.finfo(z.dtype).eps * np.abs(z).max() * np.abs(x).max() + 1e-30
                    assert np.abs(some[2] @ some[2].conj().T - square).max() <= n * np.finfo(z.dtype).eps * np.abs(square).max()
                else:
                    some = (np.linalg.eigvalsh(square), np.linalg.svd(z)[1], np.linalg.qr(z)[0])
                for result in some:
                    digest.update(np.ascontiguousarray(result).tobytes())
                if kind == "eigenvalues" and z.dtype == np.dtype("d") and n > 100:
                    digest.update(band_factor(square, 70).tobytes())
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
    """{routine: [numbers, those that differ, by how many ulps at most]}"""
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "table")
        run(library, kind, EXAKT_BLAS_VERIFY=table)
        counts = {}
        for line in open(table):
            if not line.startswith("#"):
                name, _, _, _, numbers, differ, worst = line.split()
                of_name = counts.setdefault(name, [0, 0, 0])
                of_name[0] += int(numbers)
                of_name[1] += int(differ)
                of_name[2] = max(of_name[2], float(worst))
        return counts


if sys.argv[1] == "--results":
    print(results(sys.argv[2]))
    sys.exit()
part, library = sys.argv[1:3]
environments = ({}, {"OPENBLAS_NUM_THREADS": "1"}, {"OPENBLAS_NUM_THREADS": "2"}, {"OPENBLAS_CORETYPE": "Haswell"}, {"OPENBLAS_CORETYPE": "Prescott"},
                {"EXAKT_ISA": "portable"}, {"EXAKT_NUM_THREADS": "3"})
if part == "products":
    ours = {run(library, **environment) for environment in environments}
    theirs = run()
    print("preloaded:", *ours)
    print("alone:    ", theirs)
    assert len(ours) == 1 and theirs not in ours
    normal, integers = differing(library, "normal"), differing(library, "integers")
    print("routine: [numbers, those that differ, ulps]:", normal)
    assert {"dgemm", "dgemv", "ddot", "dsyrk", "sgemm", "zgemm"} <= set(normal)
    assert all(normal[name][1] > 0 for name in ("dgemm", "dgemv", "zgemm"))
    assert normal["dgemm"][0] > 3**2 + 50**2 + 300**2
    # Zeros may have other signs: some kernels of OpenBLAS's zgemm subtract products.
    assert all(worst == 0 for name, (_, _, worst) in integers.items() if not name.endswith("nrm2")), integers
else:
    factors = {run(library, "factors", **environment) for environment in environments}
    print("factors:    ", *factors)
    assert len(factors) == 1 and run(None, "factors") not in factors
    others = {run(library, "eigenvalues", **environment) for environment in environments}
    print("eigenvalues:", *others)
    assert len(others) == 1
    counts = differing(library, "factors")
    print("routine: [numbers, those that differ, ulps]:", counts)
    assert all(counts[name][1] > 0 for name in ("dgesv", "dpotrf", "dgeqrf", "zgesv", "zpotrf"))
    if len(sys.argv) > 3:
        both = f"{library} {sys.argv[3]}"
        assert {run(both, "factors", **environment) for environment in environments} == factors
        assert len({run(both, "eigenvalues", **environment) for environment in environments}) == 1
