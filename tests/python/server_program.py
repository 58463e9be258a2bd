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


def write(folder, version):
    """Fills `folder`."""
    folder = Path(folder)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/out_0_0.elf").write_text(CODE, encoding="utf-8")
    (folder / "layout.json").write_text(json.dumps({
        "schema": "tessera-wse-layout-1", "grid": [10, 4],
        "tiles": [{"rect": [4, 1, 3, 2], "code": "bin/out_0_0.elf"}], "routes": []}), encoding="utf-8")
    exports = SYMBOLS + [{"name": name, "type": "fn", "function": True, "parameters": inputs}
                         for name, inputs in FUNCTIONS.items()]
    (folder / "tessera.json").write_text(json.dumps({
        "schema": "tessera-csl-1", "version": version, "file": "test.csl", "arch": "wse3", "rectangle": [4, 1, 3, 2],
        "memcpy": True, "streams_in": 0, "streams_out": 0, "links": [], "ports": [], "params": {}, "colors": {},
        "exports": exports, "codes": [{"source": "test.csl", "code": "bin/out_0_0.elf", "pointers": {"A": 4096, "B": 4098}}],
        "sources": []}), encoding="utf-8")
