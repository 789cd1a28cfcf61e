# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Last digits that depend on the number of threads: a factorization, a least-squares fit and an exponential with SciPy."""
import numpy as np
from scipy import linalg, optimize

random = np.random.default_rng(2024)
a, b = random.standard_normal((300, 300)), random.standard_normal(300)
spd = a @ a.T + 300 * np.eye(300)
basis, noise = np.vander(np.linspace(-1, 1, 20_000), 12), random.standard_normal(20_000)

lu = linalg.lu_factor(a)
print("x of A x = b     ", repr(float(linalg.lu_solve(lu, b)[0])))
print("log det of A A^T ", repr(float(2 * np.log(np.diag(linalg.cho_factor(spd)[0])).sum())))
print("A^-1 (0, 0)      ", repr(float(linalg.inv(a)[0, 0])))
print("fit of degree 11 ", repr(float(linalg.solve(basis.T @ basis, basis.T @ noise, assume_a="pos")[0])))
print("exp(A / 20) (0,0)", repr(float(linalg.expm(a / 20)[0, 0])))
minimum = optimize.minimize(lambda p: 0.5 * p @ spd @ p - b @ p, np.zeros(300), jac=lambda p: spd @ p - b, method="BFGS", options={"maxiter": 30})
print("after 30 steps   ", repr(float(minimum.fun)))
