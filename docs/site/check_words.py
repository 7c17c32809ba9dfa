#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the words of the pages: none that only the project's own authors know or use so, one word for one thing; spelling by codespell.

Ends with 77, which ctest calls skipped, where there is no codespell and all else is right.
"""

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Headers whose comments the site shows.
HEADERS = ("include/*.hpp", "adapters/algorithms/**/*.hpp", "adapters/kokkos/*.hpp", "adapters/mpi/*.hpp", "core/automaton/*.hpp",
           "core/stencil/*.hpp", *(f"core/routing/KokkosMMA_{topic}.hpp" for topic in ("Reproducibility", "Route", "Settings")))
PAGES = ("*.md", "docs/**/*.md", "docs/programs/**/*.cpp", "examples/**/README.md", "perf_tests/**/README.md")
# Words of the authors, and what to write. A list in place of a chain of ifs; expressions are of whole words.
INSTEAD = (
    (r"main job", "example programs, a whole program"),
    (r"DESIGN|founders?|baseline issue", "a page of docs/, or nothing"),
    (r"half-?floats?|halfs|bhalfs", "half values, bfloat16 values"),
    (r"textbook kernel", "hand-written kernel"),
    (r"one-product", "outer product"),
    (r"WeightPieces|[iI]n pieces", "split operands"),
    (r"look-?behind", "look-back"),
    (r"ragged", "between offsets, compressed rows"),
    (r"\(bar [0-9.]+", "only the figure"),
    (r"blazing(ly)?|seamless(ly)?|cutting[- ]edge|game[- ]chang\w+|leverag\w+|delve\w*|effortless(ly)?", "what was measured, or nothing"),
)
# Habits of the authors that make a reader stop: right words in a wrong place. Each expression hits the wrong place only; the tests have right
# uses beside the wrong ones.
HABITS = (
    (r"[oO]ne behind (?:the other|another)|(?:right|straight) behind|behind (?:it|them|(?:the|its) (?:call|end|kernel|last|launch|wait)s?)", "after"),
    (r"(?:at|for|in|of|on|with) (?:(?!leav|left)[\w'-]* ){1,3}alone|alone (?:can|has|have|knows?|may)", "only"),
    (r"ours", "this library's, kokkos-mma's"),
    (r"(?:drop-in|library|kernels?|kokkos-mma|`? ?auto`?) (?:takes?|took) (?:all|any|every|it|no|only|such|that|the|them|these|this|those)",
     "supports, runs, accelerates, uses"),
    (r"(?<![aA]ction )(?<![cC]are )(?:are|is|was|were) (?:not |never )?taken(?! (?:from|into|to mean|up|with))", "supported, accelerated, used"),
    (r"(?:are|be|is|was|were) (?:\w+ )?told(?! apart| to)", "warned, informed; prints a warning"),
    (r"(?:applications?|calls?|callers?|environment|functions?|nobody|scopes?|settings?) asks? for|(?:are|be|is|was|were) asked for",
     "requests, sets"),
    (r"(?:are|is|was|were) (?:\w+ )?refused|[rR]efusals?", "rejected; falls back to Kokkos"),
    (r"stands? (?:above|below|beside|in|there)", "is listed in, is in"),
    (r"[sS]uch an?", "a ... of this kind, this"),
    (r"(?:[aA]ll|[aA]ny|[eE]verything|[nN]one|[nN]othing(?! but)|same)\b[^.:;|]{0,60}\bbut for|, but for (?:a|its|one|the|those) [\w' ]+,", "except"),
    (r"functors?(?:'s?)? calls?|calls? of (?:a|the|its) functors?|calls? the functor", "invocation, invokes"),
    (r"orders? of (?:the )?(?:calls|launches)", "schedule"),
    (r"(?:by|with|without) products(?! (?:of|as|in))", "by MMA, with tensor cores"),
    (r"(?:calls|loads|steps) under way", "in flight"),
    (r"Who(?:ever)? (?:asks|changes|compares|has|needs|wants|writes)", "To ..., do ...; a person who ..."),
    (r"(?:a|its|the|whose|\w+'s) wish(?:es)?", "setting, request"),
    (r"as (?:it lies|they lie)", "as it is in memory"),
    (r"has other bits|(?:has|have) (?:Kokkos'|equal|its) bits", "is bitwise identical, is not reproducible"),
    (r"without a word", "silently"),
    (r"(?:that|they|which) (?:are|is) no (?!(?:faster|larger|longer|narrower|slower|smaller|wider)\b)[\w-]+", "is not a"),
    (r"for no (?:call|size|type|value)s?", "not ... for any"),
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


def comments(text):
    """The lines of a header's documentation, examples left out."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        comment = re.search(r"///<? ?(.*)", line)
        code = comment and (code or "\\code" in line) and "\\endcode" not in line
        if comment and not code:
            yield number, re.sub(r"`.*?`|\\param \w+", " ", comment.group(1))


def check(root):
    problems = []
    for pattern in PAGES + HEADERS:
        for path in sorted(root.glob(pattern)):
            lines = comments if path.suffix == ".hpp" else prose
            for number, line in lines(path.read_text(encoding="utf-8")):
                for word, instead in INSTEAD + HABITS:
                    found = re.search(rf"(?<!\w)(?:{word})(?!\w)", line)
                    if found:
                        problems.append(f"{path.relative_to(root)}:{number}: '{found.group(0)}': readers stumble; write: {instead}")
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
