#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the time of the public flash attention goes, pipe by pipe, beside what is published of it.

    scripts/pto_flash_attention.py PTO_ISA [--lengths 1024,2048,4096] [--markdown FILE] [--platform PATH] [--seconds N]

PTO_ISA is a checkout of hw-native-sys/pto-isa; the kernel is kernels/manual/common/flash_atten, unmodified, in runs without values. The first table has whole
tasks of 910B2 against the times of its README. The second one is a step of the pipeline in its steady state: the difference of two runs of one block that
differ by eight tiles of keys, so that launch, preload and end are not in it.
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

from files import write_text
from pto_host import call

ROOT = Path(__file__).resolve().parent.parent
KERNEL = "kernels/manual/common/flash_atten/fa_performance_kernel.cpp"
HEAD, ROWS, TILE, CLUSTERS = 128, 128, 256, 24
# README of the kernel, 910B2: microseconds of a task, queries and keys of one length (ascend_2.md 6.4).
TASKS_US = {1024: 20.960, 2048: 32.461, 4096: 88.902, 8192: 292.626, 16384: 909.058}
# Cycles of a tile on 910B1 that pto-isa's script fitted (ascend.md 4.1): the cube does qk and pv, the vector cores p and gu.
STAGES = {"qk": 2487.5, "pv": 1617.3, "p": 2488.9, "gu": 833.7}
PIPES = (("AIC", "aic", ("mac", "mte1", "mte2", "fixpipe", "scalar")), ("AIV", "aiv", ("vec", "mte2", "mte3", "scalar")))


def run(options, folder, queries, keys, preset):
    """The report of a run."""
    write_text(folder / "generated_cases.h", f"#pragma once\n#define TFA_FOR_EACH_CASE(MACRO) MACRO({queries}, {HEAD}, {keys}, {ROWS}, 128, {TILE}, 4, false)\n")
    blocks = queries // ROWS
    queue = blocks * 8 * ROWS * 512 * 4
    sizes = {"ffts_addr": "u64[8]", "q": f"f16[{queries},{HEAD}]", "k": f"f16[{keys},{HEAD}]", "v": f"f16[{keys},{HEAD}]", "p_tile_fifo": f"f16[{queue}]",
             "exp_max_ififo": f"f32[{queue}]", "global_sum_out": f"f32[{queue}]", "exp_max_out": f"f32[{queue}]", "o_out": f"f32[{queries},{HEAD}]",
             "o_parts_out": f"f32[{queries * keys // 2}]", "qk_tile_fifo": f"f32[{queue}]", "pv_tile_fifo": f"f32[{queue}]", "cv_comm_buf": "u8[65536]",
             "profile_buf": "null"}
    command = [options.platform, options.folder / KERNEL, "--include", folder, "--preset", preset, "--no-data", "--hazards", "off", "--quiet",
               "--function", f"runTFA<{queries}, {HEAD}, {keys}, {ROWS}, 128, {TILE}, 4, 8, false, false, 4>",
               "--set", f"launch.clusters={min(blocks, CLUSTERS)}", "--set", f"launch.blocks={blocks}", "--report", "report.json"]
    command += [word for name, value in sizes.items() for word in ("--arg", f"{name}={value}")]
    done = call(command, folder, options.seconds)
    if done.returncode:
        sys.exit(f"pto_flash_attention.py: {done.stderr.strip()[:500]}")
    return json.loads((folder / "report.json").read_text())


def tasks(options, folder):
    yield "| queries, keys | published us | model us | error | of it the launch |\n| --- | ---: | ---: | ---: | ---: |"
    for length in options.lengths:
        profile = run(options, folder, length, length, "a2a3_910b2")["profile"]
        error = profile["task_time_us"] / TASKS_US[length] - 1
        yield f"| {length} | {TASKS_US[length]:.2f} | {profile['task_time_us']:.2f} | {100 * error:+.1f} % | {profile['launch_overhead_us']:.1f} |"


def step(options, folder):
    """One tile of keys: cycles of the two runs apart, divided by the tiles."""
    short, long = (run(options, folder, ROWS, keys, "a2a3_910b1") for keys in (2048, 4096))
    tiles = 2048 // TILE
    us = lambda r, name: r["profile"][name]
    mhz = short["profile"]["aic_total_cycles"] / us(short, "aic_time_us")
    whole = (long["cycles"] - short["cycles"]) / tiles
    cube, vector = STAGES["qk"] + STAGES["pv"], STAGES["p"] + STAGES["gu"]
    yield "| cycles a tile | published | model |\n| --- | ---: | ---: |"
    yield f"| qk and pv, the cube's part | {cube:.0f} | |\n| p and gu, the part of the vector cores | {vector:.0f} | |"
    yield f"| a step: the longer of the two | {max(cube, vector):.0f} | {whole:.0f} |"
    for kind, key, pipes in PIPES:
        for pipe in pipes:
            busy = (us(long, f"{key}_{pipe}_time_us") - us(short, f"{key}_{pipe}_time_us")) * mhz / tiles
            yield f"| {kind}, {pipe} busy | | {busy:.0f} ({100 * busy / whole:.0f} %) |"
    waits = {reason: (cycles - short["waits"]["reasons"].get(reason, 0)) / tiles for reason, cycles in long["waits"]["reasons"].items()}
    yield f"\nPipes of the three cores wait {', '.join(f'{cycles:.0f} cycles a tile for {reason}' for reason, cycles in sorted(waits.items(), key=lambda w: -w[1]))}."
    yield "\n| lines that wait longest, keys 4096 | for | cycles |\n| --- | --- | ---: |"
    for line in long["waits"]["lines"][:6]:
        yield f"| `{Path(line['place']).name}`, {line['thread']} | {line['what']} | {line['cycles']} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--lengths", default="1024,2048,4096", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--markdown", type=Path, help="writes the tables")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    parser.add_argument("--seconds", type=int, default=1800, help="for one run")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if not (options.folder / KERNEL).is_file() or any(n not in TASKS_US for n in options.lengths):
        sys.exit(f"pto_flash_attention.py: expected a checkout of pto-isa, and lengths among {', '.join(map(str, TASKS_US))}")
    with tempfile.TemporaryDirectory() as name:
        lines = []
        for part in (tasks, step):
            for line in part(options, Path(name)):
                print(line, flush=True)
                lines.append(line)
            print(flush=True)
            lines.append("")
    if options.markdown:
        write_text(options.markdown, "\n".join(lines))


if __name__ == "__main__":
    main()
