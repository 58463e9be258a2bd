#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the manual as a static site: README, the pages of docs/ and what they link to, with search and a dark mode.

    scripts/site.py [--out FOLDER]      build/site; open FOLDER/index.html in a browser, or copy it to any server

Installs Sphinx, MyST and the theme Furo if they are missing. A warning of Sphinx or a link that leads nowhere is an error.
"""
import argparse
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = ("python3-sphinx", "python3-myst-parser", "furo")
# Code, in which nothing is a link, or the target of a link.
CODE_OR_LINK = re.compile(r"^(?P<indent> *)(?P<fence>```+|~~~+).*?^(?P=indent)(?P=fence) *$|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`)"
                          r"|(?<=\]\()(?P<link>[^)\s#<>]+)(?=[)#])", re.MULTILINE | re.DOTALL)
LEXERS = {".h": "cpp", ".cpp": "cpp", ".c": "c", ".py": "python", ".sh": "bash", ".json": "json", ".yaml": "yaml", ".cmake": "cmake",
          ".sv": "systemverilog", ".html": "html"}
KNOWN = ("bash", "c", "cmake", "cpp", "html", "json", "mermaid", "python", "sh", "systemverilog", "text", "yaml")
INDEX = f"{'index'}.md"  # what README becomes
SHOWN = (".svg", ".png")
CONFIGURATION = """
project = "Tessera"
version = release = "{version}"
html_title = "Tessera {version}"
copyright = "The Tessera authors, Apache-2.0"
extensions = ["myst_parser"]
html_theme = "furo"
html_show_sourcelink = False
html_copy_source = False
highlight_language = "none"
myst_heading_anchors = 6
# Code of languages that the highlighter does not know, or knows in another version, is shown plain.
suppress_warnings = ["misc.highlighting_failure", "myst.header"]


def setup(app):
    from pygments.lexers.special import TextLexer
    for name in {plain}:
        app.add_lexer(name, TextLexer)
"""


class Site:
    """The sources of the site in a folder, as Sphinx reads them: the same folders as in the checkout."""

    def __init__(self, stage):
        self.stage = stage
        self.pages, self.waiting = {}, []

    def add(self, path):
        """The page (or the picture) that stands for a file or folder of the checkout, relative to the stage."""
        if path in self.pages:
            return self.pages[path]
        if path == pathlib.Path("README.md"):
            page = pathlib.Path(INDEX)
        elif (ROOT / path).is_dir():
            page = path / "README.md" if (ROOT / path / "README.md").exists() else path / "_folder.md"
        elif path.suffix in (".md", *SHOWN):
            page = path
        else:
            page = path.with_name(path.name + ".md")
        self.pages[path] = page
        self.waiting.append((path, page))
        return page

    def write(self):
        while self.waiting:
            path, page = self.waiting.pop()
            source, target = ROOT / path, self.stage / page
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix in SHOWN:
                shutil.copyfile(source, target)
            elif source.is_dir() and page.name == "README.md":
                self.add(page)
            else:
                target.write_text(self.text(path, page), encoding="utf-8")

    def text(self, path, page):
        source = ROOT / path
        if source.is_dir():
            names = sorted(entry.name + "/" * entry.is_dir() for entry in source.iterdir() if not entry.name.startswith((".", "__")))
            lines = [f"- `{name}`" for name in names]  # a folder of the checkout: what is in it, not all of it
            return f"---\norphan: true\n---\n# {path}\n\n" + "\n".join(lines) + "\n"
        text = source.read_text(encoding="utf-8")
        if path.suffix == ".md":
            return self.with_links(path, page, text)
        return f"---\norphan: true\n---\n# {path.name}\n\n`{path}`\n\n`````{LEXERS.get(path.suffix, 'text')}\n{text}\n`````\n"

    def with_links(self, path, page, text):
        """A page whose links lead to the pages of the site."""
        def lead(match):
            target = match["link"]
            if target is None or re.match(r"[a-z]+:", target):
                return match[0]
            there = pathlib.Path(os.path.normpath(path.parent / target))
            if not (ROOT / there).exists():
                sys.exit(f"site.py: {path} links to {target}, which is not there")
            return self.to(page, self.add(there))

        return CODE_OR_LINK.sub(lead, text)

    @staticmethod
    def to(page, other):
        return os.path.relpath(other, page.parent)

    def contents(self):
        """The tables of contents: the reading paths of docs/README.md, then all other pages of docs."""
        text = (ROOT / "docs/README.md").read_text(encoding="utf-8")
        taken, groups = set(), []
        for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
            found = [os.path.normpath(f"docs/{target}") for target in re.findall(r"^\| \[[^\]]*\]\(([^)#]+)", section, re.MULTILINE)]
            found = [target for target in dict.fromkeys(found) if target not in taken]
            taken.update(found)
            groups.append((section.partition("\n")[0], found))
        rest = ["docs/README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
        rest += sorted(str(page) for page in self.pages.values() if page.suffix == ".md" and str(page) not in taken | set(rest)
                       and not self.is_orphan(page))
        groups.append(("More", [page for page in rest if page != INDEX]))
        return "".join("\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(target[:-3] for target in targets) + "\n```\n"
                       for caption, targets in groups)

    def is_orphan(self, page):
        return (self.stage / page).read_text(encoding="utf-8").startswith("---\norphan")


class Page(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attributes):
        named = dict(attributes)
        self.anchors.update(value for value in (named.get("id"), named.get("name") if tag == "a" else None) if value)
        self.links += [value for value in (named.get("href"), named.get("src")) if value]


# The page begins at the edge of the window; where there is room, numbers keep their unit beside them.
STYLE = "\nbody { margin: 0; }\n@media (min-width: 46em) {\n  td.text-right { white-space: nowrap; }\n}\n"


def mend_theme(out):
    """What Debian's Furo lacks for the switch between light and dark. Its script is two files, of which one imports the other, as a
    browser takes it only from modules; its style has lost what a computer that prefers dark shows, and the edges of the page."""
    scripts, style = out / "_static/scripts", out / "_static/styles/furo.css"
    first, _, rest = (scripts / "furo.js").read_text(encoding="utf-8").partition("\n")
    imported = re.fullmatch(r'import \w+ from "\./([\w.-]+)";', first)
    if imported:
        (scripts / "furo.js").write_text((scripts / imported[1]).read_text(encoding="utf-8") + rest, encoding="utf-8")
    text = style.read_text(encoding="utf-8") + STYLE
    if "prefers-color-scheme" not in text:
        colors = re.search(r'body\[data-theme="dark"\] ?\{([^{}]*--color-background-primary[^{}]*)\}', text)
        if not colors:
            sys.exit(f"site.py: {style} has no dark colors")
        text += '\n@media screen and (prefers-color-scheme: dark) {\n  body:not([data-theme="light"]) {' + colors[1] + "}\n}\n"
    style.write_text(text, encoding="utf-8")


def dead_links(out):
    pages = {path: Page(path) for path in sorted(out.rglob("*.html"))}
    dead = []
    for path, page in pages.items():
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            there = pathlib.Path(os.path.normpath(path.parent / urllib.parse.unquote(parts.path))) if parts.path else path
            there = there / "index.html" if there.is_dir() else there
            if not there.exists() or (there in pages and urllib.parse.unquote(parts.fragment) not in pages[there].anchors):
                dead.append(f"{path.relative_to(out)}: {link}")
    return dead, len(pages), sum(len(page.links) for page in pages.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build")) / "site")
    out = parser.parse_args().out.resolve()
    subprocess.run([ROOT / "scripts/setup.sh", *PACKAGES], check=True)
    version = re.search(r"project\(Tessera VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    with tempfile.TemporaryDirectory() as folder:
        stage = pathlib.Path(folder)
        site = Site(stage)
        for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"):
            site.add(pathlib.Path(name))
        for path in sorted((ROOT / "docs").rglob("*.md")):
            site.add(path.relative_to(ROOT))
        site.write()
        plain = sorted(set(re.findall(r"^ *```(\w+)$", "".join(path.read_text(encoding="utf-8") for path in stage.rglob("*.md")), re.MULTILINE))
                       - set(KNOWN))
        index = stage / INDEX
        index.write_text(index.read_text(encoding="utf-8") + site.contents(), encoding="utf-8")
        (stage / "conf.py").write_text(CONFIGURATION.format(version=version, plain=plain), encoding="utf-8")
        shutil.rmtree(out, ignore_errors=True)
        # Debian's Python has the packages, another one in PATH may not.
        done = subprocess.run(["/usr/bin/python3", "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-d", stage / ".doctrees", stage, out],
                              check=False)
    if done.returncode != 0:
        sys.exit("site.py: Sphinx warns (above)")
    mend_theme(out)
    dead, pages, links = dead_links(out)
    if dead:
        sys.exit("site.py: links that lead nowhere:\n" + "\n".join(dead))
    print(f"{out / 'index.html'}: {pages} pages, {links} links")


if __name__ == "__main__":
    main()
