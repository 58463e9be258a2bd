"""Native code of a kernel in C++ that does what no kernel may: each mistake ends in bounded time, with exit 2 or 4 and a sentence
that names the cause; none crashes the simulator, hangs, or gives values as if nothing had been.

    cpp_native_test.py ASCEND_PLATFORM [TEXT]    only mistakes whose code has TEXT
"""
import contextlib
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import share  # noqa: E402

TOP = """#include <pto/pto-inst.hpp>
#include <cassert>
#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
using namespace pto;
using Part = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
using Free = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, 1>>;
using Vec = Tile<TileType::Vec, float, 1, 64>;
using Loose = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
int deeper(int n) { volatile char room[4096]; room[n % 4096] = 1; return n == 0 ? room[0] : deeper(n + 1) + room[1]; }
void* in_thread(void*) { set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); return nullptr; }
void* waits(void*) { for (;;) pause(); }
volatile unsigned counted;
void* counts(void*) { for (;;) { if (counted % 2) counted += 3; else counted += 1; } }
extern "C" __global__ AICORE void k(__gm__ float* x, __gm__ float* y, int which, int64_t n) {
  Vec t; TASSIGN(t, 0);
  Loose u(1, 64); TASSIGN(u, 4096);
  TLOAD(t, Part(x));
  pipe_barrier(PIPE_ALL);
  switch (which) {
"""
BOTTOM = """  }
  pipe_barrier(PIPE_ALL);
  TSTORE(Part(y), t);
}
"""
# Code, the number n, and words of the message; a word "LINE" is the line of the code.
MISTAKES = [
    ("set_flag((pipe_t)n, PIPE_V, 0);", 99, ["LINE", "pipe 99 does not exist"]),
    ("set_flag((pipe_t)n, PIPE_V, 0);", -1, ["LINE", "pipe -1 does not exist"]),
    ("wait_flag(PIPE_V, (pipe_t)n, 0);", 1 << 30, ["LINE", "does not exist"]),
    ("pipe_barrier((pipe_t)n);", 8, ["LINE", "pipe 8 does not exist"]),
    ("pipe_barrier((pipe_t)n);", 255, ["LINE", "pipe 255 does not exist"]),
    ("set_flag(PIPE_MTE2, PIPE_V, (event_t)n);", 8, ["LINE", "8 is outside"]),
    ("set_flag(PIPE_MTE2, PIPE_V, (event_t)n);", -1, ["LINE", "-1 is outside"]),
    ("wait_flag(PIPE_MTE2, PIPE_V, (event_t)n);", 1000000, ["LINE", "1000000 is outside"]),
    ("wait_flag(PIPE_MTE2, PIPE_V, (event_t)n);", 5, ["LINE", "deadlock", "event 5"]),
    ("set_flag(PIPE_MTE2, PIPE_M, EVENT_ID0);", 0, ["LINE", "no pipe M"]),
    ("set_flag(PIPE_ALL, PIPE_V, EVENT_ID0);", 0, ["LINE", "pipe ALL"]),
    ("set_flag(PIPE_V, PIPE_V, EVENT_ID0);", 0, ["LINE", "a flag orders two pipes"]),
    ("wait_flag_dev(n);", 99, ["LINE", "99 is outside"]),
    ("set_intra_block(PIPE_V, n);", 3, ["LINE", "does not exist on A2/A3"]),
    ("get_buf(PIPE_V, n, 0);", 40, ["LINE", "do not exist on A2/A3"]),
    ("tsr_api->sync(tsr_api->self, (TsrSync)n, 1, 1, 0, 0);", 77, ["LINE", "the library does not have"]),
    ("tsr_api->sync(tsr_api->self, TSR_SET_CROSS_CORE, 1, 1, 0, (int)n);", 257, ["LINE", "mode 257"]),
    ("TASSIGN(t, n); TADDS(t, t, 1.0f);", 0xFFFFFF00, ["LINE", "UB has 196608"]),
    ("u.SetValidShape(n, 64); TADDS(u, u, 1.0f);", -5, ["LINE"]),
    ("u.SetValidShape(1, n); TADDS(u, u, 1.0f);", 70000, ["LINE"]),
    ("TLOAD(u, Free(x, {(int)n, 64}, {64}));", -3, ["LINE"]),
    ("TLOAD(u, Free(x, {1, 64}, {(int)n})); u.SetValidShape(16, 64); TLOAD(u, Free(x, {16, 64}, {(int)n}));", 1 << 28, ["LINE"]),
    ("TLOAD(t, Part((float*)n));", 0, ["LINE", "points into no array"]),
    ("TLOAD(t, Part((float*)n));", 0x1234, ["LINE", "points into no array"]),
    ("TLOAD(t, Part((float*)((char*)x + n)));", 1 << 20, ["LINE", "array x"]),
    ("TLOAD(t, Part((float*)t.data()));", 0, ["LINE", "points into no array"]),
    ("t.SetValue(0, t.GetValue(n));", 1 << 20, ["LINE"]),
    ("t.SetValue(n, 1.0f);", -4096, ["LINE", "of UB of AIV"]),
    ("t.SetValue(0, t.GetValue(n));", -1, ["LINE", "of UB of AIV"]),
    ("y[n] = 3;", 100000, ["LINE", "of the array y"]),
    ("y[0] = x[n];", -1, ["LINE", "at byte -4 of the array x"]),
    ("y[0] = y[n];", -2, ["LINE", "at byte -8 of the array y"]),
    ("dcci((float*)n, SINGLE_CACHE_LINE); *(volatile int*)n = 1;", 8, ["LINE", "segmentation fault at address 0x8"]),
    ("if (fork() >= 0) y[0] = 1;", 0, ["LINE", "fork()", "cannot make processes"]),
    ("if (vfork() >= 0) y[0] = 1;", 0, ["LINE", "vfork()", "cannot make processes"]),
    ("if (system(\"sleep 100\") == 0) y[0] = 1;", 0, ["LINE", "system()", "cannot make processes"]),
    ("FILE* f = popen(\"sleep 100\", \"r\"); if (f) y[0] = 1;", 0, ["LINE", "popen()", "cannot make processes"]),
    ("pid_t p; char* argv[] = {nullptr}; if (posix_spawn(&p, \"/bin/true\", nullptr, nullptr, argv, argv) == 0) y[0] = 1;", 0,
     ["LINE", "posix_spawn()", "cannot make processes"]),
    ("execl(\"/bin/true\", \"true\", (char*)nullptr);", 0, ["LINE", "execl()", "cannot make processes"]),
    ("char* argv[] = {nullptr}; execve(\"/bin/true\", argv, argv);", 0, ["LINE", "execve()", "cannot make processes"]),
    ("Vec* p = nullptr; TADDS(*p, *p, 1.0f);", 0, ["LINE", "TADDS: a tile is a null pointer"]),
    ("Vec* volatile p = nullptr; TADD(t, t, *p);", 0, ["LINE", "TADD: a tile is a null pointer"]),
    ("Part* volatile p = nullptr; TLOAD(t, *p);", 0, ["LINE", "TLOAD: a tensor is a null pointer"]),
    ("TSTORE(*(Part*)n, t);", 8, ["LINE", "TSTORE: a tensor is a null pointer"]),
    ("TADDS(*(Vec*)n, t, 1.0f);", 1 << 20, ["LINE", "segmentation fault at address 0x1000"]),
    ("TLOAD(t, *(Part*)n);", 1 << 20, ["LINE", "segmentation fault at address 0x1000"]),
    ("for (int d = 0; d < 1024; ++d) close(d);", 0, ["closed or replaced a standard stream"]),
    ("close(1);", 0, ["closed or replaced a standard stream"]),
    ("close(0); close(1); close(2);", 0, ["closed or replaced a standard stream"]),
    ("dup2(open(\"/dev/null\", O_RDWR), 2);", 0, ["closed or replaced a standard stream"]),
    ("if (chdir(\"/\")) y[0] = 1;", 0, ["working directory"]),
    ("kill(getpid(), SIGTERM); for (;;) pause();", 0, ["LINE", "no operation for too long"]),
    ("kill(getpid(), SIGKILL);", 0, ["ended with signal 9"]),
    ("signal(SIGTERM, SIG_DFL); kill(getpid(), SIGTERM);", 0, ["ended with signal 15"]),
    ("signal(SIGSEGV, SIG_IGN); *(volatile int*)n = 1;", 8, ["ended with signal 11"]),
    ("sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, nullptr); for (;;) pause();", 0, ["did not react to SIGALRM"]),
    ("for (;;) pause();", 0, ["LINE", "no operation for too long"]),
    ("for (volatile int i = 0;; i = i + 1 & 255) {}", 0, ["LINE", "endless loop"]),
    ("char c; while (read(0, &c, 1) >= 0) {}", 0, ["endless loop"]),
    ("deeper(1);", 0, ["stack overflow"]),
    ("assert(n);", 0, ["an abort"]),
    ("std::abort();", 0, ["an abort"]),
    ("throw std::runtime_error(\"thrown\");", 0, ["LINE", "an abort"]),
    ("std::terminate();", 0, ["an abort"]),
    ("volatile int64_t d = n; y[0] = (float)(17 % d);", 0, ["LINE", "arithmetic exception"]),
    ("__builtin_trap();", 0, ["LINE", "illegal instruction"]),
    ("trap();", 0, ["LINE", "trap()"]),
    ("std::exit((int)n);", 3, ["exit status 3"]),
    ("_exit((int)n);", 0, ["exit status 0"]),
    ("std::quick_exit(0);", 0, ["exit status 0"]),
    ("pthread_exit(nullptr);", 0, ["native code"]),
    ("pthread_t p; pthread_create(&p, nullptr, in_thread, nullptr); pthread_join(p, nullptr);", 0, ["thread"]),
    ("syscall(SYS_exit_group, (int)n);", 5, ["exit status 5"]),
    ("munmap((void*)((uintptr_t)x & ~4095ULL), 4096); y[0] = x[0];", 0, ["native code"]),
    ("void* volatile p = malloc(64); free(p); free(p);", 0, ["an abort"]),
    ("std::memcpy(&u, x, sizeof(float) * n);", 1 << 20, ["of the array x"]),
    ("std::memset(y, 0, n);", 1 << 20, ["of the array y"]),
    ("((void (*)())n)();", 16, ["k.cpp", "Segmentation fault"]),
]
# What is no mistake: native code may do this, and the values are those of a kernel without it.
HARMLESS = [
    ("std::fesetround(FE_UPWARD); TADDS(t, t, 1e-9f);", 0),
    ("if (syscall(SYS_getpid) == 0) y[0] = 9;", 0),
    ("pthread_t p; pthread_create(&p, nullptr, waits, nullptr);", 0),
    ("pthread_t p; pthread_create(&p, nullptr, counts, nullptr);", 0),  # it runs whatever the core does, and when no core is there
    ("float copy[64]; std::memcpy(copy, x, sizeof copy); std::memcpy(y + 64, copy, sizeof copy); dcci((float*)0, ENTIRE_DATA_CACHE);", 0),
    ("if (syscall(SYS_fork) < 0) y[0] = 9;", 0),
    ("signal(SIGPIPE, SIG_DFL); signal(SIGCHLD, SIG_IGN);", 0),
]
SECONDS = 60  # a mistake that takes longer hangs


class Runner:
    def __init__(self, executable, folder, wanted):
        self.executable, self.folder = str(executable), folder
        self.rows = [m for m in MISTAKES if wanted in m[0]]
        self.harmless = [m for m in HARMLESS if wanted in m[0]]
        self.all = [(m[0], m[1]) for m in self.rows + self.harmless]
        cases = [f"  case {number + 1}: {{ {code} break; }}\n" for number, (code, _) in enumerate(self.all)]
        (folder / "k.cpp").write_text(TOP + "".join(cases) + BOTTOM)
        np.save(folder / "x.npy", np.arange(64, dtype=np.float32) + 1)

    def line(self, which):
        return TOP.count("\n") + which

    def command(self, which, n, *more, stuck_after=1):
        arguments = {"x": "x.npy", "y": "f32[128]", "which": which, "n": n}
        return [self.executable, "k.cpp", "--preset", "a2a3", "--stuck-after", str(stuck_after), "--report", f"r{which}.json", "--output", f"y=y{which}.npy",
                *[w for name, value in arguments.items() for w in ("--arg", f"{name}={value}")], *more]

    def run(self, which, n, *more, **how):
        return subprocess.run(self.command(which, n, *more), cwd=self.folder, capture_output=True, text=True, errors="replace",
                              timeout=SECONDS, stdin=subprocess.DEVNULL, **how)

    def check_mistake(self, which, n, words):
        done = self.run(which, n)
        what = f"{self.all[which - 1][0]} with {n}: exit {done.returncode}, {done.stderr[:400]}"
        assert done.returncode in (2, 4), what
        assert not (self.folder / f"y{which}.npy").exists(), f"wrote results: {what}"
        message = [line for line in done.stderr.splitlines() if line.startswith("ascend_platform: ") and "Assertion" not in line]
        assert len(message) == 1, f"not one sentence: {what}"
        for word in words:
            assert word.replace("LINE", f"k.cpp:{self.line(which)}") in done.stderr, f"no '{word}': {what}"
        report = json.loads((self.folder / f"r{which}.json").read_text())
        assert report["status"] != "finished" and report["message"], what

    def check_harmless(self, which, n):
        done = self.run(which, n)
        what = f"{self.all[which - 1][0]}: exit {done.returncode}, {done.stderr[:400]}"
        assert done.returncode == 0 and done.stdout.count("machine  a2a3") == 1, what
        y, x = np.load(self.folder / f"y{which}.npy"), np.arange(64, dtype=np.float32) + 1
        assert np.array_equal(y[:64], x), f"{what}: {y}"
        if "y + 64" in self.all[which - 1][0]:
            assert np.array_equal(y[64:], x), f"{what}: {y}"


def check_constructors(runner):
    """Constructors of global objects run while the module is loaded."""
    for code, words in (("int stop() { for (;;) pause(); }", ["constructors of global objects"]),
                        ("int stop() { *(volatile int*)8 = 1; return 1; }", ["constructors of global objects", "signal 11"]),
                        ("int stop() { set_flag(PIPE_MTE2, PIPE_V, 0); return 1; }", ["constructors of global objects", "signal 11"])):
        (runner.folder / "k.cpp").write_text(TOP.replace("extern \"C\"", f"{code}\nint stopped = stop();\nextern \"C\"") + BOTTOM)
        done = runner.run(0, 0)
        assert done.returncode == 4 and all(w in done.stderr for w in words), f"{code}: {done.returncode} {done.stderr}"


def check_ends(runner):
    """What native code leaves for the end of its process runs on no device, so it does not run here, and holds nothing up."""
    for code in ("static void never() { for (;;) pause(); }\nint left = atexit(never);",
                 "struct Never { ~Never() { for (;;) pause(); } } left;"):
        (runner.folder / "k.cpp").write_text(TOP.replace("extern \"C\"", f"{code}\nextern \"C\"") + BOTTOM)
        done = runner.run(0, 0)
        assert done.returncode == 0 and done.stdout.count("machine  a2a3") == 1, f"{code}: {done.returncode} {done.stderr}"
        assert np.array_equal(np.load(runner.folder / "y0.npy")[:64], np.arange(64, dtype=np.float32) + 1), code


def check_stack_limits(runner):
    """The stack limit decides where Linux puts what a process maps, which must not meet the memories of the device."""
    hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
    for soft in (512 << 10, 1 << 30, hard):
        if hard != resource.RLIM_INFINITY and not 0 <= soft <= hard:
            continue
        (runner.folder / "y0.npy").unlink(missing_ok=True)
        done = runner.run(0, 0, preexec_fn=lambda soft=soft: resource.setrlimit(resource.RLIMIT_STACK, (soft, hard)))
        assert done.returncode == 0, f"stack limit {soft}: {done.returncode} {done.stderr}"
        assert np.array_equal(np.load(runner.folder / "y0.npy")[:64], np.arange(64, dtype=np.float32) + 1), soft


def check_surroundings(runner):
    """Streams that are closed from the start, a compiler and an addr2line that hang or fail, and signals from outside."""
    (runner.folder / "k.cpp").write_text(TOP + "  case 1: wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5); break;\n  case 2: for (;;) pause();\n" + BOTTOM)
    quoted = " ".join(f"'{w}'" for w in runner.command(0, 0))
    for closed, code in (("<&-", 0), (">&-", 2), ("<&- >&-", 2), ("2>&-", 0)):
        done = subprocess.run(["bash", "-c", f"{quoted} {closed}"], cwd=runner.folder, capture_output=True, text=True, timeout=SECONDS)
        assert done.returncode == code, f"{closed}: {done.returncode} {done.stderr}"
        assert np.array_equal(np.load(runner.folder / "y0.npy")[:64], np.arange(64, dtype=np.float32) + 1), closed
    for script, word in (("exec sleep 1000", "addr2line gives no answer"), ("exit 3", "addr2line has ended"), ("yes xx:1", "deadlock")):
        tools = runner.folder / "tools"
        tools.mkdir(exist_ok=True)
        (tools / "addr2line").write_text(f"#!/bin/sh\n{script}\n")
        (tools / "addr2line").chmod(0o755)
        for lines in pathlib.Path(os.environ["TESSERA_CACHE"]).glob("*.lines"):
            lines.unlink()
        done = runner.run(1, 0, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        assert done.returncode == 4 and "deadlock" in done.stderr, f"{script}: {done.returncode} {done.stderr}"
        done = runner.run(2, 0, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"})
        assert done.returncode == 4 and "no operation for too long" in done.stderr, f"{script}: {done.returncode} {done.stderr}"
        if word != "deadlock":
            assert word in done.stderr, f"{script}: {done.stderr}"
    for number in (15, 2, 1, 9):
        run = subprocess.Popen(runner.command(2, 0, stuck_after=0), cwd=runner.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        child = wait_for_child(run)
        os.kill(child, number)
        if number in (2, 15):  # the first one asks the run to end; native code that runs on needs a second one
            time.sleep(0.5)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, number)
        out, err = run.communicate(timeout=SECONDS)
        assert run.returncode == 4 and ("signal" in err or "stopped by SIG" in err), f"signal {number} to the kernel's process: {run.returncode} {err}"


def check_nothing(runner):
    """A kernel that comes to no operation ends at once, with a warning: run times start such kernels to mark a place."""
    text = '#include <pto/pto-inst.hpp>\nextern "C" __global__ AICORE void nothing(__gm__ float* x, int n) { %s if (n > 0) set_mask_norm(); }\n'
    for line in ("", "if (n < 0) pipe_barrier(PIPE_MTE1);"):
        (runner.folder / "nothing.cpp").write_text(text % line)
        for preset in ("a2a3", "a5"):
            done = subprocess.run([sys.argv[1], "nothing.cpp", "--preset", preset, "--arg", "x=f32[8]", "--arg", "n=1", "--report", "r.json",
                                   "--output", "x=nothing.npy"], cwd=runner.folder, capture_output=True, text=True, timeout=SECONDS)
            assert done.returncode == 0 and "/tessera/ascend/no_operation" in done.stdout + done.stderr, f"{line}: {done.returncode} {done.stdout} {done.stderr}"
            counters = json.loads((runner.folder / "r.json").read_text())["counters"]
            assert counters["tile_operations"]["value"] == 0 and counters["cores"]["value"] == 1, counters
            assert not np.load(runner.folder / "nothing.npy").any()


def wait_for_child(run):
    """The process of the kernel, once its native code waits."""
    end = time.monotonic() + SECONDS
    while run.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
        for child in pathlib.Path(f"/proc/{run.pid}/task/{run.pid}/children").read_text().split():
            if pathlib.Path(f"/proc/{child}/comm").read_text().strip() == "ascend_platform" and state_of(child) == "S":
                return int(child)  # not the compiler, and it pauses
    run.kill()
    raise AssertionError(f"no process of the kernel: {run.communicate()}")


def state_of(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TESSERA_CACHE"] = str(pathlib.Path(folder) / "cache")
        runner = Runner(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder), sys.argv[2] if len(sys.argv) > 2 else "")
        failures = []
        for number, (_, n, words) in share.part(enumerate(runner.rows), 2):
            try:
                runner.check_mistake(number + 1, n, words)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failures.append(str(error))
        for number, (_, n) in share.part(enumerate(runner.harmless), 2):
            try:
                runner.check_harmless(len(runner.rows) + number + 1, n)
            except (AssertionError, subprocess.TimeoutExpired) as error:
                failures.append(str(error))
        if failures:
            sys.exit("\n".join(failures))
        if not sys.argv[2:]:
            check_nothing(runner)
            check_constructors(runner)
            check_surroundings(runner)
            check_stack_limits(runner)
            check_ends(runner)


if __name__ == "__main__":
    main()
