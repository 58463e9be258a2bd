"""scripts/golden.py on a program in a folder of its user: goldens notice what changes, changes need a reason, and what goes
round the script is found.

script_test.py EXECUTABLE SOURCES"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXECUTABLE, ROOT = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
SAME, DIFFERS, WRONG = 0, 1, 2


class Folder:
    """A user's program, its goldens, and golden.py on them."""

    def __init__(self, path):
        self.path = path
        shutil.copytree(ROOT / "examples" / "stream_rows", path / "program")
        self.goldens = path / "goldens"

    def run(self, expected, command, *arguments, said=""):
        script = [sys.executable, "-B", ROOT / "scripts" / "golden.py", "--platform", EXECUTABLE]
        result = subprocess.run([*script, command, "--dir", "goldens", *arguments], cwd=self.path,
                                capture_output=True, text=True, check=False, timeout=600)
        text = result.stdout + result.stderr
        assert result.returncode == expected, f"{command} {arguments}: exit code {result.returncode}\n{text}"
        assert said in text, f"{command} {arguments}: '{said}' is not in\n{text}"
        return text

    def replace(self, name, pattern, replacement):
        file = self.path / name
        text = file.read_text()
        changed = re.sub(pattern, replacement, text, count=1)
        assert text != changed, f"{name} has no {pattern}"
        file.write_text(changed)
        return text


def check_changes(folder):
    """A golden as it is made, compared, changed with a reason, and deleted."""
    folder.run(SAME, "add", "program/layout.json", "--preset", "wse2", "--param", "B=20", said="program.wse2: ")
    folder.run(SAME, "add", "program/layout.json", "--set", "fabric.hop_latency=3", "--name", "slow", "--structure", "dense")
    folder.run(WRONG, "add", "program/layout.json", "--preset", "wse2", said="exists")
    folder.run(WRONG, "add", "program/none.json", said="no such file")
    folder.run(SAME, "check", said="2 as before")
    folder.run(SAME, "log", said="2 goldens")

    folder.replace("goldens/program.wse2.golden", r"B=20", "B=23")  # another run: three cycles, and its wavelets
    table = folder.run(DIFFERS, "check")
    assert re.search(r"program\.wse2 +cycles +\d+ +\d+ +\+3 ", table), table
    assert "slow" not in table, table
    before = (folder.goldens / "program.wse2.golden").read_text()
    folder.run(DIFFERS, "update", said="--reason")
    assert (folder.goldens / "program.wse2.golden").read_text() == before, "written without a reason"
    folder.run(SAME, "update", "--reason", "Rows are longer.", said="1 of 2 rewritten")
    folder.run(SAME, "check")
    folder.run(SAME, "log")
    changes = (folder.goldens / "CHANGELOG.md").read_text()
    assert re.search(r"- Rows are longer\.\n  `program\.wse2` \d+ -> \d+ `\w{10}`\n- New goldens", changes), changes
    folder.run(SAME, "update", said="nothing to write")


def check_bypasses(folder):
    """What a hand that does not use the script leaves behind is found."""
    golden, log = "goldens/slow.golden", "goldens/CHANGELOG.md"
    for name, pattern, replacement in ((golden, r"(cycles +)\d+", r"\g<1>7"), (golden, r"hop_latency=3", "hop_latency=4"),
                                       (golden, r"digest .*\n", ""), (golden, r"reason +.*", "reason none"),
                                       (log, r"`slow` \d+ `\w+`", "`other` 1 `0123456789`"), (log, r"## Timing", "## Other")):
        original = folder.replace(name, pattern, replacement)
        folder.run(DIFFERS, "log", said="CHANGELOG.md: ")
        (folder.path / name).write_text(original)
        folder.run(SAME, "log")

    # Back to values of an earlier line is a change too.
    path = folder.goldens / "program.wse2.golden"
    current = path.read_text()
    path.write_text(current.replace("B=23", "B=20"))
    folder.run(SAME, "update", "program.wse2", "--reason", "New goldens.")
    older = path.read_text()
    path.write_text(current)
    folder.run(DIFFERS, "log", said="fingerprint")
    path.write_text(older)

    copy = folder.goldens / "copy.golden"
    shutil.copy(path, copy)
    folder.run(DIFFERS, "log", said="copy is not there")
    copy.unlink()
    (folder.path / golden).rename(folder.goldens / "slow.saved")
    folder.run(DIFFERS, "log", said="slow is there but has no file")
    lines = (folder.path / log).read_text()
    folder.run(SAME, "remove", "slow", "--reason", "Its file is gone.")
    folder.run(SAME, "log", said="1 goldens")
    (folder.path / log).write_text(lines)
    (folder.goldens / "slow.saved").rename(folder.path / golden)
    folder.run(SAME, "remove", "slow", "--reason", "Not needed.")
    folder.run(SAME, "log", said="1 goldens")
    folder.run(WRONG, "check", "slow", said="no golden slow")


def check_cures(folder):
    """Where only the settings, the CHANGELOG or the reason disagree, update --reason puts it right, whatever the runs say."""
    golden, log = "goldens/program.wse2.golden", "goldens/CHANGELOG.md"
    for name, pattern, replacement in ((golden, r"(seed +)1", r"\g<1>2"), (golden, r"reason +.*", "reason none"),
                                       (log, r"(`program.wse2` .*)`\w+`", r"\1`0123456789`"), (log, r"(?s)## Timing.*", "")):
        folder.replace(name, pattern, replacement)
        folder.run(SAME, "check")
        folder.run(DIFFERS, "log", said="CHANGELOG.md: ")
        folder.run(DIFFERS, "update", said="--reason")
        folder.run(SAME, "update", "--reason", f"Cured: {pattern[:4]}.".replace("`", ""), said="1 of 1 rewritten")
        folder.run(SAME, "log", said="1 goldens")


def check_arguments(folder):
    """--dir stands anywhere, what is no executable is refused at once, and a difference says in which structure it is."""
    script = [sys.executable, "-B", ROOT / "scripts" / "golden.py"]

    def said(expected, *arguments):
        result = subprocess.run([*script, *arguments], cwd=folder.path, capture_output=True, text=True, check=False, timeout=600)
        assert result.returncode == expected, f"{arguments}: exit code {result.returncode}\n{result.stdout}{result.stderr}"
        assert "Traceback" not in result.stderr, result.stderr
        return result.stdout + result.stderr

    assert "1 goldens" in said(SAME, "--dir", "goldens", "log")
    assert "1 goldens" in said(SAME, "log", "--dir", "goldens")
    assert "no executable" in said(WRONG, "--platform", "program/layout.json", "check", "--dir", "goldens")
    original = folder.replace("goldens/program.wse2.golden", r"(cycles +)\d+", r"\g<1>7")
    table = folder.run(DIFFERS, "check", "--both")
    assert re.search(r"golden +structure +metric", table) and re.search(r"wse2 +modules +cycles", table), table
    assert re.search(r"wse2 +dense +cycles", table), table
    (folder.path / "goldens/program.wse2.golden").write_text(original)


def check_failing_runs(folder):
    """A run that fails is no golden."""
    folder.replace("program/layout.json", r'"value": "sent"', '"value": "sent + 1"')
    folder.run(WRONG, "check", said="check of 'received' failed")
    folder.run(WRONG, "add", "program/layout.json", "--name", "wrong", said="exit code 1")
    assert not (folder.goldens / "wrong.golden").exists()


with tempfile.TemporaryDirectory() as temporary:
    user = Folder(pathlib.Path(temporary))
    check_changes(user)
    check_bypasses(user)
    check_cures(user)
    check_arguments(user)
    check_failing_runs(user)
