"""README.md shows the report of the GEMV example, docs/first-steps.md the programs and the trace of hello_wavelet, all as they are."""
import pathlib
import subprocess
import sys
import tempfile

executable, root = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    result = subprocess.run([executable, *arguments], cwd=root, capture_output=True, text=True, check=True)
    return result.stdout


def require(page, what, text):
    assert text in (root / page).read_text(), f"{page} does not show {what} as it is:\n{text}"


report = run("examples/gemv_stream/layout.json", "--preset", "wse3")
for line in report.splitlines():
    if line.strip() and not line.startswith("  wall"):
        require("README.md", "the report of gemv_stream", line)
for program in ("sender", "receiver"):
    require("docs/first-steps.md", f"{program}.tasm", (root / f"examples/hello_wavelet/{program}.tasm").read_text())
with tempfile.TemporaryDirectory() as folder:
    trace = pathlib.Path(folder) / "hello.log"
    run("examples/hello_wavelet/layout.json", "--quiet", "--trace-wse", str(trace))
    lines = [line for line in trace.read_text().splitlines() if " C1" in line]
assert lines
for line in lines:
    require("docs/first-steps.md", "the trace of hello_wavelet", line)
