"""Random operations on descriptors in CSL against NumPy.

    random_descriptors.py WSE_PLATFORM PROGRAMS [SEED]

A program has arrays, descriptors of them (constants, variables that move, ones that a function makes), and functions with random
operations in loops and branches. NumPy does the same. Half of the programs keep locals in registers, and the generations take turns.
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIZE = 48
TYPES = {"f32": np.float32, "i16": np.int16, "u32": np.uint32}
ARRAYS = {"a": "f32", "b": "f32", "c": "f32", "n": "i16", "m": "i16", "k": "i16", "w": "u32", "v": "u32"}
OPERATIONS = {
    "f32": ("fadds", "fsubs", "fmuls", "fmaxs", "fmovs", "fnegs", "fmacs", "sum"),
    "i16": ("add16", "sub16", "and16", "xor16", "mov16", "sll16"),
    "u32": ("mov32",),
}
NUMPY = {"fadds": np.add, "fsubs": np.subtract, "fmuls": np.multiply, "fmaxs": np.maximum, "add16": np.add, "sub16": np.subtract,
         "and16": np.bitwise_and, "xor16": np.bitwise_xor, "sll16": lambda a, b: np.left_shift(a, b).astype(np.int16)}


class View:
    """What a descriptor names: an array, where it begins, its stride and its length."""

    def __init__(self, array, offset, stride, length):
        self.array, self.offset, self.stride, self.length = array, offset, stride, length

    def indices(self):
        return self.offset + self.stride * np.arange(self.length)

    def fits(self):
        return self.length > 0 and 0 <= min(self.indices()) and max(self.indices()) < SIZE


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.values = {n: np.array([self.number(t) for _ in range(SIZE)], TYPES[t]) for n, t in ARRAYS.items()}
        self.start = {n: v.copy() for n, v in self.values.items()}
        self.sums = np.zeros(SIZE, np.float32)
        self.declarations, self.views, self.lines = [], {}, []
        for i in range(10):
            self.descriptor(f"d{i}")
        for _ in range(40):
            self.random.choice((self.operation,) * 6 + (self.move, self.branch))(1)

    def number(self, type):
        return self.random.randint(0, 1 << 20) if type == "u32" else self.random.randint(-16, 16)

    def descriptor(self, name):
        while True:
            view = View(self.random.choice(list(ARRAYS)), self.random.randrange(SIZE), self.random.choice((1, 1, 2, 3, -1, -2)),
                        self.random.randint(1, 12))
            if view.fits():
                break
        is_variable = self.random.random() < 0.5
        step = f"{view.stride} * i" if view.stride != 1 else "i"
        access = f".tensor_access = |i|{{{view.length}}} -> {view.array}[{step} + {view.offset}]"
        if self.random.random() < 0.3:
            access = f".base_address = &{view.array}, .extent = {view.length}, .stride = {view.stride}, .offset = {view.offset}"
        self.declarations.append(f"{'var' if is_variable else 'const'} {name} = @get_dsd(mem1d_dsd, .{{ {access} }});")
        self.views[name] = (view, is_variable)

    def line(self, depth, text):
        self.lines.append("  " * depth + text)

    def move(self, depth):
        """Changes a descriptor that is a variable."""
        name = self.random.choice([n for n, (_, v) in self.views.items() if v] or [None])
        if name is None:
            return
        view = self.views[name][0]
        steps, length = self.random.randint(-6, 6), self.random.randint(1, 12)
        kind = self.random.randrange(4)
        type = ARRAYS[view.array]
        if kind == 0:
            new, text = View(view.array, view.offset + steps, view.stride, view.length), f"@increment_dsd_offset({name}, {steps}, {type})"
        elif kind == 1:
            new, text = View(view.array, view.offset, view.stride, length), f"@set_dsd_length({name}, {length})"
        elif kind == 2:
            array = self.random.choice([n for n, t in ARRAYS.items() if t == type])
            new, text = View(array, 0, view.stride, view.length), f"@set_dsd_base_addr({name}, {array})"
        else:
            stride = self.random.choice((1, 2, -1))
            new, text = View(view.array, view.offset, stride, view.length), f"@set_dsd_stride({name}, {stride})"
        if new.fits():
            self.line(depth, f"{name} = {text};")
            self.views[name] = (new, True)

    def branch(self, depth):
        is_taken = self.random.random() < 0.6
        self.line(depth, f"if (flags[{int(is_taken)}] == 1) {{")
        if is_taken:
            self.operation(depth + 1)
            self.move(depth + 1)
        else:
            values, sums, views = {n: v.copy() for n, v in self.values.items()}, self.sums.copy(), dict(self.views)
            self.operation(depth + 1)
            self.move(depth + 1)
            self.values, self.sums, self.views = values, sums, views
        self.line(depth, "}")

    def operand(self, type, length, others):
        """A source of the type with at least that many elements: text and values. Its memory is not that of the destination."""
        fitting = [n for n, (v, _) in self.views.items() if ARRAYS[v.array] == type and v.length == length and v.array not in others]
        if fitting:
            name = self.random.choice(fitting)
            view = self.views[name][0]
            return name, self.values[view.array][view.indices()], True
        return None

    def scalar(self, type):
        if type == "f32" and self.random.random() < 0.5:
            return "scale", np.float32(1.5)
        value = self.number(type)
        return (f"{value}.0" if type == "f32" else str(value)), TYPES[type](value)

    def operation(self, depth):
        target = self.random.choice(list(self.views))
        view = self.views[target][0]
        type = ARRAYS[view.array]
        name = self.random.choice(OPERATIONS[type])
        if name == "sum":
            slot = self.random.randrange(SIZE)
            self.line(depth, f"@fadds(&sums[{slot}], sums[{slot}], {target});")
            for v in self.values[view.array][view.indices()]:
                self.sums[slot] += v
            return
        source = self.operand(type, view.length, {view.array})
        second = self.operand(type, view.length, {view.array})
        if name.endswith(("movs", "mov16", "mov32", "negs")):
            text, values = source[:2] if source else self.scalar(type)
            result = np.full(view.length, -values if name == "fnegs" else values)
            self.line(depth, f"@{name}({target}, {text});")
        elif name == "sll16":
            amount = self.random.randint(0, 7)
            if source is None:
                return
            self.line(depth, f"@sll16({target}, {source[0]}, {amount});")
            result = NUMPY[name](source[1], np.int16(amount))
        elif name == "fmacs":
            if source is None or second is None:
                return
            text, factor = self.scalar(type)
            self.line(depth, f"@fmacs({target}, {source[0]}, {second[0]}, {text});")
            result = (source[1].astype(np.float64) + second[1].astype(np.float64) * float(factor)).astype(np.float32)
        else:
            own = (target, self.values[view.array][view.indices()], True)
            first = self.random.choice([o for o in (source, own) if o])
            other = second or (*self.scalar(type), False)
            if self.random.random() < 0.3 and name not in ("sub16",):
                first, other = other, first
            self.line(depth, f"@{name}({target}, {first[0]}, {other[0]});")
            result = NUMPY[name](first[1], other[1])
        self.values[view.array][view.indices()] = result

    def text(self):
        lines = ["param memcpy_params;", 'const sys = @import_module("<memcpy/memcpy>", memcpy_params);']
        for name, type in ARRAYS.items():
            lines += [f"var {name} = @zeros([{SIZE}]{type});", f"var {name}_ptr: [*]{type} = &{name};"]
        lines += [f"var sums = @zeros([{SIZE}]f32);", "var sums_ptr: [*]f32 = &sums;", "var flags = [2]u16{ 0, 1 };", "var scale: f32 = 1.5;"]
        lines += [*self.declarations, "fn run() void {", *self.lines, "  sys.unblock_cmd_stream();", "}", "comptime {"]
        lines += [f'  @export_symbol({name}_ptr, "{name}");' for name in (*ARRAYS, "sums")]
        return "\n".join([*lines, "  @export_symbol(run);", "}"]) + "\n"


def layout():
    exports = "\n".join(f'  @export_name("{n}", [*]{t}, true);' for n, t in {**ARRAYS, "sums": "f32"}.items())
    return f"""const memcpy = @import_module("<memcpy/get_params>", .{{ .width = 1, .height = 1 }});
layout {{
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{{ .memcpy_params = memcpy.get_params(0) }});
{exports}
  @export_name("run", fn() void);
}}
"""


def failure(platform, folder, seed):
    """What is wrong with the program of a seed; nothing if all is well."""
    program = Program(seed)
    (folder / "layout.csl").write_text(layout())
    (folder / "pe.csl").write_text(program.text())
    command = [platform, "layout.csl", "--preset", f"wse{2 + seed % 2}", "--launch", "run"]
    for name, values in program.start.items():
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={name}.npy"]
    for name in (*ARRAYS, "sums"):
        command += ["--output", f"{name}={name}.out.npy"]
    if seed // 2 % 2:
        command.append("--csl-locals=registers")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"{done.stdout[-500:]}{done.stderr[-3000:]}"
    for name, wanted in {**program.values, "sums": program.sums}.items():
        found = np.load(folder / f"{name}.out.npy").ravel()
        if not np.array_equal(found, wanted, equal_nan=name in ("a", "b", "c", "sums")):
            return f"{name} differs at {np.flatnonzero(found != wanted).tolist()}:\n{found}\n{wanted}"
    return ""


def main():
    platform, count = str(Path(sys.argv[1]).resolve()), int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
            problem = failure(platform, Path(folder), seed)
            if problem:
                sys.exit(f"seed {seed}: {problem}\n{Program(seed).text()}")
    print(f"{count} programs give what NumPy gives")


if __name__ == "__main__":
    main()
