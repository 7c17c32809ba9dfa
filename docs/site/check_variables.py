#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that docs/variables.md and docs/developers/variables.md name every variable, option, property, macro and preset that may be set, once,
and nothing else.

Names are taken from the first column of the pages' tables, and from what the sources read: getenv, option(), set(... CACHE ...),
find_program(), properties of targets, macros of public headers.
"""

import argparse
import json
import re
import sys
from pathlib import Path

# What a user sets, and what a developer of this library sets.
PAGES = ("docs/variables.md", "docs/developers/variables.md")
FOLDERS = (".ci", "adapters", "backends", "cmake", "core", "docs", "examples", "include", "perf_tests", "unit_tests")
NAME = r"KOKKOSMMA_[A-Z][A-Z0-9_]*"
# Projects of tests are callers, and what they set is theirs.
CODE = (r'(?:getenv|environment_has)\(\s*"(%s)"' % NAME,
        r"#\s*(?:el)?if(?:n?def\s+|.*\bdefined\()(KOKKOSMMA_(?!IMPL_)[A-Z_]+)(?=\)|$|\s)(?!.*_HPP)",
        r"#define (KOKKOSMMA_VERSION\w*)")
CMAKE = (r"\boption\((KokkosMMA_\w+)", r"\bset\((KokkosMMA_\w+)\s[^)]*\bCACHE (?:BOOL|STRING|FILEPATH|PATH)\b",
         r"\bfind_program\((KokkosMMA_\w+)", r"TARGET_PROPERTY:(%s)" % NAME, r"\bENV\{(%s)\}(?!\s+\w)" % NAME)
SHELL = (r"\$\{(%s)[:-]" % NAME,)
PYTHON = (r"environ(?:\.get\(|\[)[\"'](%s)" % NAME,)
# Read by CMake for find_package itself.
OF_CMAKE = {"KokkosMMA_ROOT", "KokkosMMA_DIR"}


def patterns_of(path):
    if path.suffix in (".hpp", ".cpp", ".cu"):
        # A macro that only tests define is no caller's.
        return CODE if "unit_tests" not in path.parts and "perf_tests" not in path.parts else CODE[:1]
    if path.suffix in (".cmake", ".in") or path.name == "CMakeLists.txt":
        return CMAKE
    if path.suffix == ".py":
        return PYTHON
    return SHELL if path.suffix in ("", ".sh") else ()


def names_of_sources(root):
    found = {}
    files = [root / "CMakeLists.txt"]
    for folder in FOLDERS:
        files += sorted(path for path in (root / folder).rglob("*") if path.is_file() and not path.is_symlink())
    for path in files:
        patterns = patterns_of(path)
        if not patterns or not path.exists() or path.name.startswith(("check_variables", "test_check")):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        for pattern in patterns:
            for match in re.finditer(pattern, text, re.MULTILINE):
                name = match.group(1)
                if not name.endswith("_HPP"):
                    found.setdefault(name, f"{path.relative_to(root)}:{text.count(chr(10), 0, match.start()) + 1}")
    return found


def names_of_page(text):
    return re.findall(r"^\| `((?:KOKKOSMMA|KokkosMMA)_\w+)` \|", text, re.MULTILINE)


def presets_of_project(root):
    """Names for cmake --preset and --workflow."""
    path = root / "CMakePresets.json"
    document = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {preset["name"] for kind in ("configurePresets", "workflowPresets") for preset in document.get(kind, []) if not preset.get("hidden")}


def check_presets(root):
    page = PAGES[1]
    section = re.search(r"^## Presets\n(.*?)(?=^## |\Z)", (root / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    rows = re.findall(r"^\| `([\w-]+)` \|", section.group(1) if section else "", re.MULTILINE)
    names = presets_of_project(root)
    return ([f"{page}: the preset {name} has {rows.count(name)} rows; one is right" for name in sorted(names) if rows.count(name) != 1]
            + [f"{page}: there is no preset {name}; take the row out" for name in sorted(set(rows) - names)])


def check(root):
    named = {}
    problems = []
    for page in PAGES:
        for name in names_of_page((root / page).read_text(encoding="utf-8")):
            if name in named:
                problems.append(f"{page}: {name} has a row in {named[name]} already; keep one")
            named.setdefault(name, page)
    read = names_of_sources(root)
    problems += [f"{place}: {name} is on no row of {' or '.join(PAGES)}; say there what it does" for name, place in sorted(read.items())
                 if name not in named]
    problems += [f"{page}: nothing reads {name}; take the row out" for name, page in sorted(named.items()) if name not in read.keys() | OF_CMAKE]
    return problems + check_presets(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path, help="top folder of the repository")
    problems = check(parser.parse_args().source.resolve())
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
