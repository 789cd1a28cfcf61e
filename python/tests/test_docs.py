# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the docstrings and of the README, and that the stubs name what there is."""

import ast
import doctest
import pathlib
import unittest

import exakt
from exakt import _core, _pairs, _prefixes, _products, _reductions

HERE = pathlib.Path(exakt.__file__).parent
README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


class Docs(unittest.TestCase):
    def test_examples_print_what_they_say(self):
        tried = 0
        for module in (exakt, _core, _pairs, _prefixes, _products, _reductions):
            failed, count = doctest.testmod(module)
            self.assertEqual(failed, 0, module.__name__)
            tried += count
        failed, count = doctest.testfile(str(README), module_relative=False)
        self.assertEqual(failed, 0, "README.md")
        self.assertGreater(tried, 20)
        self.assertGreater(count, 5)

    def test_every_function_has_a_docstring_and_a_stub(self):
        named = {node.name for node in ast.parse((HERE / "__init__.pyi").read_text()).body
                 if isinstance(node, ast.FunctionDef)}
        named |= {alias.asname for node in ast.parse((HERE / "__init__.pyi").read_text()).body
                  if isinstance(node, ast.ImportFrom) for alias in node.names if alias.asname}
        self.assertEqual(named, set(exakt.__all__))
        for name in exakt.__all__:
            self.assertTrue(getattr(exakt, name).__doc__, name)
        for node in ast.parse((HERE / "_core.pyi").read_text()).body:
            if isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        self.assertTrue(hasattr(getattr(_core, node.name), method.name), method.name)
        self.assertTrue((HERE / "py.typed").exists())


if __name__ == "__main__":
    unittest.main()
