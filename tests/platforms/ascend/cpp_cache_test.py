"""The cache of compiled kernels: a module is used only while all that it was made of is as it was, and only from a folder where
nobody else can write.

    cpp_cache_test.py ASCEND_PLATFORM
"""
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys
import tempfile

import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import share  # noqa: E402

KERNEL = """#include <pto/pto-inst.hpp>
#include "a.h"
#include "parts/b.h"
#include <common.h>
#if __has_include("extra.h")
#include "extra.h"
#else
#define EXTRA 0
#endif
#ifndef OPTION
#define OPTION 0
#endif
using namespace pto;
extern "C" __global__ AICORE void k(__gm__ float* y, int wrong) {
  Tile<TileType::Vec, float, 1, 64> t;
  TASSIGN(t, 0);
  TEXPANDS(t, 1.0f * (A + 10 * B + 100 * COMMON + 1000 * EXTRA + OPTION));
  pipe_barrier(PIPE_ALL);
  TSTORE(GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>(y), t);
  pipe_barrier(PIPE_ALL);
  if (wrong != 0) waits_for_ever();
}
"""
B_TEXT = "#pragma once\n#define B {value}\n{blank}AICORE inline void waits_for_ever() {{ wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5); }}\n"
# The compiler, but what it has made of a copy once comes from a store.
STORING = """#!/bin/sh
out= rules= copy= before=
for word in "$@"; do
  case "$before" in -o) out=$word;; -MF) rules=$word;; esac
  case "$word" in *.cpp) copy=$word;; esac
  before=$word
done
[ "$out" = /dev/null ] && exit 0
kept={store}/$(cksum < "$copy" | tr ' ' _)
if [ -f "$kept.so" ]; then cp "$kept.so" "$out"; cp "$kept.d" "$rules"; exit 0; fi
g++ "$@" || exit
cp "$out" "$kept.so"; cp "$rules" "$kept.d"
"""
# The compiler, and somebody who edits a header while it runs.
EDITED = """#!/bin/sh
g++ "$@" || exit
for word in "$@"; do
  [ "$word" = -MD ] && [ ! -f {once} ] && touch {once} && printf '#define A 7\\n' > {header}
done
exit 0
"""


class Runner:
    def __init__(self, executable, folder):
        self.executable, self.folder = executable, folder
        self.sources = folder / "a folder #1 with $signs \\ and 'quotes'"
        self.first, self.second, self.third = folder / "first", folder / "second one", folder / "third"
        for place in (self.sources / "parts", self.first, self.second, self.third):
            place.mkdir(parents=True)
        self.kernel = self.sources / "k.cpp"
        self.kernel.write_text(KERNEL)
        self.environment = {k: v for k, v in os.environ.items() if k not in ("CPATH", "CXX")}
        self.environment["TESSERA_CACHE"] = str(folder / "cache")
        self.values = {"A": 1, "B": 2, "EXTRA": 0}
        self.blank = 0
        self.commons = {self.second: 3, self.third: 4}
        self.write()

    def write(self):
        """Writes what has another text than it should."""
        def put(path, text):
            if not path.is_file() or path.read_text() != text:
                path.unlink(missing_ok=True)
                path.write_text(text)

        put(self.sources / "a.h", f"#define A {self.values['A']}\n")
        put(self.sources / "parts/b.h", B_TEXT.format(value=self.values["B"], blank="\n" * self.blank))
        if self.values["EXTRA"]:
            put(self.sources / "extra.h", f"#define EXTRA {self.values['EXTRA']}\n")
        else:
            (self.sources / "extra.h").unlink(missing_ok=True)
        for place in (self.first, self.second, self.third):
            if place in self.commons:
                put(place / "common.h", f"#define COMMON {self.commons[place]}\n")
            else:
                (place / "common.h").unlink(missing_ok=True)

    def run(self, *more, includes=None, wrong=0, **environment):
        includes = (self.first, self.second) if includes is None else includes
        command = [self.executable, self.kernel, "--preset", "a2a3", "--quiet", "--arg", "y=f32[64]", "--arg", f"wrong={wrong}",
                   "--output", f"y={self.folder / 'y.npy'}", *[w for i in includes for w in ("--include", i)], *more]
        (self.folder / "y.npy").unlink(missing_ok=True)
        return subprocess.run([str(w) for w in command], capture_output=True, text=True, env={**self.environment, **environment}, timeout=600)

    def check(self, expected, what, **how):
        done = self.run(**how)
        assert done.returncode == 0, f"{what}: exit {done.returncode}: {done.stderr}"
        y = np.load(self.folder / "y.npy")
        assert np.all(y == expected), f"{what}: the kernel wrote {y[0]}, expected {expected}"

    def expected(self, common):
        return self.values["A"] + 10 * self.values["B"] + 100 * common + 1000 * self.values["EXTRA"]


def check_edits_of_headers(runner, rounds):
    """Random edits between runs: the value is always that of the files as they are."""
    pick = random.Random(7)
    for number in range(rounds):
        action = pick.choice(("A", "B", "EXTRA", "EXTRA", "shadow", "shadow", "variable", "nothing", "link"))
        variable = {}
        includes = (runner.first, runner.second)
        if action in runner.values:
            runner.values[action] = pick.choice([v for v in range(10) if v != runner.values[action]])
            runner.blank = pick.randrange(5)
        elif action == "shadow" and runner.first in runner.commons:
            del runner.commons[runner.first]
        elif action == "shadow":
            runner.commons[runner.first] = pick.randrange(10)
        elif action == "link":  # another file of the same name and size
            shutil.move(runner.sources / "a.h", runner.folder / "moved.h")
            runner.values["A"] = (runner.values["A"] + 1) % 10
            (runner.folder / "other.h").write_text(f"#define A {runner.values['A']}\n")
            (runner.sources / "a.h").symlink_to(runner.folder / "other.h")
        elif action == "variable":
            includes, variable = (), {"CPATH": str(pick.choice((runner.second, runner.third)))}
        if action != "link":
            runner.write()
        place = runner.first if includes and runner.first in runner.commons else runner.second
        if variable:
            place = pathlib.Path(variable["CPATH"])
        runner.check(runner.expected(runner.commons[place]), f"round {number}, {action}", includes=includes, **variable)


def check_lines(runner):
    """Messages name the lines of the files as they are."""
    for blank in (0, 3):
        runner.blank = blank
        runner.write()
        done = runner.run(wrong=1)
        assert done.returncode == 4 and f"b.h:{3 + blank}" in done.stderr, f"{blank} blank lines: {done.stderr}"


def check_files_of_the_assembler(runner):
    """Files that assembly reads are not among those that the compiler lists."""
    value = runner.folder / "value.s"
    for directive in (".include", ".incbin", '.in" "clude', '.in"\n"clude', ".\\x69nclude", '.in" /* c */ "clude', ".in\\\nclude"):
        for number in (3, 7):
            value.write_bytes(number.to_bytes(4, "little") if directive == ".incbin" else f".long {number}\n".encode())
            (runner.sources / "a.h").unlink()
            (runner.sources / "a.h").write_text(f'''asm(".pushsection .data\\n.hidden value\\n.globl value\\nvalue: {directive} \\"{value}\\"\\n.popsection");
extern "C" int value;
#define A value
''')
            runner.check(number + runner.expected(runner.commons[runner.second]) - runner.values["A"], f"{directive} of {number}",
                         includes=(runner.second,))
    (runner.sources / "a.h").unlink()
    runner.write()


def check_edit_while_compiling(runner):
    tool = runner.folder / "edited.sh"
    tool.write_text(EDITED.format(once=f"'{runner.folder}/once'", header='"$HEADER"'))
    tool.chmod(0o755)
    runner.values["A"] = 5
    runner.write()
    environment = {"CXX": str(tool), "HEADER": str(runner.sources / "a.h")}
    for what in ("edited while it was compiled", "the run after that"):
        done = runner.run(**environment)
        y = np.load(runner.folder / "y.npy")[0] if done.returncode == 0 else None
        assert y is not None and int(y) % 10 == 7, f"{what}: {y} {done.stderr}"
    runner.values["A"] = 7


def check_response_files(runner):
    """Options of the compiler in files, one in the other."""
    expected = runner.expected(runner.commons[runner.first if runner.first in runner.commons else runner.second])
    outer, inner = runner.folder / "outer", runner.folder / "inner"
    outer.write_text(f"-Wall @{inner}\n")
    for option in (10000, 20000):
        inner.write_text(f"-DOPTION={option}\n")
        runner.check(expected + option, f"option {option} in a response file", CXX=f"g++ @{outer}")


def damage(path, pick, others):
    """One random edit of a file of the cache."""
    how = pick.randrange(9)
    data = bytearray(path.read_bytes()) if path.is_file() and not path.is_symlink() else bytearray()
    if how < 4 and data:
        for _ in range(pick.choice((1, 1, 4, 100))):
            data[pick.randrange(len(data))] = pick.randrange(256)
    elif how == 4:
        data = data[:pick.randrange(len(data) + 1)]
    elif how == 5:
        data += bytes(pick.randrange(256) for _ in range(pick.randrange(1, 200)))
    elif how == 6:
        data = bytearray(pick.choice(others).read_bytes())
    if path.is_symlink() or path.is_file():
        path.unlink()
    if how == 7 and not path.exists():
        path.symlink_to(pick.choice(others))
    elif how < 7 and not path.is_dir():
        path.write_bytes(data)


def check_edits_of_cache(runner, edits):
    store = runner.folder / "store"
    store.mkdir()
    tool = runner.folder / "storing.sh"
    tool.write_text(STORING.format(store=f"'{store}'"))
    tool.chmod(0o755)
    cache = runner.folder / "cache of edits"
    environment = {"CXX": str(tool), "TESSERA_CACHE": str(cache)}
    expected = runner.expected(runner.commons[runner.first if runner.first in runner.commons else runner.second])
    runner.check(expected, "before the edits", **environment)
    runner.run(wrong=1, **environment)  # lines are kept too
    library = next(cache.glob("pto-*"))
    whole = {path: path.read_bytes() for path in library.rglob("*") if path.is_file()}
    pick = random.Random(11)
    left = edits
    while left > 0:
        files = [p for p in cache.rglob("*") if p.is_file() and not p.is_symlink()]
        own = [p for p in files if library not in p.parents]
        for _ in range(min(4, left)):
            path = pick.choice(own if pick.random() < 0.75 else files)
            damage(path, pick, [p for p in files if p.is_file() and not p.is_symlink()] or [tool])
            left -= 1
        runner.check(expected, f"{edits - left} edits", **environment)
    shutil.rmtree(library)
    for entry in cache.glob("kernel-*"):
        entry.unlink()
    runner.check(expected, "no library, no entry", **environment)
    assert whole == {path: path.read_bytes() for path in whole}, "the headers in the cache are not those of the library"


def check_folders(runner):
    """Where the cache is, and which folders are refused."""
    expected = runner.expected(runner.commons[runner.first if runner.first in runner.commons else runner.second])
    base = runner.folder / "folders"
    base.mkdir()
    tool = {"CXX": str(runner.folder / "storing.sh")}

    def refused(word, **environment):
        done = runner.run(**tool, **environment)
        assert done.returncode == 2 and word in done.stderr, f"{word}: exit {done.returncode}: {done.stderr}"
        assert sum(line.startswith("ascend_platform: ") for line in done.stderr.splitlines()) == 1, done.stderr

    def accepted(folder, **environment):
        runner.check(expected, str(environment), **tool, **environment)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, f"{folder} has mode {oct(folder.stat().st_mode)}"

    none = {"TESSERA_CACHE": "", "XDG_CACHE_HOME": "", "HOME": ""}
    os.umask(0)
    accepted(base / "new", TESSERA_CACHE=str(base / "new"))
    accepted(base / "slash", TESSERA_CACHE=f"{base}/slash/")
    accepted(base / "xdg/tessera", **{**none, "XDG_CACHE_HOME": str(base / "xdg")})
    accepted(base / "home/.cache/tessera", **{**none, "HOME": str(base / "home")})
    (base / "tmp").mkdir(mode=0o700)
    accepted(base / f"tmp/tessera-{os.geteuid()}", **none, TMPDIR=str(base / "tmp"))
    (base / "readable").mkdir(mode=0o755)
    accepted(base / "readable", TESSERA_CACHE=str(base / "readable"))
    os.umask(0o022)
    refused("absolute", TESSERA_CACHE="cache")
    refused("absolute", **{**none, "XDG_CACHE_HOME": "cache"})
    refused("absolute", **{**none, "HOME": "home"})
    (base / "link").symlink_to(base / "new")
    refused("is a link", TESSERA_CACHE=str(base / "link"))
    for mode in (0o777, 0o770, 0o702):
        (base / f"mode{mode}").mkdir()
        (base / f"mode{mode}").chmod(mode)
        refused("can be written by others", TESSERA_CACHE=str(base / f"mode{mode}"))
    (base / "file").write_text("")
    refused("cannot be", TESSERA_CACHE=str(base / "file"))
    refused("cannot be", TESSERA_CACHE=str(base / "file/below"))
    (base / "open").mkdir()
    (base / "open").chmod(0o777)
    refused("everybody can rename", TESSERA_CACHE=str(base / "open/cache"))
    (base / "others").mkdir(mode=0o755)
    (base / "others/tool").write_text("")
    refused("has other files", TESSERA_CACHE=str(base / "others"))
    assert stat.S_IMODE((base / "others").stat().st_mode) == 0o755
    (base / "group").mkdir()
    (base / "group").chmod(0o775)
    (base / "way").symlink_to(base / "home")  # a link on the way that is ours
    accepted(base / "home/cache", TESSERA_CACHE=str(base / "way/cache"))
    if os.geteuid() == 0:
        os.chown(base / "group", 0, 12345)
        refused("a group can rename", TESSERA_CACHE=str(base / "group/cache"))
        for mode in (0o755, 0o1777):
            foreign = base / f"foreign{mode}"
            foreign.mkdir()
            foreign.chmod(mode)
            os.chown(foreign, 12345, 12345)
            refused("belongs to another user", TESSERA_CACHE=str(foreign / "cache"))
            refused("belongs to another user", **{**none, "HOME": str(foreign)})
        os.symlink(base / "home", foreign / "link")
        os.chown(foreign / "link", 12345, 12345, follow_symlinks=False)
        accepted(base / "home/cache", TESSERA_CACHE=str(foreign / "link/cache"))
        (base / "other").mkdir(mode=0o700)
        os.chown(base / "other", 12345, 12345)
        refused("belongs to another user", TESSERA_CACHE=str(base / "other"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(sys.argv[1], pathlib.Path(folder))
        runner.check(runner.expected(3), "the first run")
        check_edits_of_headers(runner, share.count(12, otherwise=5))
        check_lines(runner)
        check_files_of_the_assembler(runner)
        check_edit_while_compiling(runner)
        check_response_files(runner)
        check_edits_of_cache(runner, share.count(500, otherwise=100))
        check_folders(runner)


if __name__ == "__main__":
    main()
