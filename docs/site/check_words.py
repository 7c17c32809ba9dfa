#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the words of the pages: none that only the project's own authors know, one word for one thing; spelling by codespell.

Ends with 77, which ctest calls skipped, where there is no codespell and all else is right.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

PAGES = ("*.md", "docs/*.md", "docs/api/*.md", "docs/results/*.md", "docs/programs/**/*.cpp", "examples/**/README.md",
         "perf_tests/**/README.md")
# Word of the authors, word of the field. A list in place of a chain of ifs; expressions are of whole words.
INSTEAD = (
    (r"main job", "example programs, a whole program"),
    (r"DESIGN|founders?|baseline issue", "a page of docs/, or nothing"),
    (r"half-?floats?|halfs|bhalfs", "halves, half values, bfloat16 values"),
    (r"textbook kernel", "hand-written kernel"),
    (r"one-product", "outer product"),
    (r"WeightPieces|[iI]n pieces", "split operands"),
    (r"look-?behind", "look-back"),
    (r"ragged", "between offsets, compressed rows"),
    (r"\(bar [0-9.]+", "the figure alone"),
    (r"blazing(ly)?|seamless(ly)?|cutting[- ]edge|game[- ]chang\w+|leverag\w+|delve\w*|effortless(ly)?", "what was measured, or nothing"),
)
# What codespell takes for misspelt words: names, and identifiers.
KNOWN = ""


def prose(text):
    """The lines of a page, blocks of code and back quotes left out."""
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*(```|~~~)", line):
            fenced = not fenced
        elif not fenced:
            yield number, re.sub(r"(`+).*?\1|\]\([^)]*\)|<!--.*?-->", " ", line)


def check(root):
    problems = []
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            for number, line in prose(path.read_text(encoding="utf-8")):
                for word, instead in INSTEAD:
                    found = re.search(rf"(?<!\w)(?:{word})(?!\w)", line)
                    if found:
                        problems.append(f"{path.relative_to(root)}:{number}: '{found.group(0)}' is no word for a reader; write: {instead}")
    return problems


def spelling(root):
    """What codespell finds, or None where it is not there."""
    program = shutil.which("codespell")
    if not program:
        return None
    files = sorted({str(path) for pattern in PAGES for path in root.glob(pattern)})
    known = ["--ignore-words-list", KNOWN] if KNOWN else []
    done = subprocess.run([program, *known, *files], stdout=subprocess.PIPE, universal_newlines=True, check=False)
    return done.stdout.split("\n")[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path, help="top folder of the repository")
    root = parser.parse_args().source.resolve()
    problems = check(root)
    misspelt = spelling(root)
    for problem in problems + (misspelt or []):
        print(problem, file=sys.stderr)
    if problems or misspelt:
        return 1
    if misspelt is None:
        print("skipped: there is no codespell here; the other words are right")
        return 77
    return 0


if __name__ == "__main__":
    sys.exit(main())
