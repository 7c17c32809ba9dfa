# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sphinx reads the pages that stage_pages.py lays out and the XML that Doxygen makes of the public headers."""

project = "kokkos-mma"
author = "Contributors to the kokkos-mma project"
copyright = author

extensions = ["myst_parser", "breathe"]
source_suffix = {".md": "markdown"}
root_doc = "index"

# Links to a section of a page, as a forge makes them of headings.
myst_heading_anchors = 3

breathe_default_project = "kokkos-mma"
breathe_domain_by_extension = {"hpp": "cpp"}
# The umbrella headers are what a caller includes.
breathe_show_include = False
primary_domain = "cpp"
# A block without a language is a command or what a program printed.
highlight_language = "none"

html_theme = "furo"
html_show_sphinx = False
html_copy_source = False
html_favicon = "static/favicon.svg"
html_static_path = ["static"]
html_css_files = ["wide.css"]
