#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file says its licence: by an SPDX line among its first five, or by a pattern of REUSE.toml (https://reuse.software).

    scripts/check_spdx.py              names files without a licence; exit code 1 if there are any
    scripts/check_spdx.py --add PATH.. adds the line to files of code that have none
    scripts/check_spdx.py --self-test
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINE = "SPDX-License-Identifier: Apache-2.0"
COMMENTS = {".py": "# ", ".sh": "# ", ".cmake": "# ", ".yaml": "# ", ".h": "// ", ".cpp": "// ", ".c": "// "}
NAMES = {"CMakeLists.txt": "# "}
FIRST_LINES = 5


def patterns(root):
    text = (root / "REUSE.toml").read_text(encoding="utf-8")
    lists = re.findall(r"^path = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    return re.findall(r'"([^"]*)"', "\n".join(lists))


def covered(name, globs):
    """As REUSE has it: ** goes over folders, * does not."""
    for glob in globs:
        rule = re.escape(glob).replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
        if re.fullmatch(rule, name):
            return True
    return False


def has_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return any(LINE in line for line, _ in zip(file, range(FIRST_LINES)))


def missing(root, names):
    globs = patterns(root)
    return [name for name in names if not covered(name, globs) and (root / name).is_file() and not has_line(root / name)]


def comment_of(path):
    return NAMES.get(path.name) or COMMENTS.get(path.suffix)


def add(path):
    """After the line with the interpreter, before everything else."""
    comment = comment_of(path)
    if comment is None:
        return False
    text = path.read_text(encoding="utf-8")
    if has_line(path):
        return False
    begin = text.index("\n") + 1 if text.startswith("#!") else 0
    path.write_text(f"{text[:begin]}{comment}{LINE}\n{text[begin:]}", encoding="utf-8")
    return True


def tracked(root):
    return subprocess.run(["git", "ls-files"], cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "REUSE.toml").write_text('[[annotations]]\npath = ["pages/**", "*.md"]\n', encoding="utf-8")
        (root / "pages/deep").mkdir(parents=True)
        for name, text in (("a.py", "#!/usr/bin/env python3\n\"\"\"a\"\"\"\n"), ("b.cpp", "// b\n"), ("README.md", "r\n"), ("pages/deep/p.svg", "p")):
            (root / name).write_text(text, encoding="utf-8")
        names = ["a.py", "b.cpp", "README.md", "pages/deep/p.svg"]
        assert missing(root, names) == ["a.py", "b.cpp"], missing(root, names)
        assert add(root / "a.py") and add(root / "b.cpp") and not add(root / "a.py")
        assert missing(root, names) == []
        assert (root / "a.py").read_text(encoding="utf-8").startswith(f"#!/usr/bin/env python3\n# {LINE}\n")
        assert not covered("x/README.md", ["*.md"]) and fnmatch.fnmatch("x/README.md", "*.md")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] == ["--add"]:
        changed = [path for path in sys.argv[2:] if add(pathlib.Path(path))]
        print(f"{len(changed)} files have the line now")
        return 0
    if not (ROOT / ".git").exists():
        return 0  # an archive has no list of its files
    found = missing(ROOT, tracked(ROOT))
    for name in found:
        print(f"{name}: no line '{LINE}', and no pattern of REUSE.toml; scripts/check_spdx.py --add {name} adds it", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
