#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What make_reference.py writes and rejects, and what group_by_header.py and join_lines.py make of headers and XML."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
COMPOUND = """<doxygen><compounddef kind="{kind}"><compoundname>{name}</compoundname>{own}<sectiondef>{members}</sectiondef>
<location file="/a/core/KokkosMMA_Settings.hpp" line="3"/></compounddef></doxygen>"""


def run(script, *arguments):
    return subprocess.run([sys.executable, str(FOLDER / script), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, check=False)


def comment(text):
    return f"<briefdescription><para>{text}</para></briefdescription><detaileddescription/>"


def member(name="reduce", text="A sum.", parameters=(("int", "n", ""),), kind="function", more="", line=7, template="", prot="public", tail="",
           header="KokkosMMA_Settings"):
    listed = "".join(f"<param><type>{type_}</type><declname>{declared}</declname>{f'<defval>{value}</defval>' if value else ''}</param>"
                     for type_, declared, value in parameters)
    arguments = ", ".join(f"{type_} {declared}" for type_, declared, _ in parameters)
    return (f'<memberdef kind="{kind}" prot="{prot}"><name>{name}</name><type>void</type>{template}{listed}'
            f"<argsstring>({arguments}){tail}</argsstring>{comment(text)}{more}"
            f'<location file="/a/core/{header}.hpp" line="{line}"/></memberdef>')


EXEC = ("Exec const &amp;", "exec", "")
SETTINGS = ("Settings const &amp;", "settings", "{}")


class Reference(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.xml = self.folder / "xml"
        self.page = self.folder / "reference.md"
        self.xml.mkdir()

    def write(self, *members, kind="namespace", name="KokkosMMA", own=""):
        (self.xml / f"{kind}{name.replace('::', '_')}.xml").write_text(COMPOUND.format(kind=kind, name=name, own=own, members="".join(members)),
                                                                     encoding="utf-8")

    def make(self, *arguments):
        return run("make_reference.py", self.xml, self.page, *arguments)

    def made(self):
        done = self.make("--update")
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        return self.page.read_text(encoding="utf-8")

    def rejected(self, text):
        done = self.make("--update")
        self.assertEqual(done.returncode, 1)
        self.assertIn(text, done.stdout)

    def test_a_function(self):
        self.write(member(text="The sum of <computeroutput>x</computeroutput>. Not more.", parameters=(EXEC, ("int", "n", "1"))))
        self.assertIn("### `reduce`\n\n```cpp\nvoid reduce(Exec const& exec, int n = 1)\n```\n\nThe sum of `x`.\n", self.made())

    def test_settings_are_optional(self):
        self.write(member(parameters=(EXEC, SETTINGS)))
        self.assertIn("```cpp\nvoid reduce(Exec const& exec[, settings])\n```\n\nA sum.\n", self.made())

    def test_overloads_of_one_sentence_are_one_entry(self):
        self.write(member(), member(parameters=(("long", "n", ""),), line=8), member(parameters=(), text="Nothing.", line=9))
        self.assertIn("```cpp\nvoid reduce(int n)\nvoid reduce(long n)\n```\n\nA sum.\n\n```cpp\nvoid reduce()\n```\n\nNothing.\n", self.made())

    def test_template_parameters_that_a_caller_names(self):
        given = "".join(f"<param><type>{one}</type></param>" for one in ("class Exec", "int R"))
        named = "<param><type>class</type><declname>Accumulator</declname><defval>void</defval></param>"
        self.write(member(parameters=(EXEC, ("std::array&lt; int, std::size_t(R)&gt;", "n", "")),
                          template=f"<templateparamlist>{given}{named}</templateparamlist>"))
        self.assertIn("template <int R, class Accumulator = void>\nvoid reduce(Exec const& exec, std::array<int, std::size_t(R)> n)\n", self.made())

    def test_long_signatures_are_broken_between_parameters(self):
        self.write(member(parameters=tuple((f"std::array&lt; int, {k} &gt;", f"a_long_name_{k}", "") for k in range(3))))
        self.assertIn("void reduce(std::array<int, 0> a_long_name_0, std::array<int, 1> a_long_name_1,\n    std::array<int, 2> a_long_name_2)\n",
                      self.made())

    def test_a_class_lists_its_members(self):
        self.write(member("add", "adds"), member("hidden", prot="private"), kind="class", name="KokkosMMA::Sum", own=comment("A sum of numbers."))
        self.assertIn("### `Sum`\n\n`class Sum`: A sum of numbers.\n\n- `void add(int n)`: Adds.\n", self.made())
        self.assertNotIn("hidden", self.made())

    def test_an_enumeration_lists_its_values(self):
        values = "".join(f"<enumvalue><name>{name}</name>{comment(text)}</enumvalue>" for name, text in (("a", "first"), ("b", "second")))
        self.write(member("Route", "A kind.", (), "enum", values))
        self.assertIn("`enum class Route`: A kind.\n\n- `a`: First.\n- `b`: Second.\n", self.made())

    def test_an_overload_that_does_not_compile_is_left_out(self):
        self.write(member(), member(parameters=(), text="Does not compile: say more.", line=8))
        self.assertNotIn("compile", self.made().split("## Settings")[1])

    def test_a_page_that_is_not_up_to_date(self):
        self.write(member())
        self.made()
        self.assertEqual((self.make().returncode, self.make().stdout), (0, ""))
        self.write(member(text="A total."))
        done = self.make()
        self.assertEqual(done.returncode, 1)
        self.assertIn("-A sum.\n+A total.\n", done.stdout)
        self.assertIn(f"make_reference.py {self.xml} {self.page} --update", done.stdout)

    def test_no_comment(self):
        self.write(member(text=" "))
        self.rejected("/a/core/KokkosMMA_Settings.hpp:7: KokkosMMA::reduce(int n) has no comment; say what it does")

    def test_what_callers_do_not_see_needs_none(self):
        for hidden in ({"prot": "private"}, {"tail": "=delete"}):
            self.write(member(), member(text="", line=8, **hidden))
            self.made()

    def test_no_topic(self):
        self.write(member(header="KokkosMMA_New"))
        self.rejected("KokkosMMA_New.hpp has public entities and no topic")

    def test_internal_names_in_declarations(self):
        self.write(member(tail=" -> Impl::Sum"))
        self.rejected("KokkosMMA::reduce(int n) -> Impl::Sum names Impl:: where callers read it")

    def test_nothing_to_read(self):
        self.rejected("no public entities were found")

    def test_the_page_of_the_site_has_a_group_for_each_header(self):
        self.write(member())
        self.make("--update", "--site", self.folder / "api.md")
        text = (self.folder / "api.md").read_text(encoding="utf-8")
        self.assertEqual(text.count("```{doxygengroup}"), 1)
        self.assertIn("## Settings\n\n```{cpp:namespace} KokkosMMA\n```\n\n```{doxygengroup} KokkosMMA_Settings\n:content-only:\n:members:\n", text)

    def test_lines_of_a_paragraph_are_joined(self):
        file = self.xml / "group__Sum.xml"
        code = "<programlisting><codeline>e\nf</codeline></programlisting>"
        file.write_text(f"<doxygen><para>a (b,\nc) <b>d\n</b>e\nf{code}</para></doxygen>", encoding="utf-8")
        self.assertEqual(run("join_lines.py", self.xml).returncode, 0)
        self.assertIn(f"<para>a (b, c) <b>d </b>e f{code}</para>", file.read_text(encoding="utf-8"))

    def test_concepts_are_shown_as_classes(self):
        header = self.folder / "Scan.hpp"
        header.write_text("template <Impl::Rank1View X>\nvoid f(std::array<int, std::size_t(Impl::rank_of<X>)>, Impl::rank_of<X>);\n",
                          encoding="utf-8")
        self.assertEqual(run("group_by_header.py", header).stdout,
                         "template <class X>\nvoid f(std::array<int, X::rank>, X::rank);\n")

    def test_groups_keep_the_lines(self):
        header = self.folder / "Sum.hpp"
        header.write_text("namespace KokkosMMA {\nnamespace Impl {\n}\nint sum();\n}  // namespace KokkosMMA\n", encoding="utf-8")
        lines = run("group_by_header.py", header).stdout.split("\n")
        self.assertEqual(lines[0], "namespace KokkosMMA { /** \\addtogroup Sum */ /** \\{ */")
        self.assertEqual(lines[1:4], ["namespace Impl {", "}", "int sum();"])
        self.assertEqual(lines[4], "/** \\} */ }  // namespace KokkosMMA")


if __name__ == "__main__":
    unittest.main()
