# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Last digits that depend on the number of threads: products, least squares and a linear system with NumPy."""
import numpy as np

random = np.random.default_rng(2024)
x, y = random.standard_normal(300_000), random.standard_normal(300_000)
a, b = random.standard_normal((400, 400)), random.standard_normal(400)

print("x . y          ", repr(float(x @ y)))
print("trace(A A^T A) ", repr(float(np.trace(a @ a.T @ a))))
print("x of A x = b   ", repr(float(np.linalg.solve(a, b)[0])))
print("det(A / 20)    ", repr(float(np.linalg.det(a / 20))))
