#!/usr/bin/env python3
"""examples/rtl_router: fabrics in which --replace puts routers in Verilog in the place of ours run as with ours.

verilog_router_test.py RTL_ROUTER WSE_PLATFORM SOURCES"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "platforms/wse"))
import random_layout  # noqa: E402

RANDOM_LAYOUTS = 40


def run(executable, layout, options, folder):
    path = folder / "report.json"
    path.unlink(missing_ok=True)
    command = [executable, str(layout), "--quiet", "--report", str(path), "--report-detail", *options]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=folder)
    report = json.loads(path.read_text()) if path.exists() else {}
    # What a wavelet inside a module waits for is not known.
    for key in ("wall", "run", "stuck", "wait_count", "groups", "causes"):
        report.pop(key, None)
    report["message"] = report.get("message", "").partition("; PE")[0]
    waits = report.get("waits", {})
    for key in ("routers", "waiting_links"):
        waits.pop(key, None)
    for link in waits.get("links", []):
        del link["credit"], link["taken"]
    return result.returncode, result.stderr, report


def replaced(tiles):
    return [f"--replace=router[{x},{y}]=verilog" for x, y in tiles]


def compare(rtl_router, wse_platform, layout, options, tiles, folder):
    # Routers that are modules have no routes that the run could check before it begins.
    expected = run(wse_platform, layout, ["--structure", "modules", "--check-routes=off", *options], folder)
    found = run(rtl_router, layout, [*options, *replaced(tiles)], folder)
    assert expected[0] == found[0], f"{layout} {options}: exit code {expected[0]}, {found[0]}: {found[1]}"
    for key in {*expected[2], *found[2]}:
        ours, theirs = expected[2].get(key), found[2].get(key)
        assert ours == theirs, f"{layout} {options}: {key}\n{str(ours)[:500]}\n{str(theirs)[:500]}"
    return expected


def check_gemv(rtl_router, wse_platform, sources, folder):
    layout = sources / "examples/gemv_stream/layout.json"
    all_tiles = [(x, y) for y in range(3) for x in range(4)]
    for preset in ("wse2", "wse3"):
        for tiles in ([(2, 1)], [(0, 0), (3, 2)], all_tiles):
            code, error, report = compare(rtl_router, wse_platform, layout, ["--preset", preset], tiles, folder)
            assert code == 0, error
            assert report["digest"], report
    print("gemv_stream: equal reports with 1, 2 and 12 routers in Verilog")


def plain_layouts(folder):
    """Random layouts without switches, filters and the like, which the pins do not carry. The host acts once: that a
    machine with wavelets that are stuck has come to rest is known when no pin has changed for some cycles."""
    seed = 0
    while True:
        drawn = random_layout.RandomLayout(seed)
        seed += 1
        has_long_paths = any(option.endswith(("=63", "=40")) for option in drawn.options)
        acts_again = json.dumps(drawn.host).count('"wait"') > 1 or "again" in json.dumps(drawn.host)
        has_controls = any(" control" in file for file in drawn.files.values())
        if drawn.features or has_long_paths or acts_again or has_controls:
            continue
        drawn.write(folder)
        yield drawn, [*drawn.options, "--set", "fabric.coincidence=merge"]


def check_random(rtl_router, wse_platform, folder):
    hops = 0
    for number, (drawn, options) in enumerate(plain_layouts(folder)):
        if number == RANDOM_LAYOUTS:
            break
        tiles = [(x, y) for y in range(drawn.height) for x in range(drawn.width)]
        _, _, report = compare(rtl_router, wse_platform, folder / "layout.json", options, tiles, folder)
        hops += report.get("counters", {}).get("hops", {"value": 0})["value"]
    print(f"random layouts: {RANDOM_LAYOUTS} with all routers in Verilog, {hops} hops")
    assert hops > 1000, hops


def check_mistakes(rtl_router, wse_platform, sources, folder):
    gemv = sources / "examples/gemv_stream/layout.json"
    filtered = sources / "examples/reduce_filters/layout.json"
    cases = [
        (wse_platform, gemv, ["--replace", "router[1,1]=verilog"], "this executable has none"),
        (rtl_router, gemv, ["--replace", "router[1,1]=vhdl"], "no module 'vhdl' is registered for this kind of block; "
                                                             "expected verilog"),
        (rtl_router, gemv, ["--replace", "router[9,9]=verilog"], "router[9,9]: the machine of this layout has no such"),
        (rtl_router, gemv, ["--replace", "router[1]=verilog"], "has 1 numbers; expected router[X,Y]=NAME"),
        (rtl_router, gemv, ["--replace", "router[1,-1]=verilog"], "whole numbers from 0"),
        (rtl_router, gemv, ["--replace", "ramp[1,1]=verilog"], "is not a block that can be replaced"),
        (rtl_router, gemv, ["--replace", "router=verilog"], "is not a block of a tile"),
        (rtl_router, gemv, ["--replace", "router[1,1]=verilog", "--structure", "dense"], "use --structure modules"),
        (rtl_router, gemv, ["--replace", "router[1,1]=verilog", "--check-epochs"], "leave --check-epochs or --replace"),
        (rtl_router, filtered, ["--replace", "router[4,0]=verilog"], "has a filter; the pins of a router carry"),
    ]
    for executable, layout, options, words in cases:
        code, error, _ = run(executable, layout, options, folder)
        assert code == 2 and words in error, f"{options}: exit code {code}\n{error}"
    print(f"mistakes: {len(cases)}")


def main():
    rtl_router, wse_platform, sources = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as name:
        check_gemv(rtl_router, wse_platform, sources, Path(name))
        check_random(rtl_router, wse_platform, Path(name))
        check_mistakes(rtl_router, wse_platform, sources, Path(name))


if __name__ == "__main__":
    main()
