#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that every reference in the tree opens: citations, links and anchors.

    scripts/check_references.py               checks the repository, prints one line a broken reference, exits 1 if there is one
    scripts/check_references.py --self-test   proves on small trees that each rule bites

A citation names a page of docs/reference/ and its sections, in code, presets, tests and pages: `wse.md 5.6`,
`wse_timing.md A1, A3`, `numesh.md 3.3 and S23`. Each section is a heading of that page that begins with its number. Other
pages are named with their path, `docs/running.md#exit-codes`, or linked from a page beside them, `[text](layout.md)`.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = "docs/reference"
TEXT_SUFFIXES = {".h", ".cpp", ".cmake", ".txt", ".py", ".sh", ".md", ".json", ".tasm", ".pto", ".csl", ".scenario", ".golden", ".in", ".yaml", ""}
# The manual page docs/csl.md is named with its path, the reference page by itself: `csl.md 1.4`.
SAME_NAME = {"csl"}
# A document that only its authors have.
PRIVATE = re.compile(r"\b(INTERFACE|ARCHITECTURE)\b(?!\.in)(\.md)?")

SECTION = r"[A-Z]?\d+(?:\.\d+)*"
# A line of a comment may end inside a citation.
GAP = r"(?:[ \t]*\n[ \t]*(?://+|#|\*)?[ \t]*|[ \t]+)"
HEADING = re.compile(r"^(#{1,6})[ \t]+(.*?)[ \t]*$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]*[./#:][^()\s]*)\)")
BARE_NAME = re.compile(r"(?<![\w/.-])([A-Za-z][\w-]*)\.md\b")
PATH = re.compile(r"(?<![\w/.-])docs/[\w./-]+\.(?:md|svg)(#[\w-]+)?")


def slug(title):
    """The anchor that renderers of Markdown give a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def blanked(match):
    return re.sub(r"[^\n]", " ", match.group(0))


class Page:
    """The headings of a page of Markdown: anchors, and the section numbers that headings begin with."""

    def __init__(self, text):
        titles = [m.group(2) for m in HEADING.finditer(FENCE.sub(blanked, text))]
        self.anchors = {slug(title) for title in titles}
        numbers = (re.match(rf"({SECTION})(?![\w-])", title.replace("`", "")) for title in titles)
        self.sections = {m.group(1) for m in numbers if m}


def names_below(root):
    """What git knows below `root`; without git all files but those of build folders."""
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode == 0:
            return listed.stdout.splitlines()
    except FileNotFoundError:
        pass
    names = (file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file())
    return [name for name in names if not re.match(r"build(-[^/]*)?/|\.git/", name)]


def read_tree(root):
    """Text of the files below `root`."""
    files = {}
    for name in names_below(root):
        path = root / name
        if path.suffix in TEXT_SUFFIXES and path.is_file():
            files[name] = path.read_text(encoding="utf-8", errors="replace")
    return files


def citation_pattern(names):
    sections = rf"(?:{GAP}(?:sections?{GAP})?({SECTION}(?:(?:,|;|{GAP}and|{GAP}to){GAP}{SECTION})*)(?![\w-]))?"
    return re.compile(rf"(?<![\w/.-])({'|'.join(sorted(names, key=len, reverse=True))})\.md\b`?{sections}")


class Checker:
    def __init__(self, root):
        self.root = root
        self.files = read_tree(root)
        self.pages = {name: Page(text) for name, text in self.files.items() if name.endswith(".md")}
        self.reference = {Path(name).stem: page for name, page in self.pages.items() if name.startswith(REFERENCE + "/")}
        self.reference.pop("README", None)
        self.names = {Path(name).stem for name in self.pages}

    def run(self):
        problems = [f"{REFERENCE}/{name}.md has the name of the page docs/{name}.md" for name in self.reference if f"docs/{name}.md" in self.files and name not in SAME_NAME]
        cited = citation_pattern(self.reference) if self.reference else None
        for name, text in sorted(self.files.items()):
            if name == "scripts/check_references.py":
                continue
            found = list(self.check_paths(name, text))
            if cited:
                found += self.check_citations(cited, text)
            if name.endswith(".md"):
                found += self.check_links(name, text)
            found += ((m.start(), f"{m.group(0)} is not in this tree; name a page of docs/") for m in PRIVATE.finditer(text) if not name.startswith("cmake/") and not name.endswith("CMakeLists.txt"))
            problems += [f"{name}:{text.count(chr(10), 0, at) + 1}: {what}" for at, what in sorted(found)]
        return problems

    def check_citations(self, pattern, text):
        for match in BARE_NAME.finditer(text):
            if match.group(1) not in self.names:
                yield match.start(), f"there is no page {match.group(1)}.md"
        for match in pattern.finditer(text):
            page, sections = match.group(1), match.group(2)
            for section in re.findall(SECTION, sections or ""):
                if section not in self.reference[page].sections:
                    yield match.start(), f"{REFERENCE}/{page}.md has no section {section}"

    def check_paths(self, name, text):
        for match in PATH.finditer(text):
            yield from self.check_target(match.start(), *split_anchor(match.group(0)))

    def check_links(self, name, text):
        for match in LINK.finditer(CODE.sub(blanked, text)):
            target, anchor = split_anchor(match.group(1))
            if re.match(r"[a-z]+:", target):
                continue
            path = (self.root / name).parent / target if target else self.root / name
            resolved = Path(path).resolve()
            if not resolved.exists():
                yield match.start(), f"the link to {match.group(1)} leads nowhere"
                continue
            if anchor and resolved.is_relative_to(self.root):
                yield from self.check_target(match.start(), resolved.relative_to(self.root).as_posix(), anchor)

    def check_target(self, at, path, anchor):
        if not (self.root / path).exists():
            yield at, f"{path} does not exist"
        elif anchor and path in self.pages and anchor not in self.pages[path].anchors:
            yield at, f"{path} has no heading #{anchor}"


def split_anchor(target):
    path, _, anchor = target.partition("#")
    return path, anchor


def self_test():
    good = {
        "docs/reference/wse.md": "# Wafer\n## 5 Streams\n### 5.6 A control wavelet\n### A3 Relay\n",
        "docs/running.md": "# Running\n## Exit codes\n[facts](reference/wse.md#56-a-control-wavelet)\n",
        "models/a.h": "// wse.md 5.6, A3; docs/running.md#exit-codes, and wse.md\n// 5 where a line ends\n",
    }
    bad = {
        "has no section 5.7": {"models/a.h": "// wse.md 5.6, 5.7\n"},
        "has no section 6": {"models/a.h": "// wse.md\n// 6: a line ends\n"},
        "has no heading #exit": {"models/a.h": "// docs/running.md#exit\n"},
        "docs/walking.md does not exist": {"models/a.h": "// docs/walking.md\n"},
        "leads nowhere": {"docs/running.md": "[x](nowhere/)\n## Exit codes\n"},
        "has no heading #far": {"docs/running.md": "[x](#far)\n## Exit codes\n"},
        "there is no page chip.md": {"models/a.h": "// chip.md, pipes\n"},
        "is not in this tree": {"models/a.h": "// ARCHITECTURE section 2\n"},
        "has the name of the page": {"docs/wse.md": "# Wafer\n"},
    }
    def problems(files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder).resolve() / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return Checker(Path(folder).resolve()).run()
    failed = [f"a good tree is refused: {problems(good)}"] if problems(good) else []
    for expected, change in bad.items():
        found = problems({**good, **change})
        if len(found) != 1 or expected not in found[0]:
            failed.append(f"expected one problem '... {expected} ...', found {found}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="prove that each rule bites")
    problems = self_test() if parser.parse_args().self_test else Checker(ROOT).run()
    print("\n".join(problems) if problems else "All references open.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
