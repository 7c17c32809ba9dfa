#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's input filter: prints a header with its public entities in a group of the header's name.

Sphinx shows a group as one section; a file it would show as a namespace, and the same namespace on every page. Lines keep their numbers.
Of the concepts of template parameters, which are internal, a reader sees `class`: the comment of a parameter says what it must be.
"""

import re
import sys
from pathlib import Path


CONCEPTS = re.compile(r"\bImpl::(?:InitialArgument|NotSettings|Rank1View|SegmentOperation|StencilView|Summable|TeamResult)(?= [A-Z])")
SHOWN = {"Impl::policy_segments_t<LengthOrOffsets>": "Segments"}
RANK = re.compile(r"(?:\bstd::size_t\(Impl::rank_of<(\w+)>\)|\bImpl::rank_of<(\w+)>)")


def main():
    path = Path(sys.argv[1])
    lines = path.read_text(encoding="utf-8").split("\n")
    name = "mpi" if "namespace mpi {" in lines else "KokkosMMA"
    for i, line in enumerate(lines):
        if line == f"namespace {name} {{":
            lines[i] += f" /** \\addtogroup {path.stem} */ /** \\{{ */"
        elif line == f"}}  // namespace {name}":
            lines[i] = "/** \\} */ " + line
        for internal, shown in SHOWN.items():
            lines[i] = lines[i].replace(internal, shown)
        lines[i] = RANK.sub(lambda found: f"{found.group(1) or found.group(2)}::rank", CONCEPTS.sub("class", lines[i]))
        # Where a sentence begins with this word, it is no link to the reducer of that name.
        lines[i] = lines[i].replace("/// Sum of", "/// %Sum of")
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main()
