"""Where the cycles of a run went, on all machines: busy, idle and waits add up, structures agree, `--why` answers in the
words of a deadlock report, and the heat maps are drawn (docs/waits.md).

waits_test.py WSE_PLATFORM SOURCES: the other executables lie beside it."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

EXECUTABLES = pathlib.Path(sys.argv[1]).parent
SOURCES = pathlib.Path(sys.argv[2])
EXAMPLES = SOURCES / "examples"


def run(platform, program, *options, exit_code=0):
    command = [EXECUTABLES / f"{platform}_platform", EXAMPLES / program, *options]
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=600)
    assert result.returncode == exit_code, f"{command}: {result.returncode}\n{result.stdout}{result.stderr}"
    return result.stdout + result.stderr


def report_of(folder, platform, program, *options, exit_code=0):
    path = folder / "report.json"
    run(platform, program, "--quiet", "--report", path, *options, exit_code=exit_code)
    return json.loads(path.read_text())


def check_sum(report, what):
    waits = report["waits"]
    total = waits["busy"] + waits["idle"] + sum(waits["reasons"].values())
    assert total == waits["units"] * report["cycles"], f"{what}: {total} of {waits['units']} * {report['cycles']}"
    for line in waits["lines"]:
        assert line["reason"] in waits["reasons"] or line["reason"] == "turn", f"{what}: {line}"
        assert line["place"] and line["what"] and line["cycles"] > 0, f"{what}: {line}"
    cycles = [line["cycles"] for line in waits["lines"]]
    assert cycles == sorted(cycles, reverse=True), what
    return waits


def check_both(folder, platform, program, *options, exit_code=0):
    both = [report_of(folder, platform, program, *options, "--structure", structure, exit_code=exit_code)
            for structure in ("modules", "dense")]
    assert both[0]["waits"] == both[1]["waits"], f"{program}: {both[0]['waits']}\n{both[1]['waits']}"
    return check_sum(both[0], program), both[0]


def check_links(waits):
    """The links are those of all tiles, as they are fewer than are listed: their cycles add up to those of the routers."""
    links = waits["waiting_links"]
    cycles = [link["credit"] + link["taken"] for link in links]
    assert len(links) < 100 and cycles == sorted(cycles, reverse=True) and cycles[-1] > 0, cycles
    assert {"RAMP", "EAST"} <= {link["direction"] for link in links}, links
    assert not any(link["direction"] == "RAMP" for link in waits["links"])
    for reason in ("credit", "taken"):
        assert waits["routers"][reason] == sum(link[reason] for link in links) > 0, reason


def check_wse(folder):
    layout = "reduce_chain/layout.json"
    waits, report = check_both(folder, "wse", layout, "--report-detail")
    assert waits["unit"] == "tile" and waits["units"] == len(report["tiles"])
    assert waits["reasons"]["wavelet"] > 0
    line = next(line for line in waits["lines"] if line["reason"] == "wavelet")
    assert re.match(r"a wavelet on input queue \d \(color \d+\)$", line["what"]), line
    assert "chain.tasm:" in line["place"] and line["busy"] > 0, line
    assert waits["links"][0]["wavelets"] >= waits["links"][-1]["wavelets"] > 0
    for tile in report["tiles"]:
        parts = [value for name, value in tile.items() if name.startswith("wait_") or name == "idle_cycles"]
        assert sum(parts) + tile["busy_issue_cycles"] == report["cycles"], tile
    # The time of a wait is where the trace says that nothing happens.
    waits, _ = check_both(folder, "wse", "exchange/layout.json", "--param=W=4", "--param=H=5", "--param=ITER=3", "--report-detail")
    check_links(waits)
    assert "waiting_links" not in report_of(folder, "wse", layout)["waits"]
    check_both(folder, "wse", "gemv_stream/layout.json", "--max-cycles", "40", exit_code=4)
    text = run("wse", layout, "--waits")
    for words in ("where the cycles of ", "lines that waited most", "busiest links", "waiting for a wavelet"):
        assert words in text, text
    assert "links that wavelets waited for most" in run("wse", "exchange/layout.json", "--waits")
    assert "where the cycles" not in run("wse", layout)


def check_why(folder):
    layout = "reduce_chain/layout.json"
    report = report_of(folder, "wse", layout)
    for cycle in range(0, report["cycles"] + 50, 7):
        text = run("wse", layout, "--why", f"0,0@{cycle}")
        assert f"cycle {cycle}, tile (0, 0)\n" in text, text
        assert re.search(r"\n  the tile (has waited since|uses its issue slot|has had nothing)", text), text
    assert run("wse", layout, "--quiet", "--why", f"0,0@{cycle}") == text[text.index(f"cycle {cycle}, tile"):]
    # A deadlock: the same words as its report.
    stuck = report_of(folder, "wse", layout, "--max-cycles", "60", "--why", "0,0@59", exit_code=4)
    expected = [f"{wait['who']} waits for {wait['what']}" for wait in stuck["stuck"] if wait["tile"] == [0, 0]]
    assert expected and set(expected) <= set(stuck["why"]["waits"]), f"{expected}\n{stuck['why']}"
    assert stuck["why"]["cycle"] == 59 and stuck["why"]["tile"] == [0, 0]
    for structure in ("modules", "dense"):
        found = report_of(folder, "wse", layout, "--structure", structure, "--why", "1,0@45")["why"]
        assert found == report_of(folder, "wse", layout, "--why", "1,0@45")["why"], structure
    assert "no such place" in run("wse", layout, "--why", "99,0@5", exit_code=2)
    for wrong in ("3,2", "3@", "@5", "a,b@5", "3,2@-1"):
        assert "X,Y@CYCLE" in run("wse", layout, "--why", wrong, exit_code=2), wrong


STALL = re.compile(r"@(\d+) P(\d+)\.(\d+): Id: \d+, (Not enough wavelets|Backpressure|Pipe: \d, Msg: stall:) .*")


def check_log(folder):
    """The vendor-style log tells of a stall in a cycle in which the Perfetto trace shows that wait; both structures write one text."""
    reasons = {"Not enough wavelets": "wavelet", "Backpressure": "room"}
    for layout, options in (("reduce_chain/layout.json", []), ("gemv_stream/layout.json", []),
                            ("exchange/layout.json", ["--param=W=4", "--param=H=5", "--param=ITER=3"])):
        logs = []
        for structure in ("modules", "dense"):
            run("wse", layout, "--quiet", "--structure", structure, "--trace-wse", folder / "log", "--trace-perfetto", folder / "p.json", *options)
            logs.append((folder / "log").read_text())
        assert logs[0] == logs[1], layout
        shown = {}
        records = json.loads((folder / "p.json").read_text())["traceEvents"]
        tiles = {r["pid"]: r["args"]["name"] for r in records if r["name"] == "process_name"}
        for r in records:
            if r["name"].startswith("wait: "):
                shown.setdefault((tiles[r["pid"]], r["args"]["reason"]), []).append((r["ts"], r["ts"] + r["dur"]))
        told = 0
        for cycle, x, y, what in (found.groups() for found in map(STALL.fullmatch, logs[0].splitlines()) if found):
            if what not in reasons:
                continue
            told += 1
            waits = shown.get((f"tile ({x}, {y})", reasons[what]), [])
            assert any(begin <= int(cycle) < end for begin, end in waits), f"{layout}: @{cycle} P{x}.{y} {what}: {waits}"
        assert told > 0, layout
    run("wse", "bottleneck/gemv.json", "--quiet", "--trace-wse", folder / "log")
    conflicts = re.findall(r"stall: read conflict MEM\[\w{4}\]\(b\d\)$", (folder / "log").read_text(), re.MULTILINE)
    assert len(conflicts) == 16 * 16 * 32, len(conflicts)  # every group of every fmacs
    run("wse", "bottleneck/gemv.json", "--quiet", "--trace-wse", folder / "log", "--param", "PAD=1")
    assert "read conflict" not in (folder / "log").read_text()


def check_heatmaps(folder):
    layout = "reduce_chain/layout.json"
    pictures = {}
    for what in ("busy", "waits", "links"):
        file = folder / f"{what}.svg"
        run("wse", layout, "--quiet", "--heatmap", file, "--heatmap-of", what)
        pictures[what] = file.read_text()
        run("wse", layout, "--quiet", "--heatmap", file, "--heatmap-of", what, "--report", folder / "r.json", "--report-detail")
        assert pictures[what] == file.read_text(), what  # fewer counters of tiles, the same picture
        assert pictures[what].startswith("<svg") or "<svg" in pictures[what][:200]
    assert len(set(pictures.values())) == 3
    assert "cycles of waits" in pictures["waits"] and "busiest link" in pictures["links"]
    assert "--heatmap-of: has no effect without --heatmap" in run("wse", layout, "--heatmap-of", "waits", exit_code=2)
    assert "busy, waits, links" in run("wse", layout, "--heatmap", file, "--heatmap-of", "cold", exit_code=2)


def check_ascend(folder):
    small = ["--no-data", *(f"--param={size}" for size in ("M=256", "N=512", "K=512", "GM=1", "GN=1"))]
    kernels = {"gemm": small, "vector_add": ["--param=TILES=40"]}
    for kernel, params in kernels.items():
        waits, report = check_both(folder, "ascend", f"ascend/{kernel}.pto", *params)
        assert waits["unit"] == "pipe" and waits["lines"], kernel
        reasons = {name: 0 for name in waits["reasons"]}
        for line in waits["lines"]:
            reasons[line["reason"]] += line["cycles"]
        assert reasons == waits["reasons"], f"{kernel}: {reasons} {waits['reasons']}"
    compute = report_of(folder, "ascend", "ascend/gemm.pto", *small)["compute"]
    assert compute["multiply_adds"] > 0 and 0 < compute["of_peak"] <= 1, compute
    assert compute["operations_per_byte"] == 2 * compute["multiply_adds"] / compute["gm_bytes"], compute
    assert "compute" not in report_of(folder, "ascend", "ascend/vector_add.pto", "--param=TILES=40")
    text = run("ascend", "ascend/gemm.pto", *small, "--why", "0,0@2000")
    assert "cycle 2000, core (0, 0)\n" in text and "pipe " in text.split("cycle 2000")[1], text
    assert run("ascend", "ascend/gemm.pto", "--quiet", *small, "--why", "0,0@2000") == text[text.index("cycle 2000, core"):]


def check_numesh(folder):
    for program in ("two_phases", "jacobi", "online", "ring_right"):
        waits, report = check_both(folder, "numesh", f"numesh/{program}.json")
        assert waits["unit"] == "node" and waits["busy"] > 0
        assert report["phases"] and all(phase["slots"] > 0 for phase in report["phases"].values())
        assert report["techniques"] and all(entry["technique"] for entry in report["techniques"].values())
    check_both(folder, "numesh", "numesh/ring_wrong.json", exit_code=4)
    text = run("numesh", "numesh/two_phases.json", "--why", "0@20")
    assert "cycle 20, node (0)\n" in text, text
    assert run("numesh", "numesh/two_phases.json", "--quiet", "--why", "0@20") == text[text.index("cycle 20, node"):]


with tempfile.TemporaryDirectory() as name:
    for check in (check_wse, check_why, check_log, check_heatmaps, check_ascend, check_numesh):
        check(pathlib.Path(name))
        print(check.__name__)
