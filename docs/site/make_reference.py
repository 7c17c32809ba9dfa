#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes docs/reference.md from Doxygen's XML: every public signature with the first sentence of its comment.

Without --update the committed page is compared. Reports what is public and has no comment, no topic, or an internal name in its signature.
"""

import argparse
import difflib
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HEAD = """# Reference

<!-- Written by docs/site/make_reference.py from the comments of the headers. Edit those. -->

One sentence for each public signature. The headers document types, errors, accuracy and order of additions.

- All names are in namespace `KokkosMMA`, those of [MPI](#mpi) in `KokkosMMA::mpi`.
- Template parameters of functions are shown where a caller names them. Others are deduced: `Exec` is an execution space; `X`, `Y`, `R` and `V` are Views.
- `[, settings]` is an optional last argument, [`Settings const& settings = {}`](#settings): label, route, level of reproducibility and check of offsets.
- Kernels run asynchronously, in order on `exec`. A call waits for its kernels if it returns a scalar, checks segment offsets, counts runs or communicates.
- Wrong arguments throw `std::invalid_argument`; no result is written then.
"""
# Name of the topic, sentence below it, headers in the order of the page.
TOPICS = (
    ("Settings", "`<KokkosMMA.hpp>` and the header of every topic have these. See also [variables of the environment](variables.md).",
     "core/routing/KokkosMMA_Route core/routing/KokkosMMA_Reproducibility core/routing/KokkosMMA_Settings "
     "adapters/kokkos/KokkosMMA_Explain adapters/kokkos/KokkosMMA_Configuration"),
    ("Reductions", "`<KokkosMMA_Reduce.hpp>`; [details](calls/reductions.md).",
     "adapters/algorithms/reduce/KokkosMMA_Reduce adapters/kokkos/KokkosMMA_Functors adapters/kokkos/KokkosMMA_SumReducer"),
    ("Scans", "`<KokkosMMA_Scan.hpp>`; [details](calls/scans.md).",
     "adapters/algorithms/scan/KokkosMMA_Scan adapters/kokkos/KokkosMMA_ScanInto adapters/kokkos/KokkosMMA_ScanFunctors"),
    ("Segments", "`<KokkosMMA_Segmented.hpp>`; [details](calls/segments.md).",
     "adapters/algorithms/segmented/KokkosMMA_Segmented adapters/algorithms/segmented/KokkosMMA_SegmentedChecks "
     "adapters/algorithms/segmented/KokkosMMA_SegmentPolicy adapters/algorithms/segmented/KokkosMMA_ByKey"),
    ("Stencils", "`<KokkosMMA_Stencil.hpp>`; [details](calls/stencils.md).",
     "adapters/algorithms/stencil/KokkosMMA_Stencil adapters/algorithms/stencil/KokkosMMA_StencilPolicy "
     "core/stencil/KokkosMMA_StencilWeights core/stencil/KokkosMMA_Boundary"),
    ("Automata", "`<KokkosMMA_Automaton.hpp>`; [details](calls/stencils.md).",
     "adapters/algorithms/automaton/KokkosMMA_Automaton core/automaton/KokkosMMA_AutomatonRule core/automaton/KokkosMMA_RuleNotation"),
    ("Teams", "`<KokkosMMA_Team.hpp>`, inside kernels over a `Kokkos::TeamPolicy`; [details](calls/teams.md).",
     "adapters/algorithms/team/KokkosMMA_TeamCollectives"),
    ("Routing", "Routes depend on the device and the element type. All headers declare these names; [how it works](how_it_works.md).",
     "core/base/KokkosMMA_Capability adapters/kokkos/KokkosMMA_SpaceCapability core/base/KokkosMMA_Scalar"),
    ("MPI", "`<KokkosMMA_Mpi.hpp>`, target `KokkosMMA::mpi`; [details](mpi.md).",
     "adapters/mpi/KokkosMMA_MpiReduce adapters/mpi/KokkosMMA_MpiScan adapters/mpi/KokkosMMA_MpiHalo adapters/mpi/KokkosMMA_MpiTopology "
     "adapters/mpi/KokkosMMA_MpiAgreement"),
    ("Macros", "Defined by every header. Macros that an application may define are on the page of [variables](variables.md).",
     "core/base/KokkosMMA_Version"),
)
SETTINGS = ", Settings const& settings = {}"
WIDTH = 80


def plain(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def markdown(element):
    """The text of a paragraph up to its first list, block of code or section of parameters."""
    text = element.text or ""
    for child in element:
        if child.tag in ("itemizedlist", "orderedlist", "programlisting", "parameterlist", "simplesect"):
            return text
        inner = "".join(child.itertext())
        text += f"`{inner}`" if child.tag == "computeroutput" else inner
        text += child.tail or ""
    return text


def sentence(entity):
    """The first sentence of a comment."""
    for kind in ("briefdescription", "detaileddescription"):
        for paragraph in entity.findall(f"{kind}/para"):
            text = " ".join(markdown(paragraph).split())
            if text:
                text = re.split(r"(?<=[.!?]) (?=[A-Z`])", text)[0]
                return "".join(part if i % 2 else re.sub(r"([<*])", r"\\\1", part) for i, part in enumerate(re.split("(`[^`]*`)", text)))
    return ""


def tidy(declaration):
    """Doxygen's spaces as the headers have them."""
    text = re.sub(r"([&*])(?=\w)", r"\1 ", re.sub(r" ([&*]+)(?! )", r"\1", " ".join(declaration.split())))
    return text.replace("< ", "<").replace(" >", ">")


def parameter(element):
    name = plain(element.find("declname"))
    text = tidy(plain(element.find("type")))
    if text.endswith("(&)"):  # an array
        text = f"{text[:-3].strip()} (&{name}){plain(element.find('array'))}"
    else:
        text += " " + name if name else ""
    default = plain(element.find("defval"))
    return text + (f" = {tidy(default)}" if default else "")


class Entity:
    def __init__(self, element, scope):
        self.element = element
        self.kind = element.get("kind")
        self.scope = scope
        self.name = (element.findtext("compoundname") or element.findtext("name")).split("::")[-1]
        location = element.find("location")
        self.file = location.get("file")
        self.line = int(location.get("line"))
        self.header = Path(self.file).stem
        self.sentence = sentence(element)
        self.template = [parameter(one) for one in element.findall("templateparamlist/param")]
        self.parameters = [parameter(one) for one in element.findall("param")]
        self.members = []

    def where(self):
        return f"{self.file}:{self.line}: {self.scope}::{self.name}{self.element.findtext('argsstring') or ''}"

    def names_internals(self):
        texts = [self.element.findtext("argsstring") or "", plain(self.element.find("type")) if self.kind == "function" else ""]
        return any("Impl::" in text for text in texts + self.template)

    def signature(self):
        """Without `inline` and the template parameters that arguments give."""
        type_text = re.sub(r"\b(constexpr|friend)\b ?", "", tidy(plain(self.element.find("type"))))
        template = f"template <{', '.join(self.template)}> " if self.template else ""
        if self.kind in ("class", "struct", "enum"):
            return f"{template}{self.kind.replace('enum', 'enum class')} {self.name}"
        if self.kind == "typedef":
            return f"using {self.name}" if "Impl::" in type_text else f"using {self.name} = {type_text}"
        if self.kind == "variable":
            value = tidy(plain(self.element.find("initializer"))).lstrip("= ")
            array = self.element.findtext("argsstring") or ""
            head = "static constexpr " if self.element.get("static") == "yes" else ""
            type_text = re.sub("^static ", "", type_text)
            value = f" = {value}" if value and "Impl::" not in value and len(value) < 40 else ""
            return f"{template}{head}{type_text} {self.name}{array}{value}"
        listed = ", ".join(self.parameters)
        # What arguments give: a type that is one, not the value in an expression; `auto` hides names.
        deduced = re.sub(r"std::size_t\(\w+\)", "", listed)
        named = [one for one in self.template
                 if " = " in one and not re.search(rf"\b{one.split()[1]}\b", deduced)
                 or " = " not in one and "auto " not in deduced and not re.search(rf"\b{one.split()[-1]}\b", deduced)]
        head = "static " if self.element.get("static") == "yes" and not type_text.startswith("static") else ""
        tail = " const" if self.element.get("const") == "yes" else ""
        name = self.name if not self.name.startswith("operator()") else "operator()"
        listed = listed.replace(SETTINGS, "[, settings]")
        text = f"{head}{type_text} {name}({listed}){tail}".strip()
        return (f"template <{', '.join(named)}>\n" if named else "") + text


def wrapped(signature):
    """A signature in lines of WIDTH characters, broken between parameters."""
    lines = []
    for line in signature.split("\n"):
        while len(line) > WIDTH:
            commas = [found.start() + 1 for found in re.finditer(r", (?!settings\])", line)
                      if found.start() < WIDTH and line.count("<", 0, found.start()) == line.count(">", 0, found.start())]
            if not commas:
                break
            lines.append(line[:commas[-1]])
            line = "    " + line[commas[-1] + 1:]
        lines.append(line)
    return "\n".join(lines)


def read(folder):
    """Public entities of namespaces, each class with its members, in the order of files and lines."""
    found = []
    for file in sorted(folder.glob("*.xml")):
        for compound in ElementTree.parse(file).getroot().iter("compounddef"):
            kind = compound.get("kind")
            scope = compound.findtext("compoundname")
            if kind not in ("namespace", "class", "struct", "file"):
                continue
            members = [Entity(member, scope) for member in compound.iter("memberdef")
                       if member.get("prot") != "private" and not (member.findtext("argsstring") or "").endswith("=delete")
                       and (member.get("kind") == "define") == (kind == "file")
                       and not (member.get("kind") == "friend" and plain(member.find("type")).endswith("class"))
                       and not (member.get("kind") == "variable" and "Impl::" in plain(member.find("type")))]
            if kind in ("class", "struct"):
                entity = Entity(compound, scope.rpartition("::")[0])
                entity.members = sorted(members, key=lambda member: member.line)
                members = [entity]
            found += members
    return sorted(found, key=lambda entity: (entity.file, entity.line))


def problems_of(entities):
    topics = {Path(header).stem for _, _, headers in TOPICS for header in headers.split()}
    for entity in entities:
        for one in [entity] + entity.members:
            if not one.sentence:
                yield f"{one.where()} has no comment; say what it does"
            if one.names_internals():
                yield (f"{one.where()} names Impl:: where callers read it; give the type a public name, or group_by_header.py what to show")
    for header in sorted({entity.header for entity in entities} - topics):
        yield f"{header}.hpp has public entities and no topic; add it to TOPICS in make_reference.py"
    if not entities:
        yield "no public entities were found"


def block(signatures):
    return ["```cpp"] + [wrapped(signature) for signature in signatures] + ["```", ""]


def bullet(signature, text):
    return f"- `{signature}`: {text[:1].upper()}{text[1:].rstrip('.')}.".replace("\n", " ")


def bullets(entity):
    values = [(value.findtext("name"), sentence(value)) for value in entity.element.findall("enumvalue")]
    lines = [bullet(name, text) for name, text in values if text]
    if values and not lines:
        lines = [", ".join(f"`{name}`" for name, _ in values)]
    lines += [bullet(member.signature(), member.sentence) for member in entity.members]
    return lines + [""] if lines else []


def page(entities):
    classes = {(entity.scope, entity.name) for entity in entities if entity.kind in ("class", "struct")}
    lines = [HEAD]
    for topic, about, headers in TOPICS:
        lines += [f"## {topic}", "", about, ""]
        order = {Path(header).stem: i for i, header in enumerate(headers.split())}
        own = [entity for entity in entities if entity.header in order and not entity.sentence.startswith("Does not compile")
               and not (entity.kind == "function" and (entity.scope, entity.name) in classes)]
        own.sort(key=lambda entity: (order[entity.header], entity.line))
        done = set()
        for entity in own:
            prefix = "mpi::" if entity.scope.endswith("::mpi") else ""
            if entity.name in done:
                continue
            done.add(entity.name)
            if entity.kind == "define":
                lines += [bullet(entity.name, entity.sentence)]
                continue
            lines += [f"### `{prefix}{entity.name}`", ""]
            if entity.kind == "function":
                groups = {}
                for one in (other for other in own if other.name == entity.name):
                    groups.setdefault(one.sentence, []).append(one.signature())
                for text, signatures in groups.items():
                    lines += block(signatures) + [text, ""]
                continue
            lines += [f"`{entity.signature()}`: {entity.sentence}", ""] + bullets(entity)
    return "\n".join(lines).rstrip("\n") + "\n"


def site_page(entities):
    """All comments whole, for Sphinx: a group of group_by_header.py for each header."""
    present = {entity.header for entity in entities}
    lines = ["# Comments of the headers", ""]
    for topic, _, headers in TOPICS:
        lines += [f"## {topic}", "", f"```{{cpp:namespace}} KokkosMMA{'::mpi' if topic == 'MPI' else ''}", "```", ""]
        for header in headers.split():
            stem = Path(header).stem
            defines = [entity.name for entity in entities if entity.header == stem and entity.kind == "define"]
            for name in defines:
                lines += [f"```{{doxygendefine}} {name}", "```", ""]
            if stem in present and not defines:
                lines += [f"```{{doxygengroup}} {stem}", ":content-only:", ":members:", "```", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("xml", type=Path, help="folder of Doxygen's XML")
    parser.add_argument("page", type=Path, help="docs/reference.md")
    parser.add_argument("--update", action="store_true", help="write the page")
    parser.add_argument("--site", type=Path, help="also write this page of Sphinx, with all comments")
    arguments = parser.parse_args()

    entities = read(arguments.xml)
    problems = list(problems_of(entities))
    text = page(entities)
    old = arguments.page.read_text(encoding="utf-8") if arguments.page.exists() else ""
    if arguments.update:
        arguments.page.write_text(text, encoding="utf-8")
    elif old != text:
        difference = difflib.unified_diff(old.splitlines(), text.splitlines(), str(arguments.page), "what the headers say", lineterm="", n=0)
        problems += list(difference)[:20]
        problems.append(f"{arguments.page} is not what the comments of the headers say; write it anew:\n"
                        f"  python3 {Path(__file__).resolve()} {arguments.xml} {arguments.page} --update")
    if arguments.site:
        arguments.site.write_text(site_page(entities), encoding="utf-8")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
