"""Mistakes in kernels in C++ as a new user makes them: each ends with one message that names the line and the reason. And
native code: loads and stores through pointers, static variables, the cache of compiled kernels."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import share  # noqa: E402

KERNEL = """#include <pto/pto-inst.hpp>
#include <cassert>
#include <csignal>
#include <unistd.h>
using namespace pto;
using Part = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using Vec = Tile<TileType::Vec, float, 1, 64>;
AICORE int deeper(int n) { volatile char room[4096]; room[n % 4096] = 1; return n == 0 ? room[0] : deeper(n + 1) + room[1]; }
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ int32_t* index, __gm__ float* y, int zero) {
#ifdef __DAV_VEC__
  static int calls = 0;
  ++calls;
  Vec t;
  TASSIGN(t, 0);
  const int64_t block = get_block_idx();
  TLOAD(t, Part(x + index[block] * 64));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(t, t, 1.0f);
  // HERE
  pipe_barrier(PIPE_ALL);
  t.SetValue(3, t.GetValue(3) + 100 * calls);
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  TSTORE(Part(y + block * 64), t);
  index[32 * (1 + block)] = calls;
  dcci(index + 32 * (1 + block), SINGLE_CACHE_LINE, CACHELINE_OUT);
#endif
}
"""
HERE = 1 + KERNEL[:KERNEL.index("// HERE")].count("\n")

# The text that replaces another one, and what the message says; {n} is the line of HERE.
MISTAKES = [
    ("// HERE", "set_intra_block(PIPE_V, 0);", ["k.cpp:{n}", "does not exist on A2/A3"]),
    ("// HERE", "Vec u; TASSIGN(u, 196608 - 128); TADD(u, t, t);", ["k.cpp:{n}", "UB has 196608"]),
    ("float, 1, 64>;", "float, 1, 65536>;", ["k.cpp:16", "takes bytes 0 to 262143, UB has 196608"]),
    ("// HERE", "Tile<TileType::Vec, half, 1, 64> u; TASSIGN(u, 4096); TADD(t, t, u);", ["k.cpp:{n}", "operands of TADD are f32", "TCVT converts"]),
    ("// HERE", "wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);", ["deadlock", "flag MTE3 to V, event 5 never comes", "k.cpp:{n}"]),
    ("// HERE", "*(volatile int*)(8LL * (zero + 1)) = 1;", ["k.cpp:{n}", "segmentation fault at address 0x8"]),
    ("// HERE", "y[100000] = 3;", ["k.cpp:{n}", "native code writes 4 bytes at byte 400000 of the array y, which has 512"]),
    ("// HERE", "deeper(zero + 1);", ["k.cpp:8", "kernel k on AIV", "stack overflow"]),
    ("// HERE", "assert(zero);", ["k.cpp:{n}", "kernel k on AIV", "an abort"]),
    ("// HERE", "std::memcpy((void*)8, &zero, 4);", ["k.cpp:{n}", "segmentation fault at address 0x8"]),
    ("// HERE", "for (;;) pause();", ["k.cpp:{n}", "kernel k on AIV", "no operation for too long"]),
    ("// HERE", "alarm(1); for (;;) pause();", ["k.cpp:{n}", "kernel k on AIV", "an alarm (SIGALRM), which native code"]),
    ("// HERE", "raise(SIGALRM);", ["k.cpp:{n}", "an alarm (SIGALRM), which native code"]),
    ("// HERE", "exit(3);", ["k.cpp:19: kernel k on AIV", "native code after this line ended the run with exit status 3"]),
    ("// HERE", "kill(getpid(), SIGKILL);", ["k.cpp:19: kernel k on AIV", "native code after this line ended with signal 9"]),
    ("// HERE", "for (volatile int i = 0;; i = i + 1 & 255) {}", ["k.cpp:{n}", "endless loop"]),
    ("// HERE", "set_flag(PIPE_V, PIPE_V, EVENT_ID0);", ["k.cpp:{n}", "a flag orders two pipes"]),
    ("// HERE", "trap();", ["k.cpp:{n}", "trap()"]),
    ("// HERE", "set_ctrl(sbitset1(get_ctrl(), 48));", ["k.cpp:{n}", "set_ctrl()", "not modelled"]),
    ("  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n", "\n",
     ["hazard: ", "k.cpp:16 (copy_in on MTE2", "writes and", "k.cpp:19 (vector on V", "nothing orders them"]),
    ("// HERE", "TLOAD(t, Part(x)); y[0] = t.GetValue(0);", ["hazard", "k.cpp:{n} (copy_in on MTE2", "k.cpp:{n} (load_scalar on S"]),
    ("float, 1, 64>;", "float, 1, 63>;", ["does not compile for the", "multiple of 32 bytes"]),
    ("// HERE", "TADD(t, t);", ["k.cpp:{n}", "expected"]),
    ("// HERE", "Vec u; TADD(u, t, t);", ["k.cpp:{n}", "TADD: its result is a tile without an address; TASSIGN gives it one"]),
    ("// HERE", "Vec u; TMOV(t, u);", ["k.cpp:{n}", "TMOV: its first operand is a tile without an address"]),
    ("// HERE", "Tile<TileType::Vec, uint8_t, 1, 64> u; TASSIGN(u, 4096); TADD(u, u, u);", ["k.cpp:{n}", "TADD works on i16, i32, f16 or f32 on A2/A3"]),
    ("// HERE", "nothing();", ["does not compile", "k.cpp:{n}", "nothing"]),
    ("x + index[block]", "(float*)0x1000 + index[block]", ["k.cpp:16", "points into no array"]),
]


class Runner:
    def __init__(self, executable, folder):
        self.executable, self.folder = executable, folder
        np.save(folder / "x.npy", np.arange(256, dtype=np.float32))
        np.save(folder / "index.npy", np.array([2, 1] + [0] * 126, np.int32))

    def run(self, text=KERNEL, *more, arguments=None, program=None):
        (self.folder / "k.cpp").write_text(text)
        given = {"x": self.folder / "x.npy", "index": self.folder / "index.npy", "y": "f32[128]", "zero": 0} if arguments is None else arguments
        command = [self.executable, self.folder / (program or "k.cpp"), "--preset", "a2a3", "--set", "launch.clusters=2", "--set", "launch.ratio=0:1",
                   "--hazards", "error", "--stuck-after", 1,
                   *[w for name, value in given.items() for w in ("--arg", f"{name}={value}")], *more]
        return subprocess.run([str(w) for w in command], capture_output=True, text=True)


def expect(done, words, what):
    assert done.returncode in (2, 4), f"{what}: ended with {done.returncode}: {done.stdout}{done.stderr}"
    for word in words:
        assert word in done.stderr, f"{what}: no '{word}' in: {done.stderr}"


def check_mistakes(runner):
    for old, new, words in share.part(MISTAKES, 2):
        assert old in KERNEL
        expect(runner.run(KERNEL.replace(old, new)), [w.replace("{n}", str(HERE)) for w in words], new)


def check_kernel_file(runner):
    """What ascend-cxx makes runs as the text does, and names the same lines."""
    compiler = pathlib.Path(runner.executable).with_name("ascend-cxx")
    wrong = KERNEL.replace("// HERE", "wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID5);")
    for text in (KERNEL, wrong):
        runner.run(text)
        subprocess.run([compiler, runner.folder / "k.cpp", "--preset", "a2a3", "-o", runner.folder / "k.so"], check=True)
        reports = []
        for program in ("k.cpp", "k.so"):
            done = runner.run(text, "--report", runner.folder / "r.json", program=program)
            reports.append(json.loads((runner.folder / "r.json").read_text()))
            if text is wrong:
                expect(done, ["deadlock", f"k.cpp:{HERE}"], program)
        assert reports[0]["digest"] == reports[1]["digest"] and reports[0]["message"] == reports[1]["message"], reports[1]
    done = runner.run(KERNEL, "--print-program", program="k.so")
    assert done.stdout == "k(f32* x, i32* index, f32* y, i32 zero)\n", done.stdout


def check_damage(runner):
    """Native code that writes into the memory of the simulator: a sentence and a report, and nothing worse."""
    report = runner.folder / "damaged.json"
    damage = "char* p = (char*)malloc(64); for (int i = 0; i < 100000; ++i) ((volatile char*)p)[i] = 0x55;"
    done = runner.run(KERNEL.replace("// HERE", damage), "--report", report)
    expect(done, ["native code"], "damage")
    written = json.loads(report.read_text())
    assert written["status"] == "could_not_finish" and written["message"] in done.stderr, written
    done = runner.run(KERNEL.replace("// HERE", "exit(0);"), "--no-isolate")
    assert done.returncode == 0 and "cycles" not in done.stdout, "--no-isolate does not run in this process"


def check_arguments(runner):
    x, index = runner.folder / "x.npy", runner.folder / "index.npy"
    cases = [
        ({"x": x, "index": index, "y": "f32[128]"}, (), "give --arg zero=NUMBER"),
        ({"x": x, "index": index, "y": "f32[128]", "zero": 0, "z": 1}, (), "'z' is no argument of k"),
        ({"x": x, "index": index, "y": "f31[128]", "zero": 0}, (), "expected FILE.npy, or a type and shape such as f16[128,128]"),
        ({"x": x, "index": index, "y": "f32[128]", "zero": "one"}, (), "the argument is a number"),
        ({}, ("--function", "kernel"), "the kernel defines no such function"),
        ({"x": x, "index": index, "y": "f32[128]", "zero": 1 << 32}, (), "at least -2147483648 and at most 2147483647"),
        ({"x": index, "index": index, "y": "f32[128]", "zero": 0}, (), "elements of i32, and the argument is a pointer to f32"),
        ({"x": x, "index": index, "y": "f16[128]", "zero": 0}, (), "elements of f16, and the argument is a pointer to f32"),
        ({"x": x, "index": index, "y": "f32[0]", "zero": 0}, (), "has no elements; a pointer to nothing is null"),
        ({"x": x, "index": index, "y": "f32[2147483648,2147483648,4]", "zero": 0}, (), "an array has at most 34359738368 bytes"),
        ({"x": x, "index": index, "y": "f32[128]", "zero": 0}, ("--param", "N=3"), "--param: the program is a kernel in C++"),
        ({"x": x, "index": index, "y": "f32[128]", "zero": 0}, ("--pto-level", "level1"), "--pto-level: the program is a kernel in C++"),
        ({"x": x, "index": index, "y": "f32[128]", "zero": 0}, ("--input", f"x={x}"), "--input: the program is a kernel in C++"),
    ]
    for arguments, more, word in cases:
        expect(runner.run(KERNEL, *more, arguments=arguments), [word], word)


def check_native_code(runner):
    out = [w for name in ("y", "index") for w in ("--output", f"{name}={runner.folder / name}.out.npy")]
    for structure in ("dense", "modules"):
        done = runner.run(KERNEL, *out, "--structure", structure, "--report", runner.folder / f"{structure}.json")
        assert done.returncode == 0, done.stderr
        y, index = np.load(runner.folder / "y.out.npy"), np.load(runner.folder / "index.out.npy")
        expected = np.concatenate([np.arange(128, 192), np.arange(64, 128)]).astype(np.float32) + 1
        expected[[3, 67]] += 100  # static variables are one a core: the first call on each
        assert np.array_equal(y, expected), y
        assert index[32] == 1 and index[64] == 1, index
    digests = [json.loads((runner.folder / f"{s}.json").read_text())["digest"] for s in ("dense", "modules")]
    assert digests[0] == digests[1], digests
    kept = {path: path.stat().st_mtime_ns for path in pathlib.Path(os.environ["TESSERA_CACHE"]).rglob("*.so")}
    assert kept
    assert runner.run().returncode == 0
    assert {path: path.stat().st_mtime_ns for path in kept} == kept, "a kernel that was compiled before is compiled again"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TESSERA_CACHE"] = str(pathlib.Path(folder) / "cache")
        runner = Runner(sys.argv[1], pathlib.Path(folder))
        check_native_code(runner)
        check_kernel_file(runner)
        check_mistakes(runner)
        check_damage(runner)
        check_arguments(runner)


if __name__ == "__main__":
    main()
