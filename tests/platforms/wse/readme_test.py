"""README.md shows code and output of examples/csl/gemv, docs/first-steps.md the programs and the trace of hello_wavelet, all as they are."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

executable, root = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])


def run(*arguments):
    result = subprocess.run([executable, *arguments], cwd=root, capture_output=True, text=True, check=True)
    return result.stdout


def require(page, what, text):
    assert text in (root / page).read_text(), f"{page} does not show {what} as it is:\n{text}"


page = (root / "README.md").read_text()
gemv = root / "examples/csl/gemv"
blocks = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
for file, block in (("pe.csl", "task on_x"), ("run.py", "runner.memcpy_h2d")):
    shown = next(block_ for block_ in blocks if block_.startswith(block))
    assert shown in (gemv / file).read_text(), f"{file} does not have what README.md shows of it:\n{shown}"
with tempfile.TemporaryDirectory() as folder:
    copy = pathlib.Path(shutil.copytree(gemv, pathlib.Path(folder) / "gemv"))
    sdk = pathlib.Path(executable).parent.parent / "sdk" / "bin"
    environment = {**os.environ, "PATH": f"{sdk}:{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-e", "commands.sh"], cwd=copy, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    require("README.md", "the output of examples/csl/gemv", result.stdout)
    for path in sorted(root.glob("examples/csl/*/README.md")):
        line = re.search(r"wse_platform (examples/csl/.*?) *#", path.read_text().replace("\\\n", ""))[1].split()
        picture = line[line.index("--heatmap") + 1]
        line[line.index("--heatmap") + 1] = str(copy / picture)
        run(*line)
        assert (copy / picture).read_text() == (path.parent / picture).read_text(), f"{path.parent}/{picture} is not what a run draws"
for program in ("sender", "receiver"):
    require("docs/first-steps.md", f"{program}.tasm", (root / f"examples/hello_wavelet/{program}.tasm").read_text())
with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "hello.log"
    run("examples/hello_wavelet/layout.json", "--quiet", "--trace-wse", str(trace))
    lines = [line for line in trace.read_text().splitlines() if " C1" in line]
assert lines
for line in lines:
    require("docs/first-steps.md", "the trace of hello_wavelet", line)
