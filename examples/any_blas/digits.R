# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Last digits that depend on the number of threads: products, a linear system and a regression with R.
options(digits = 17)
set.seed(2024)
a <- matrix(rnorm(160000), 400)
b <- rnorm(400)
x <- rnorm(200000)

cat("x . y          ", format(drop(crossprod(x, rev(x)))), "\n")
cat("trace(A A' A)  ", format(sum(diag(a %*% t(a) %*% a))), "\n")
cat("x of A x = b   ", format(solve(a, b)[1]), "\n")
cat("log det(A A')  ", format(2 * sum(log(diag(chol(tcrossprod(a) + 400 * diag(400)))))), "\n")
cat("coefficient    ", format(coef(lm.fit(a[, 1:50], b))[["x1"]]), "\n")
