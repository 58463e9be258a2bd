"""A page of docs shows commands and what they print: each is run, and must print that.

In a block, a line `$ COMMAND` is run by bash from a folder that has `build`, `examples` and `scripts`; the lines below it must come in its
output, in this order. A line `...` stands for any number of lines. A picture of the page that a command draws must be as the page has it.

commands_test.py BIN SOURCES PAGE"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def commands_of(text):
    """[(command, [expected lines])]"""
    found = []
    for block in BLOCK.findall(text):
        if not block.startswith("$ "):
            continue
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def difference(expected, printed):
    """The first expected line that does not come where it should; None: all do."""
    at, anywhere = 0, False
    for line in expected:
        if line == "...":
            anywhere = True
            continue
        end = len(printed) if anywhere else at + 1
        at = next((i + 1 for i in range(at, min(end, len(printed))) if printed[i] == line), None)
        if at is None:
            return line
        anywhere = False
    return None if anywhere or at == len(printed) else f"nothing more, but '{printed[at]}' follows"


def check(page, folder):
    commands = commands_of(page.read_text())
    environment = {**os.environ, "PATH": f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"}
    assert commands, f"{page} has no commands"
    wrong = []
    for command, expected in commands:
        done = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False,
                              timeout=600, env=environment)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        printed = done.stdout.splitlines()
        missing = difference(expected, printed)
        if missing is not None:
            wrong.append(f"$ {command}\nexpected: {missing}\n" + done.stdout)
    assert not wrong, "\n".join(wrong)
    print(f"{page.name}: {len(commands)} commands")


def main():
    bin_folder, sources, page = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "build").mkdir()
        os.symlink(bin_folder.resolve(), folder / "build" / "bin")
        for part in ("examples", "scripts"):
            os.symlink(sources.resolve() / part, folder / part)
        check(sources / page, folder)
        for drawn in sorted(folder.glob("*.svg")):
            kept = sources / page.parent / f"bottleneck_{drawn.name}"
            assert drawn.read_text() == kept.read_text(), f"{kept} is not what the command draws"


main()
