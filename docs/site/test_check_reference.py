#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What check_reference.py asks of Doxygen's XML, and what group_by_header.py and join_lines.py make of headers and XML."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MEMBER = """<memberdef kind="function" prot="{prot}"><name>reduce</name><argsstring>(int){behind}</argsstring><briefdescription>{brief}</briefdescription>
<detaileddescription/><location file="/a/core/Sum.hpp" line="7"/></memberdef>"""
COMPOUND = """<doxygen><compounddef kind="namespace"><compoundname>KokkosMMA</compoundname><sectiondef>{}</sectiondef>
</compounddef></doxygen>"""

GROUP = "```{doxygengroup} Sum\n:content-only:\n:members:\n```\n"
EXAMPLE = "<!-- from: a.cpp -->\n```cpp\nreduce(1);\n```\n"


def run(script, *arguments):
    return subprocess.run([sys.executable, str(FOLDER / script), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "xml").mkdir()
        (self.folder / "api").mkdir()
        self.page(GROUP + EXAMPLE)

    def page(self, text):
        (self.folder / "api/sums.md").write_text(text, encoding="utf-8")

    def check(self, brief="A sum.", prot="public", behind=""):
        xml = COMPOUND.format(MEMBER.format(brief=brief, prot=prot, behind=behind))
        (self.folder / "xml/namespaceKokkosMMA.xml").write_text(xml, encoding="utf-8")
        return run("check_reference.py", self.folder / "xml", self.folder / "api")

    def test_a_comment_and_a_place(self):
        self.assertEqual((self.check().returncode, self.check().stdout), (0, ""))

    def test_no_comment(self):
        done = self.check(brief=" ")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/a/core/Sum.hpp:7: KokkosMMA::reduce(int) has no comment; say what it does", done.stdout)

    def test_what_callers_do_not_see_needs_none(self):
        for hidden in ({"prot": "private"}, {"behind": "=delete"}):
            # Nothing public is left, which is an error of its own.
            self.assertNotIn("has no comment", self.check(brief="", **hidden).stdout)

    def test_no_place(self):
        self.page("# Sums\n")
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("Sum.hpp has public entities and is on no page", done.stdout)

    def test_a_page_without_members_or_example(self):
        self.page("```{doxygengroup} Sum\n:content-only:\n```\n" + EXAMPLE)
        self.assertIn("the group Sum shows no members", self.check().stdout)
        self.page(GROUP)
        done = self.check()
        self.assertEqual(done.returncode, 1)
        self.assertIn("sums.md: has no example", done.stdout)

    def test_internal_names_in_declarations(self):
        done = self.check(behind=" -> Impl::Sum")
        self.assertEqual(done.returncode, 1)
        self.assertIn("KokkosMMA::reduce names Impl:: where callers read it", done.stdout)

    def test_lines_of_a_paragraph_are_joined(self):
        file = self.folder / "xml/group__Sum.xml"
        code = "<programlisting><codeline>e\nf</codeline></programlisting>"
        file.write_text(f"<doxygen><para>a (b,\nc) <b>d\n</b>e\nf{code}</para></doxygen>", encoding="utf-8")
        self.assertEqual(run("join_lines.py", self.folder / "xml").returncode, 0)
        self.assertIn(f"<para>a (b, c) <b>d </b>e f{code}</para>", file.read_text(encoding="utf-8"))

    def test_concepts_are_shown_as_classes(self):
        header = self.folder / "Scan.hpp"
        header.write_text("template <Impl::Rank1View X>\nvoid f(std::array<int, std::size_t(Impl::rank_of<X>)>, Impl::rank_of<X>);\n",
                          encoding="utf-8")
        self.assertEqual(run("group_by_header.py", header).stdout,
                         "template <class X>\nvoid f(std::array<int, X::rank>, X::rank);\n")

    def test_nothing_to_check(self):
        done = run("check_reference.py", self.folder / "xml", self.folder / "api")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no public entities were found", done.stdout)

    def test_groups_keep_the_lines(self):
        header = self.folder / "Sum.hpp"
        header.write_text("namespace KokkosMMA {\nnamespace Impl {\n}\nint sum();\n}  // namespace KokkosMMA\n", encoding="utf-8")
        lines = run("group_by_header.py", header).stdout.split("\n")
        self.assertEqual(lines[0], "namespace KokkosMMA { /** \\addtogroup Sum */ /** \\{ */")
        self.assertEqual(lines[1:4], ["namespace Impl {", "}", "int sum();"])
        self.assertEqual(lines[4], "/** \\} */ }  // namespace KokkosMMA")


if __name__ == "__main__":
    unittest.main()
