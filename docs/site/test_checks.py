#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What check_variables.py, check_words.py and draw_diagrams.py find, in small repositories."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import check_variables  # noqa: E402
import check_words  # noqa: E402


class Repository(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def file(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class Variables(Repository):
    def setUp(self):
        super().setUp()
        self.file("CMakeLists.txt", 'option(KokkosMMA_ENABLE_A "a" ON)\nset(KokkosMMA_FOLDER "" CACHE INTERNAL "b")\n')
        self.file("core/a.hpp", '#ifndef KOKKOSMMA_A_HPP\n#define KOKKOSMMA_A_HPP\nchar* a = std::getenv("KOKKOSMMA_A");\n#endif\n')
        self.page("docs/variables.md", "KOKKOSMMA_A", "KokkosMMA_ROOT")
        self.page("docs/developers/variables.md", "KokkosMMA_ENABLE_A")

    def page(self, page, *names):
        self.file(page, "# All\n\n" + "".join(f"| `{name}` | what |\n" for name in names))

    def test_a_page_that_is_right(self):
        self.assertEqual(check_variables.check(self.root), [])

    def test_what_is_read_and_on_no_row(self):
        for name, text, missing in (("core/b.hpp", 'environment_has("KOKKOSMMA_B")', "KOKKOSMMA_B"),
                                    ("include/c.hpp", "#if !defined(KOKKOSMMA_C) && 1", "KOKKOSMMA_C"),
                                    ("cmake/d.cmake", 'set(KokkosMMA_D a\n  CACHE STRING "d")', "KokkosMMA_D"),
                                    ("cmake/e.cmake", "find_program(KokkosMMA_E e)", "KokkosMMA_E"),
                                    ("cmake/f.cmake", "$<TARGET_PROPERTY:KOKKOSMMA_F>", "KOKKOSMMA_F"),
                                    (".ci/g", "a=${KOKKOSMMA_G:-b}", "KOKKOSMMA_G"),
                                    ("perf_tests/h.py", 'os.environ["KOKKOSMMA_H"]', "KOKKOSMMA_H")):
            self.file(name, text + "\n")
            self.assertEqual(check_variables.check(self.root), [
                f"{name}:1: {missing} is on no row of docs/variables.md or docs/developers/variables.md; say there what it does"])
            (self.root / name).unlink()

    def test_what_nothing_reads(self):
        self.page("docs/variables.md", "KOKKOSMMA_A", "KOKKOSMMA_GONE")
        self.assertEqual(check_variables.check(self.root), ["docs/variables.md: nothing reads KOKKOSMMA_GONE; take the row out"])

    def test_presets(self):
        self.file("CMakePresets.json", '{"configurePresets": [{"name": "base", "hidden": true}, {"name": "host"}], "workflowPresets": [{"name": "test"}]}')
        page = "docs/developers/variables.md"
        self.page(page, "KokkosMMA_ENABLE_A")
        text = (self.root / page).read_text(encoding="utf-8")
        self.file(page, text + "## Presets\n| `host` | a |\n| `test` | b |\n## Other\n| `x` | c |\n")
        self.assertEqual(check_variables.check(self.root), [])
        self.file(page, text + "## Presets\n| `host` | a |\n| `host` | b |\n| `gone` | c |\n")
        self.assertEqual(check_variables.check(self.root), [
            f"{page}: the preset host has 2 rows; one is right", f"{page}: the preset test has 0 rows; one is right",
            f"{page}: there is no preset gone; take the row out"])

    def test_what_both_pages_have(self):
        self.page("docs/developers/variables.md", "KokkosMMA_ENABLE_A", "KOKKOSMMA_A")
        self.assertEqual(check_variables.check(self.root),
                         ["docs/developers/variables.md: KOKKOSMMA_A has a row in docs/variables.md already; keep one"])


class Words(Repository):
    def test_words_of_the_authors(self):
        self.file("README.md", "# A\nthe main job, of halfs\n```\nmain job\n```\n`halfs` [a](halfs.md) half of\n")
        problems = check_words.check(self.root)
        self.assertEqual([problem.split("; ")[0] for problem in problems],
                         ["README.md:2: 'main job': readers stumble", "README.md:2: 'halfs': readers stumble"])

    def test_words_that_are_right(self):
        self.file("docs/a.md", "Sums of half values, chained, in the main. Bar charts are pieces of work.\n")
        self.assertEqual(check_words.check(self.root), [])

    def found_in(self, text):
        self.file("docs/new/a.md", text + "\n")
        return [re.search("'(.*)': readers stumble", problem).group(1) for problem in check_words.check(self.root)]

    def test_habits(self):
        for text, habit in (("One behind another, and the wait.", "One behind another"), ("The kernel behind it starts.", "behind it"),
                            ("Sums of `float` alone gain.", "of   alone"), ("It runs on Cuda alone.", "on Cuda alone"),
                            ("A kernel of ours.", "ours"), ("The drop-in takes all loops.", "drop-in takes all"),
                            ("Longer arrays are not taken.", "are not taken"), ("The user is told once.", "is told"),
                            ("What a call asks for is an error.", "call asks for"), ("If mma was asked for.", "was asked for"),
                            ("The route is refused.", "is refused"), ("It stands in the table.", "stands in"), ("Such a call fails.", "Such a"),
                            ("All may be moved, but for one.", "All may be moved, but for"),
                            ("A functor call takes long.", "functor call"), ("It calls the functor twice.", "calls the functor"),
                            ("Other orders of calls.", "orders of calls"), ("Summed by products.", "by products"),
                            ("Several loads under way.", "loads under way"), ("Whoever compares bits.", "Whoever compares"),
                            ("At the caller's wish.", "caller's wish"), ("As it lies in memory: as it lies.", "as it lies"),
                            ("CUB has other bits in every run.", "has other bits"), ("It drops them without a word.", "without a word"),
                            ("Weights that are no outer product.", "that are no outer"), ("MMA is faster for no type.", "for no type")):
            self.assertEqual(self.found_in(text), [habit], text)

    def test_right_uses_of_the_same_words(self):
        for text in ("The compiler behind nvcc.", "The idea behind this design.", "It leaves the View alone, on a stand-alone host.", "Yours and hours.",
                     "The kernel takes 10 us and takes part.", "The time is taken from the log.", "Care is taken.", "It is taken into account.",
                     "Two Views are told apart.", "A tool can be told to stop.", "Please ask for help.", "It may refuse connections.",
                     "R stands for the chain length.", "A stand-in for the device.", "Nothing but floats.", "But for small n it is slower.",
                     "A call of the library.", "Additions in a fixed order.", "The products of two numbers.", "Who is the maintainer?",
                     "If you wish to build it.", "It has 32 bits.", "Names that are no longer used.", "A type that is no wider.",
                     "```\nis refused, ours\n```", "`is refused`"):
            self.assertEqual(self.found_in(text), [], text)

    def test_comments_that_the_site_shows(self):
        self.file("include/A.hpp", "/// \\param ours a kernel of ours\n/// \\code\n/// ours();\n/// \\endcode\n// ours\nint a;  ///< `ours`\n")
        self.assertEqual([problem.split(": ")[0] for problem in check_words.check(self.root)], ["include/A.hpp:1"])

    def test_spelling(self):
        self.file("docs/a.md", "A kernal recieves a value.\n")
        found = check_words.spelling(self.root)
        if found is None:
            self.skipTest("there is no codespell here")
        self.assertEqual(len(found), 2, found)


class Drawings(Repository):
    def draw(self, *arguments):
        script = HERE.parent / "images/draw_diagrams.py"
        return subprocess.run([sys.executable, str(script), "--folder", str(self.root), *arguments], stderr=subprocess.PIPE, check=False,
                              universal_newlines=True)

    def test_a_drawing_that_was_changed(self):
        self.assertEqual(self.draw("--check").returncode, 1)
        self.assertEqual(self.draw().returncode, 0)
        self.assertEqual(self.draw("--check").returncode, 0)
        with (self.root / "look_back.svg").open("a", encoding="utf-8") as file:
            file.write("\n")
        done = self.draw("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("look_back.svg is not what draw_diagrams.py draws", done.stderr)


if __name__ == "__main__":
    unittest.main()
