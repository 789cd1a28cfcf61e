# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exact sums for NumPy arrays: the exact value, rounded once, and therefore always the same bits.

>>> import exakt
>>> exakt.sum([1.0, 1e100, 1.0, -1e100])
2.0
"""

from ._core import DotAccumulator, SumAccumulator, describe, fsum
from ._core import version as __version__
from ._pairs import corrcoef, cov, histogram
from ._prefixes import cumsum, sum_by_key
from ._products import dot, matmul, vdot
from ._reductions import mean, nrm2, std, sum, var

__all__ = ["DotAccumulator", "SumAccumulator", "corrcoef", "cov", "cumsum", "describe", "dot", "fsum", "histogram", "matmul",
           "mean", "nrm2", "std", "sum", "sum_by_key", "var", "vdot"]
