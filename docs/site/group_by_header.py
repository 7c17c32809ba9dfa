#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Doxygen's input filter: prints a header with its public entities in a group of the header's name.

Sphinx shows a group as one section; a file it would show as a namespace, and the same namespace on every page. Lines keep their numbers.
"""

import sys
from pathlib import Path


def main():
    path = Path(sys.argv[1])
    lines = path.read_text(encoding="utf-8").split("\n")
    name = "mpi" if "namespace mpi {" in lines else "KokkosMMA"
    for i, line in enumerate(lines):
        if line == f"namespace {name} {{":
            lines[i] += f" /** \\addtogroup {path.stem} */ /** \\{{ */"
        elif line == f"}}  // namespace {name}":
            lines[i] = "/** \\} */ " + line
        # Where a sentence begins with this word, it is no link to the reducer of that name.
        lines[i] = lines[i].replace("/// Sum of", "/// %Sum of")
    sys.stdout.write("\n".join(lines))


if __name__ == "__main__":
    main()
