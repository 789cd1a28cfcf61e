% SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
% Last digits that depend on the number of threads: products, a linear system and a factorization with Octave.
randn("twister", 2024);
a = randn(400);
b = randn(400, 1);
x = randn(200000, 1);

printf("x . y          %.17g\n", x' * flipud(x));
printf("trace(A A' A)  %.17g\n", trace(a * a' * a));
printf("x of A x = b   %.17g\n", (a \ b)(1));
printf("log det(A A')  %.17g\n", 2 * sum(log(diag(chol(a * a' + 400 * eye(400))))));
printf("coefficient    %.17g\n", (a(:, 1:50) \ b)(1));
