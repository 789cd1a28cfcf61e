# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sphinx, as make_site.py calls it.
project = "Exakt"
author = "The Exakt authors"
copyright = "The Exakt authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
smartquotes = False
html_theme = "sphinx_rtd_theme"
html_title = "Exakt"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["exakt.css"]
# READMEs begin with headings of their own kind; code in comments is not always a whole.
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
