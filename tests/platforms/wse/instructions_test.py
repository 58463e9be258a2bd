"""What a step of the simulator costs, in instructions, which are the same on every computer: `valgrind --tool=callgrind` counts
those of a long and of a short run, and the difference belongs to the tile-cycles or hops between them. The bounds are
about 10 percent above what GCC 12 makes of the release preset; another compiler may need others. Programs of bench/real run with their
host programs; their cost belongs to the tile-cycles in which a tile uses its issue slot.

    instructions_test.py <wse_platform> <root of the source tree>

Exits with 77 where valgrind is missing.
"""
import dataclasses
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


@dataclasses.dataclass
class Case:
    name: str
    example: str
    params: dict    # of both runs
    grows: str      # the parameter that differs
    sizes: tuple    # in the short run and in the long one
    per: str        # "tile-cycle", or the counter of what the cost belongs to
    bound: int      # instructions


CASES = [
    Case("a busy tile", "exchange", {"W": 12, "H": 12}, "ITER", (5, 25), "tile-cycle", 715),
    Case("a hop of a stream", "stream_rows", {"W": 16, "H": 16}, "B", (100, 1100), "hops", 390),
]


# Programs of bench/real on 8x8 PEs.
REAL_BOUNDS = {"matrix_product": 700, "life": 612, "star": 618, "solver": 832, "switched": 810}  # 634, 553, 561, 757, 736


def run(platform, root, case, size, folder):
    """Instructions of a run, and how many tile-cycles or events there were."""
    report = folder / "report.json"
    params = {**case.params, case.grows: size}
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder / 'callgrind.out'}", platform,
               root / "examples" / case.example / "layout.json", "--structure", "dense", "--threads", "1", "--no-waits",
               "--quiet", "--report", report, *(f"--param={name}={value}" for name, value in params.items())]
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    counted = re.search(r"I\s+refs:\s+([\d,]+)", result.stderr)
    if result.returncode != 0 or counted is None:
        sys.exit(f"{case.example} under valgrind ended with exit code {result.returncode}\n{result.stdout}{result.stderr}")
    done = json.loads(report.read_text())
    tile_cycles = done["cycles"] * params["W"] * params["H"]
    count = tile_cycles if case.per == "tile-cycle" else done["counters"][case.per]["value"]
    return int(counted[1].replace(",", "")), count


def main():
    platform, root = sys.argv[1], pathlib.Path(sys.argv[2])
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is missing (scripts/test.sh --all installs it)")
        sys.exit(77)
    failed = False
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            short, long = (run(platform, root, case, size, pathlib.Path(folder)) for size in case.sizes)
        each = (long[0] - short[0]) / (long[1] - short[1])
        failed |= each > case.bound
        print(f"{case.name} ({case.example}): {each:.0f} instructions, at most {case.bound}")
    sys.path.insert(0, str(root / "scripts"))
    import bench_real  # noqa: E402  pylint: disable=import-outside-toplevel
    for case in (one for one in bench_real.CASES if one.name in REAL_BOUNDS):
        with tempfile.TemporaryDirectory() as folder:
            each = bench_real.Programs(pathlib.Path(platform).parent, folder).instructions(case, bench_real.SIZES[0])
        failed |= each > REAL_BOUNDS[case.name]
        print(f"a busy tile ({case.name}): {each:.0f} instructions, at most {REAL_BOUNDS[case.name]}")
    if failed:
        sys.exit("the simulator has become slower; docs/performance-history.md says how to find where")


main()
