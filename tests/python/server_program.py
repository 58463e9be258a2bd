# SPDX-License-Identifier: Apache-2.0
"""A compiled program for tests of the server: 3 x 2 PEs from (4, 1), one code in tile assembly.

Written as tessera_cslc writes it, so that these tests need no compiler.
"""
import json
from pathlib import Path

CODE = """data A: f32[4]
data B: u16[4] = 7
data A_pointer: u16[1] align=4096 = A
data B_pointer: u16[1] = B

dsd all mem1d A

fn double
    lddsr dds1, all
    lddsr s0ds1, all
    lddsr s1ds1, all
    fadds dds1, s0ds1, s1ds1
    stcfg 0x7f70, 0
    ret

fn put
    st32 [A], d0
    st16 [B], r2
    stcfg 0x7f70, 0
    ret

fn silent
    ret

fn illegal
    mov16 r0, 0xbfff
    ld16  r1, [r0]
    ret

fn spin
again:
    jmp again
"""

SYMBOLS = [{"name": "A", "type": "[*]f32", "function": False, "mutable": True, "element": "f32"},
           {"name": "B", "type": "[*]u16", "function": False, "mutable": True, "element": "u16"}]
FUNCTIONS = {"double": [], "put": ["f32", "i16"], "silent": [], "illegal": [], "spin": []}


ECHO = """data last: u32[1]
queue words   input 2  color=1
queue results output 3 color=2
dsd from fabin words extent=6
dsd to   fabout results extent=6

task main local 8 active
    lddsr dds1, to
    lddsr s0ds1, from
    ld32  d0, [last]
    mov32 dds1, s0ds1
    end
"""


def write_echo(folder, version):
    """One PE at the rim that returns 6 wavelets to the host."""
    ports = [{"name": name, "tile": [0, 0], "side": "WEST", "color": color, "output": out}
             for name, color, out in (("x", 1, False), ("z", 2, True))]
    _write(folder, ECHO, {"grid": [1, 1], "rectangle": [0, 0, 1, 1]}, [
        {"rect": [0, 0, 1, 1], "color": 1, "rx": ["WEST"], "tx": ["RAMP"]},
        {"rect": [0, 0, 1, 1], "color": 2, "rx": ["RAMP"], "tx": ["WEST"]}], {
            "version": version, "memcpy": False, "channels": 1, "exports": [], "ports": ports,
            "links": [{"tile": [0, 0], "side": "WEST", "in": 0, "out": 4}]}, {})


def write(folder, version):
    """Fills `folder` with the program of 3 x 2 PEs."""
    exports = SYMBOLS + [{"name": name, "type": "fn", "function": True, "parameters": inputs}
                         for name, inputs in FUNCTIONS.items()]
    _write(folder, CODE, {"grid": [10, 4], "rectangle": [4, 1, 3, 2]}, [],
           {"version": version, "memcpy": True, "channels": 1, "exports": exports, "ports": [], "links": []}, {"A": 4096, "B": 4098})


def digest_of(text):
    """As text::digest_of: FNV-1a of 64 bits."""
    digest = 0xCBF29CE484222325
    for byte in text.encode():
        digest = (digest ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{digest:016x}"


def sign(folder, facts):
    """Writes tessera.json with digests that fit the files of the folder."""
    names = ("layout.json", "bin/out_0_0.elf")
    digests = {name: digest_of((Path(folder) / name).read_text(encoding="utf-8")) for name in names}
    text = json.dumps(dict(facts, digest=16 * "0", digests=digests))
    (Path(folder) / "tessera.json").write_text(text.replace(16 * "0", digest_of(text), 1), encoding="utf-8")


def _write(folder, code, place, routes, facts, pointers):
    folder = Path(folder)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/out_0_0.elf").write_text(code, encoding="utf-8")
    (folder / "layout.json").write_text(json.dumps({
        "schema": "tessera-wse-layout-1", "grid": place["grid"], "routes": routes,
        "tiles": [{"rect": place["rectangle"], "code": "bin/out_0_0.elf"}]}), encoding="utf-8")
    sign(folder, dict(
        facts, schema="tessera-csl-1", file="test.csl", arch="wse3", rectangle=place["rectangle"], streams_in=0, streams_out=0,
        params={}, colors={}, sources=[],
        codes=[{"source": "test.csl", "code": "bin/out_0_0.elf", "pointers": pointers, "functions": {name: name for name in FUNCTIONS if f"fn {name}\n" in code},
                "variables": {name: name for name in ("A", "B", "last") if f"data {name}:" in code}}]))
