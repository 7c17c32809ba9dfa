#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Joins the lines of each paragraph in Doxygen's XML.

Doxygen keeps the end of a line within parentheses and quotation marks, and breathe makes a paragraph of each line.
"""

import argparse
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

CODE = {"programlisting", "verbatim"}


def joined(text):
    return text.replace("\n", " ") if text and text.strip() else text


def join(element):
    if element.tag in CODE:
        return
    element.text = joined(element.text)
    for child in element:
        join(child)
        child.tail = joined(child.tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("xml", type=Path, help="folder of Doxygen's XML")
    for file in sorted(parser.parse_args().xml.glob("*.xml")):
        tree = ElementTree.parse(file)
        for para in tree.getroot().iter("para"):
            join(para)
        tree.write(file, encoding="utf-8", xml_declaration=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
