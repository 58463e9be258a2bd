#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs other network simulators, which a user has built, on the same traffic as wse_platform, and prints one table.

    scripts/bench.sh --peers DIR [--size WxH] [--words N] [--json FILE]

DIR is searched for the executables `booksim` (BookSim2), `noxim` (Noxim) and `*a6g*.run` (MuchiSim, its FFT). Every
node of a mesh sends N words of one flit to the node one further east and one further south, modulo the size of the
grid (bench/peers/neighbour.json, traffic `neighbor` of BookSim2). Noxim has no such pattern and no packets of one flit:
it is given a table of the same pairs, packets of two flits, and as many cycles as wse_platform took. MuchiSim runs its
own applications only, on the grid that it was compiled for; its row says so and is no comparison of equal traffic.
Seconds are those of the processor for the whole process, its threads added up, so that other load counts little.
"""
import argparse
import json
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

from files import write_text
from tables import print_table, read_sizes, scaled

ROOT = pathlib.Path(__file__).resolve().parent.parent
LAYOUT = ROOT / "bench" / "peers" / "neighbour.json"
SIZES = [(8, 8), (16, 16), (32, 32)]
TRAFFIC = "neighbor"


def links_of_a_word(width, height):
    """Mean number of links between a node and its receiver: one step, or all the way back, in each dimension."""
    return 2 * (width - 1) / width + 2 * (height - 1) / height


def number(pattern, text, what):
    """The number that the last match of `pattern` in `text` contains."""
    found = re.findall(pattern, text)
    if not found:
        raise ValueError(f"its output has no line for {what}")
    return float(found[-1].replace(",", ""))


class Tessera:
    """wse_platform with one thread."""
    traffic = TRAFFIC

    def __init__(self, executable, structure):
        self.executable, self.structure = executable, structure
        self.name = f"wse_platform {structure}"

    def command(self, size, words, _cycles, folder):
        self.report = folder / "report.json"
        return [self.executable, LAYOUT, "--structure", self.structure, "--preset", "wse2", "--quiet", "--no-waits",
                "--report", self.report, f"--param=W={size[0]}", f"--param=H={size[1]}", f"--param=B={words}",
                *(["--threads=1"] if self.structure == "dense" else [])]

    def result(self, _output, size, words):
        cycles = json.loads(self.report.read_text())["cycles"]
        return cycles, size[0] * size[1] * words * links_of_a_word(*size)


class BookSim:
    """BookSim2: a configuration file, mode `batch`, so that every node sends the same number of packets."""
    name = "BookSim2"
    pattern = "booksim"
    traffic = TRAFFIC

    def __init__(self, executable):
        self.executable = executable

    def command(self, size, words, _cycles, folder):
        if size[0] != size[1]:
            raise ValueError("its meshes are square")
        config = folder / "booksim.cfg"
        config.write_text("topology = mesh;\nn = 2;\nrouting_function = dor;\nnum_vcs = 2;\nvc_buf_size = 4;\n"
                          "packet_size = 1;\ntraffic = neighbor;\nsim_type = batch;\nbatch_count = 1;\n"
                          f"max_outstanding_requests = 0;\nk = {size[0]};\nbatch_size = {words};\n")
        return [self.executable, config]

    def result(self, output, size, words):
        # It counts the routers that a packet visits, one more than the links.
        links = number(r"Hops average = ([\d.]+)", output, "hops") - 1
        return number(r"Time taken is (\d+) cycles", output, "cycles"), size[0] * size[1] * words * links


class Noxim:
    """Noxim: options, a table of traffic, and the files for mesh and power of its source tree."""
    name = "Noxim"
    pattern = "noxim"
    traffic = TRAFFIC

    def __init__(self, executable):
        self.executable = executable

    def command(self, size, _words, cycles, folder):
        (width, height), table = size, folder / "noxim.txt"
        lines = [f"{y * width + x} {(y + 1) % height * width + (x + 1) % width} 0.25 0.25"
                 for y in range(height) for x in range(width)]
        table.write_text("\n".join(lines) + "\n")
        tree = self.executable.parent
        config, power = tree.parent / "config_examples" / "default_configMeshNoHUB.yaml", tree / "power.yaml"
        for path in (config, power):
            if not path.exists():
                raise ValueError(f"{path} is missing beside it")
        return [self.executable, "-config", config, "-power", power, "-dimx", width, "-dimy", height, "-buffer", 4,
                "-size", 2, 2, "-routing", "XY", "-traffic", "table", table, "-warmup", 0, "-sim", cycles]

    def result(self, output, size, _words):
        flits = number(r"Total received flits: (\d+)", output, "flits")
        return number(r"\(([\d.e+]+) cycles executed\)", output, "cycles"), flits * links_of_a_word(*size)


class MuchiSim:
    """MuchiSim: an executable for one application and one grid; the grid is in its name, as its script run.sh has it."""
    name = "MuchiSim"
    pattern = "*a6g*.run"
    traffic = "its own FFT"

    def __init__(self, executable):
        self.executable = executable
        self.grid = int(re.search(r"a6g(\d+)", executable.name).group(1))

    def command(self, size, _words, _cycles, folder):
        if size != (self.grid, self.grid):
            raise ValueError(f"it was compiled for {self.grid}x{self.grid}")
        (folder / "sim_counters").mkdir(exist_ok=True)  # it writes there, below the working folder
        return [self.executable, f"{folder}/fft1/", "peers", 0]

    def result(self, output, _size, _words):
        cycles = 1000 * number(r"Runtime in K cycles: ([\d.,]+)", output, "cycles")
        return cycles, number(r"All traffic \(msg\): ([\d,]+)", output, "messages")  # a message counts at every hop


PEERS = (BookSim, Noxim, MuchiSim)


def find_peers(folder):
    """An adapter for every executable in `folder` and below that one knows."""
    found = []
    for kind in PEERS:
        found += [kind(path) for path in sorted(folder.rglob(kind.pattern))
                  if path.is_file() and path.stat().st_mode & 0o100]
    if not found:
        sys.exit(f"bench_peers.py: no executable booksim, noxim or *a6g*.run in {folder} or below")
    return found


def processor_seconds():
    """Processor time of all programs that this one has run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(simulator, size, words, cycles):
    """One run: its row, without the ratio. ValueError says why there is none."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = [str(part) for part in simulator.command(size, words, cycles, folder)]
        start = processor_seconds()
        # BookSim2 ends with an exit code other than 0 when it has finished, so the output decides.
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
        seconds = processor_seconds() - start
        try:
            cycles, hops = simulator.result(result.stdout, size, words)
        except (ValueError, OSError) as error:
            said = (result.stderr or result.stdout).strip().splitlines()
            raise ValueError(f"{error}; exit code {result.returncode}" + (f", {said[-1]}" if said else "")) from error
    return {"simulator": simulator.name, "traffic": simulator.traffic, "size": f"{size[0]}x{size[1]}",
            "cycles": round(cycles), "hops": round(hops), "seconds": seconds,
            "tile_cycles_per_s": cycles * size[0] * size[1] / seconds, "hops_per_s": hops / seconds}


def measure_size(simulators, size, words, repeats):
    """The fastest run of every simulator; they take turns, so that load from outside meets all of them."""
    best, cycles = {}, None
    for _ in range(repeats):
        for simulator in list(simulators):
            print(f"{simulator.name} {size[0]}x{size[1]}", file=sys.stderr, flush=True)
            try:
                row = measure(simulator, size, words, cycles)
            except (ValueError, OSError) as error:
                print(f"bench_peers.py: {simulator.name} {size[0]}x{size[1]} is left out: {error}", file=sys.stderr)
                simulators = [other for other in simulators if other is not simulator]
                continue
            cycles = cycles or row["cycles"]
            if simulator not in best or row["seconds"] < best[simulator]["seconds"]:
                best[simulator] = row
    rows = list(best.values())
    for row in rows:
        same = row["traffic"] == rows[0]["traffic"]
        row["slower"] = rows[0]["hops_per_s"] / row["hops_per_s"] if same and row["hops"] else None
    return rows


def show(rows):
    print_table(["simulator", "traffic", "size", "cycles", "seconds", "tile-cycles/s", "hops/s", "times slower in hops/s"],
                [[r["simulator"], r["traffic"], r["size"], f"{r['cycles']:,}", f"{r['seconds']:.3f}",
                  scaled(r["tile_cycles_per_s"]), scaled(r["hops_per_s"]),
                  f"{r['slower']:.3g}" if r["slower"] else "-"] for r in rows])


def read_arguments():
    parser = argparse.ArgumentParser(prog="bench.sh", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", metavar="DIR", type=pathlib.Path, required=True, help="where the simulators are")
    parser.add_argument("--size", action="append", metavar="WxH", help="this grid instead (repeatable)")
    parser.add_argument("--words", type=int, default=500, metavar="N", help="words that every node sends (500)")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each; the fastest counts (3)")
    parser.add_argument("--json", metavar="FILE", help="write the results as data")
    parser.add_argument("--platform", type=pathlib.Path, default=ROOT / "build-bench/bin/wse_platform",
                        help="the executable of Tessera")
    arguments = parser.parse_args()
    if not arguments.peers.is_dir():
        parser.error(f"--peers: {arguments.peers} is not a folder")
    if arguments.words < 1 or arguments.repeat < 1:
        parser.error("--words, --repeat: expected a number from 1 on")
    arguments.sizes = read_sizes(parser, arguments.size, smallest=3) or SIZES
    return arguments


def main():
    arguments = read_arguments()
    platform = arguments.platform.resolve()
    ours = [Tessera(platform, "dense"), Tessera(platform, "modules")]
    simulators = ours + find_peers(arguments.peers.resolve())
    rows = [row for size in arguments.sizes for row in measure_size(simulators, size, arguments.words, arguments.repeat)]
    if arguments.json:
        write_text(arguments.json, json.dumps(rows, indent=2) + "\n")
    show(rows)


main()
