#!/usr/bin/env python3
# SPDX-FileCopyrightText: Copyright Contributors to the kokkos-mma project
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lays the Markdown of the repository out as pages of the site.

Pages link to files of the repository, as a forge shows them. In the site a link to another page goes to that page, a link to a source
file to a page with its text. A link to nothing, or to a section that a page has not, is an error, and so is `core/gone.hpp`, a path in back quotes that is nowhere (`*` and `<name>`
stand for anything; the changelog may name what is gone), and a quotation that is no longer what it quotes: a block of code behind a line

    <!-- from: core/routing/KokkosMMA_Settings.hpp -->

has lines of that file, one after the other, indented as one likes; "..." on a line of its own leaves some out.
"""

import argparse
import fnmatch
import os
import re
import shutil
import sys
from pathlib import Path, PurePosixPath

IMAGES = {".png", ".svg", ".jpg", ".jpeg", ".gif"}
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".cmake": "cmake", ".json": "json", ".slurm": "bash"}
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
PATH = re.compile(r"(?<![^\s`])(?:\.ci|adapters|backends|cmake|core|docs|examples|include|perf_tests|unit_tests)/[^\s`]*")
FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(\S*)")
QUOTED = re.compile(r"^<!-- from: (\S+) -->$")


def repository_pages(root):
    """Markdown files of the repository that are pages, as paths from its top."""
    patterns = ["*.md", "docs/**/*.md", "examples/**/README.md", "perf_tests/**/README.md"]
    found = {path.relative_to(root).as_posix() for pattern in patterns for path in root.glob(pattern)}
    return sorted(path for path in found if not path.startswith("docs/site/"))


def page_name(path):
    """Where a page of the repository is in the site: docs/ is its top, the README of a folder is called like the folder."""
    if path.startswith("docs/"):
        return path[len("docs/"):]
    parts = PurePosixPath(path)
    if parts.name == "README.md":
        return "readme.md" if len(parts.parts) == 1 else f"{parts.parent}.md"
    return path.lower()


def sections(text):
    """Names of the sections of a page, as a forge makes them of headings."""
    found = {}
    fence = None
    for line in text.split("\n"):
        match = FENCE.match(line)
        if match and (fence is None or match.group(1).startswith(fence)):
            fence = match.group(1) if fence is None else None
        heading = re.match(r"#{1,6} (.+)$", line) if fence is None else None
        if heading:
            words = LINK.sub("]", heading.group(1)).lower()
            name = re.sub(r"[^\w\- ]", "", words).strip().replace(" ", "-")
            found[name] = found.get(name, -1) + 1
    return {name if k == 0 else f"{name}-{k}" for name, most in found.items() for k in range(most + 1)}


class Site:
    def __init__(self, root, target):
        self.root = root
        self.target = target
        self.pages = {path: page_name(path) for path in repository_pages(root)}
        self.problems = []
        self.written = set()
        self.sections = {}

    def write(self, name, text):
        """Leaves a file alone that is already so: Sphinx reads what is new."""
        path = self.target / name
        self.written.add(path)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def copy(self, source, name):
        path = self.target / name
        self.written.add(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_bytes() != source.read_bytes():
            shutil.copyfile(source, path)

    def source_page(self, path):
        """The page of a file or folder that is no page itself."""
        name = f"source/{path}.md"
        if self.target / name in self.written:
            return name
        file = self.root / path
        if file.is_dir():
            self.written.add(self.target / name)
            entries = sorted(entry for entry in file.iterdir() if not entry.name.startswith("."))
            lines = []
            for entry in entries:
                to = self.place_of(f"{path}/{entry.name}")
                lines.append(f"- [{entry.name}]({os.path.relpath(to, PurePosixPath(name).parent)})")
            self.write(name, f"---\norphan: true\n---\n\n# {path}\n\n" + "\n".join(lines) + "\n")
            return name
        self.copy(file, f"source/{path}")
        language = "cmake" if file.name == "CMakeLists.txt" else LANGUAGES.get(file.suffix, "none")
        listing = f"```{{literalinclude}} {file.name}\n:language: {language}\n:linenos:\n```\n"
        self.write(name, f"---\norphan: true\n---\n\n# {path}\n\n{listing}")
        return name

    def place_of(self, path):
        """Where a file of the repository is in the site."""
        if path in self.pages:
            return self.pages[path]
        if f"{path}/README.md" in self.pages:
            return self.pages[f"{path}/README.md"]
        if PurePosixPath(path).suffix in IMAGES:
            name = path[len("docs/"):] if path.startswith("docs/") else path
            self.copy(self.root / path, name)
            return name
        return self.source_page(path)

    def resolve(self, page, number, link):
        """The same link from the place of the page in the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, hash_sign, section = link.partition("#")
        if not path:
            self.check_section(page, number, link, page, section)
            return link
        path = os.path.normpath(os.path.join(os.path.dirname(page), path)).replace(os.sep, "/")
        if path.startswith("..") or not (self.root / path).exists():
            self.problems.append(f"{page}:{number}: link to '{link}': there is no {path} in the repository; correct the link")
            return link
        if path == ".":
            path = "README.md"
        if section:
            self.check_section(page, number, link, path, section)
        there = os.path.relpath(self.place_of(path), os.path.dirname(self.pages[page]) or ".").replace(os.sep, "/")
        return there + hash_sign + section

    def check_section(self, page, number, link, path, section):
        if path not in self.pages:
            return
        if path not in self.sections:
            self.sections[path] = sections((self.root / path).read_text(encoding="utf-8"))
        if section not in self.sections[path]:
            self.problems.append(f"{page}:{number}: link to '{link}': {path} has no section of this name; correct the link")

    def check_paths(self, page, number, span):
        for path in PATH.findall(span):
            if not any(self.root.glob(re.sub("<[^>]*>", "*", path.rstrip("/.,:")))):
                self.problems.append(f"{page}:{number}: names '{path}', and there is no such file or folder in the repository; correct it")

    def resolve_links(self, page, number, line):
        spans = [match.span() for match in CODE_SPAN.finditer(line)]
        if page != "CHANGELOG.md":
            for begin, end in spans:
                self.check_paths(page, number, line[begin:end])

        def replace(match):
            if any(begin <= match.start() < end for begin, end in spans):
                return match.group(0)
            return f"]({self.resolve(page, number, match.group(1))})"

        return LINK.sub(replace, line)

    def check_quotation(self, page, number, quoted, block):
        source = self.root / quoted
        if not source.is_file():
            self.problems.append(f"{page}:{number}: quotes '{quoted}': there is no such file in the repository")
            return
        # Blank lines may be left out.
        lines = [line for line in map(str.strip, source.read_text(encoding="utf-8").splitlines()) if line]
        chunks = [[]]
        for line in filter(None, map(str.strip, block)):
            if line == "...":
                chunks.append([])
            else:
                chunks[-1].append(line)
        at = 0
        for chunk in chunks:
            places = [i for i in range(at, len(lines)) if lines[i:i + len(chunk)] == chunk]
            if not places:
                self.problems.append(f"{page}:{number}: '{chunk[0]}' and what follows is not, or no longer, in {quoted} at this place; "
                                     "quote it anew")
                return
            at = places[0] + len(chunk)

    def stage(self, page):
        text = (self.root / page).read_text(encoding="utf-8")
        lines = text.split("\n")
        fence = None
        quoted = None
        begin = 0
        for i, line in enumerate(lines):
            match = FENCE.match(line)
            if fence is None and match:
                fence, begin = match.group(1), i
            elif fence is not None and match and match.group(1).startswith(fence) and not match.group(2):
                if quoted:
                    self.check_quotation(page, begin + 1, quoted, lines[begin + 1:i])
                fence = quoted = None
            elif fence is None:
                quotation = QUOTED.match(line)
                if quotation:
                    quoted = quotation.group(1)
                lines[i] = self.resolve_links(page, i + 1, line)
        if fence is not None:
            self.problems.append(f"{page}:{begin + 1}: this block of code has no end")
        text = "\n".join(lines)
        if page == "docs/index.md":
            text += "\n" + self.contents()
        stem = self.pages[page][:-len(".md")]
        below = sorted(name[:-len(".md")] for name in self.pages.values() if self.folder_of(name) == f"{stem}/")
        if below:
            text += "\n```{toctree}\n:hidden:\n\n" + "".join(f"/{name}\n" for name in below) + "```\n"
        self.write(self.pages[page], text)

    def folder_of(self, name):
        """The folder of a page in the site, "examples/", if a page is called like it: that page has the contents of the folder."""
        folder = PurePosixPath(name).parent
        return f"{folder}/" if f"{folder}.md" in self.pages.values() else ""

    def contents(self):
        """docs/site/contents.md with its patterns replaced by the pages that no line before them has."""
        rest = sorted(name[:-len(".md")] for name in self.pages.values() if name != "index.md" and not self.folder_of(name))
        lines = []
        for line in (self.root / "docs/site/contents.md").read_text(encoding="utf-8").split("\n"):
            titled = re.match(r".+ <(.+)>$", line)
            named = [name for name in rest if fnmatch.fnmatchcase(name, titled.group(1) if titled else line)]
            lines += [line] if titled or "*" not in line else named
            rest = [name for name in rest if name not in named]
        return "\n".join(lines)

    def remove_old(self):
        for path in sorted(self.target.rglob("*"), reverse=True):
            if path.is_file() and path not in self.written:
                path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source", type=Path, help="top folder of the repository")
    parser.add_argument("target", type=Path, help="folder for the pages; what else is in it is removed")
    arguments = parser.parse_args()
    if not (arguments.source / "docs/index.md").is_file():
        parser.error(f"'{arguments.source}' has no docs/index.md; give the top folder of kokkos-mma")
    site = Site(arguments.source.resolve(), arguments.target.resolve())
    for page in site.pages:
        site.stage(page)
    for problem in site.problems:
        print(problem, file=sys.stderr)
    if site.problems:
        return 1
    site.remove_old()
    print(f"{len(site.pages)} pages, {len(site.written) - len(site.pages)} files that they link to")
    return 0


if __name__ == "__main__":
    sys.exit(main())
