"""--progress (docs/running.md): on a terminal a run over two seconds says how far it is, other runs and other outputs
say nothing."""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

NO_TERMINAL = 77  # exit code that the test is skipped by

# More wavelets than any computer moves before --timeout.
LONG = 4_000_000
LAYOUT = {
    "schema": "tessera-wse-layout-1",
    "grid": [4, 4],
    "params": {"B": LONG},
    "arrays": {"in": {"dtype": "i32", "shape": [4, "B"]}, "out": {"dtype": "i32", "shape": [4, "B"]}},
    "routes": [{"rect": [0, 0, 4, 4], "color": 1, "rx": "WEST", "tx": "EAST"}],
    "host": [
        {"stream_in": {"color": 1, "rect": [0, 0, 1, 4], "name": "in"}},
        {"stream_out": {"color": 1, "rect": [3, 0, 1, 4], "name": "out"}},
        {"wait": "out"},
    ],
}
LINE = re.compile(
    r"\r\x1b\[Kcycle (\d+), (\S+) cycles/s, (\d+) of (\d+) awaited wavelets(, about ([^\r]+) left)?, at most [^\r]+ to --max-cycles"
)


def run_on_terminal(command, is_enough=None):
    """Exit code of the command and what it wrote to its stderr, a terminal. It is stopped when that is enough."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # a container without /dev/pts
        print(f"skipped: {error}")
        sys.exit(NO_TERMINAL)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    written = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        written += part
        if is_enough is not None and is_enough(written.decode(errors="replace")):
            process.terminate()
            is_enough = None
    os.close(ours)
    return process.wait(), written.decode()


def main():
    executable = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        layout = pathlib.Path(folder) / "rows.json"
        layout.write_text(json.dumps(LAYOUT))
        common = [executable, str(layout), "--quiet", "--progress"]
        long_run = [*common, "--max-cycles=100000000"]

        code, shown = run_on_terminal(long_run, lambda text: len(found := list(LINE.finditer(text))) > 1 and found[-1].group(5))
        assert code == 4, (code, shown)
        lines = list(LINE.finditer(shown))
        assert len(lines) >= 2, shown
        cycles = [int(m.group(1)) for m in lines]
        moved = [int(m.group(3)) for m in lines]
        assert cycles == sorted(cycles) and moved == sorted(moved) and 0 < moved[0] < moved[-1], shown
        assert all(int(m.group(4)) == 4 * LONG for m in lines), shown
        assert lines[-1].group(5), f"no estimate: {shown}"
        cleared = "\r\x1b[K" + shown[shown.rindex("wse_platform:") :]
        assert shown.endswith(cleared), f"the line is not cleared: {shown!r}"

        code, shown = run_on_terminal([*common, "--param=B=10"])
        assert code == 0 and shown == "", shown
        pipe = subprocess.run([*long_run, "--timeout=2.2"], capture_output=True, text=True, check=False)
        assert pipe.returncode == 4 and "cycles/s" not in pipe.stderr, pipe.stderr


if __name__ == "__main__":
    main()
