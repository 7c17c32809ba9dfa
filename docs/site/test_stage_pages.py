#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What stage_pages.py does to links and refuses, on small repositories."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "stage_pages.py"


class StagePages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "repository"
        self.pages = Path(folder.name) / "pages"
        self.file("docs/index.md", "# Index\n")
        self.file("docs/site/contents.md", "```{toctree}\nsums\n*\n```\n")
        self.file("docs/sums.md", "# Sums\n")
        self.file("core/sum.hpp", "int sum(int a, int b) {\n\n  return a + b;\n}\nint product();\n")

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def stage(self):
        command = [sys.executable, str(SCRIPT), str(self.root), str(self.pages)]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True, check=False)

    def staged(self, name):
        done = self.stage()
        self.assertEqual(done.returncode, 0, done.stdout)
        return (self.pages / name).read_text(encoding="utf-8")

    def refused(self, text):
        done = self.stage()
        self.assertEqual(done.returncode, 1)
        self.assertIn(text, done.stdout)

    def test_links_between_pages_follow_their_places(self):
        self.file("docs/sums.md", "# Sums\n\n## How\n")
        self.file("README.md", "[sums](docs/sums.md#how) [site](https://kokkos.org) [here](#below)\n## Below\n")
        self.file("examples/life/README.md", "[sums](../../docs/sums.md) [top](../../README.md)\n")
        self.assertEqual(self.staged("readme.md"), "[sums](sums.md#how) [site](https://kokkos.org) [here](#below)\n## Below\n")
        self.assertEqual(self.staged("examples/life.md"), "[sums](../sums.md) [top](../readme.md)\n")

    def test_source_files_and_folders_get_pages(self):
        self.file("docs/sums.md", "# Sums\n[`sum`](../core/sum.hpp), [all](../core)\n")
        self.assertIn("[`sum`](source/core/sum.hpp.md), [all](source/core.md)", self.staged("sums.md"))
        self.assertIn("{literalinclude} sum.hpp\n:language: cpp", self.staged("source/core/sum.hpp.md"))
        self.assertIn("[sum.hpp](core/sum.hpp.md)", self.staged("source/core.md"))

    def test_images_come_along(self):
        self.file("docs/images/a.png", "picture")
        self.file("README.md", "![a](docs/images/a.png)\n")
        self.assertEqual(self.staged("readme.md"), "![a](images/a.png)\n")
        self.assertEqual(self.staged("images/a.png"), "picture")

    def test_code_is_no_link(self):
        text = "# Sums\n`[](int)` and ``[`](no)``\n```cpp\nauto f = [](no) { };\n```\n"
        self.file("docs/sums.md", text)
        self.assertEqual(self.staged("sums.md"), text)

    def test_contents_name_every_page_once(self):
        self.file("CONTRIBUTING.md", "# C\n")
        self.assertEqual(self.staged("index.md"), "# Index\n\n```{toctree}\nsums\ncontributing\n```\n")
        self.file("docs/site/contents.md", "```{toctree}\nAdding up <sums>\nresults/*\n*\n```\n")
        self.assertEqual(self.staged("index.md"), "# Index\n\n```{toctree}\nAdding up <sums>\ncontributing\n```\n")

    def test_pages_of_a_folder_are_below_the_page_of_its_name(self):
        self.file("examples/README.md", "# Examples\n")
        self.file("examples/life/README.md", "# Life\n")
        self.file("docs/more/a.md", "# A\n")
        self.assertEqual(self.staged("index.md"), "# Index\n\n```{toctree}\nsums\nexamples\nmore/a\n```\n")
        self.assertEqual(self.staged("examples.md"), "# Examples\n\n```{toctree}\n:hidden:\n\n/examples/life\n```\n")
        self.assertEqual(self.staged("examples/life.md"), "# Life\n")

    def test_what_is_gone_is_removed(self):
        self.file("docs/old.md", "# Old\n")
        self.staged("old.md")
        (self.root / "docs/old.md").unlink()
        self.staged("index.md")
        self.assertFalse((self.pages / "old.md").exists())

    def test_a_link_to_nothing_is_refused(self):
        self.file("docs/sums.md", "# Sums\n\n[gone](../core/gone.hpp)\n")
        self.refused("docs/sums.md:3: link to '../core/gone.hpp': there is no core/gone.hpp")
        self.file("docs/sums.md", "# Sums\n[out](../../etc)\n")
        self.refused("docs/sums.md:2: link to '../../etc'")

    def test_a_link_to_no_section_is_refused(self):
        self.file("docs/sums.md", "# Sums, `of` all: [what](#sums-of-all-what)\n```\n# no heading\n```\n## A\n## A\n[a](#a-1)\n")
        self.assertIn("[a](#a-1)", self.staged("sums.md"))
        self.file("docs/index.md", "[a](sums.md#a-2)\n")
        self.refused("docs/index.md:1: link to 'sums.md#a-2': docs/sums.md has no section of this name")
        self.file("docs/index.md", "# Index\n[a](#no-heading)\n")
        self.refused("docs/index.md:2: link to '#no-heading'")

    def test_a_path_that_is_nowhere_is_refused(self):
        self.file("docs/sums.md", "# Sums\n`core/sum.hpp`, `core/`, ``core/su*.hpp``, `core/<name>.hpp`, `n core/s`\n")
        self.refused("docs/sums.md:2: names 'core/s', and there is no such file or folder in the repository")
        self.file("docs/sums.md", "# Sums\n`core/sum.hpp`, `build/core/gone`\n[`core/*.cpp`](../core)\n")
        self.refused("docs/sums.md:3: names 'core/*.cpp'")
        text = "# Sums\n```\ncore/gone.hpp\n```\n"
        self.file("docs/sums.md", text)
        self.file("CHANGELOG.md", "`core/gone.hpp` is gone\n")
        self.assertEqual(self.staged("sums.md"), text)

    def quote(self, block):
        self.file("docs/sums.md", f"# Sums\n<!-- from: core/sum.hpp -->\n```cpp\n{block}```\n")

    def test_quotations(self):
        for block in ("return a + b;\n", "    int sum(int a, int b) {\n      return a + b;\n    }\n",
                      "int sum(int a, int b) {\n...\nint product();\n"):
            self.quote(block)
            self.assertIn(block, self.staged("sums.md"))
        for block, first in (("return a - b;\n", "return a - b;"), ("int sum(int a, int b) {\n}\n", "int sum(int a, int b) {"),
                             ("int product();\n...\nreturn a + b;\n", "return a + b;")):
            self.quote(block)
            self.refused(f"docs/sums.md:3: '{first}' and what follows is not, or no longer, in core/sum.hpp")
        self.file("docs/sums.md", "<!-- from: core/gone.hpp -->\n```\nx\n```\n")
        self.refused("quotes 'core/gone.hpp': there is no such file")

    def test_a_block_without_end_is_refused(self):
        self.file("docs/sums.md", "# Sums\n```\nx\n")
        self.refused("docs/sums.md:2: this block of code has no end")

    def test_another_folder_is_refused(self):
        (self.root / "docs/index.md").unlink()
        done = self.stage()
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no docs/index.md; give the top folder of kokkos-mma", done.stdout)


if __name__ == "__main__":
    unittest.main()
