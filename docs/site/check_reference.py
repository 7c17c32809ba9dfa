#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that all that is public has a comment and a place in the reference.

Doxygen itself passes over overloads without a comment, and nobody else would notice a new header that no page names.
"""

import argparse
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path


def has_text(entity):
    return any("".join(part.itertext()).strip() for kind in ("briefdescription", "detaileddescription") for part in entity.findall(kind))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("xml", type=Path, help="folder of Doxygen's XML")
    parser.add_argument("pages", type=Path, help="folder of the pages of the reference")
    arguments = parser.parse_args()

    problems = []
    headers = set()
    for file in sorted(arguments.xml.glob("*.xml")):
        for compound in ElementTree.parse(file).getroot().iter("compounddef"):
            name = compound.findtext("compoundname")
            if compound.get("kind") in ("class", "struct"):
                location = compound.find("location")
                headers.add(Path(location.get("file")).stem)
                if not has_text(compound):
                    problems.append(f"{location.get('file')}:{location.get('line')}: {name} has no comment; say what it is")
            if compound.get("kind") not in ("namespace", "class", "struct"):
                continue
            for member in compound.iter("memberdef"):
                arguments_text = member.findtext("argsstring") or ""
                if member.get("prot") == "private" or arguments_text.endswith("=delete"):
                    continue
                location = member.find("location")
                headers.add(Path(location.get("file")).stem)
                if not has_text(member):
                    problems.append(f"{location.get('file')}:{location.get('line')}: {name}::{member.findtext('name')}{arguments_text} "
                                    "has no comment; say what it does")
                parameters = [f"{member.findtext('type') or ''}{arguments_text}"]
                parameters += ["".join(part.itertext()) for part in member.findall("templateparamlist/param/type")]
                if member.get("kind") == "function" and any("Impl::" in text for text in parameters):
                    problems.append(f"{location.get('file')}:{location.get('line')}: {name}::{member.findtext('name')} names Impl:: where callers "
                                    "read it; give the type a public name, or group_by_header.py what to show")

    named = set()
    for page in sorted(arguments.pages.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        groups = re.findall(r"^```\{doxygengroup\} (\S+)$", text, re.MULTILINE)
        named |= set(groups)
        for group in groups:
            if f"```{{doxygengroup}} {group}\n:content-only:\n:members:\n```" not in text:
                problems.append(f"{page}: the group {group} shows no members; add :members:")
        if groups and not re.search(r"^<!-- from: \S+ -->\n```cpp$", text, re.MULTILINE):
            problems.append(f"{page}: has no example; quote one of a program of the tests")
    for header in sorted(headers - named):
        problems.append(f"{header}.hpp has public entities and is on no page of {arguments.pages}; add its group to one")
    if not headers:
        problems.append(f"{arguments.xml}: no public entities were found")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
