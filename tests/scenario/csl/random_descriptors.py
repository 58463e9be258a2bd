"""Random operations on descriptors in CSL against NumPy.

    random_descriptors.py WSE_PLATFORM PROGRAMS [SEED]

A program has arrays, descriptors of them (constants, variables of the file and of the function, parameters), and random operations in
loops and branches; addresses and lengths change by numbers that only the running program knows. NumPy does the same. Half of the programs
keep locals in registers, and the generations take turns.
"""
import copy
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

SIZE = 48
TYPES = {"f32": np.float32, "i16": np.int16, "u32": np.uint32}
ARRAYS = {"a": "f32", "b": "f32", "c": "f32", "n": "i16", "m": "i16", "k": "i16", "w": "u32", "v": "u32"}
AMOUNTS = list(range(-6, 13))  # the array `amounts` of a program
UNARY = {"f32": ("fmovs", "fnegs", "fabss"), "i16": ("mov16",), "u32": ("mov32",)}
BINARY = {"f32": {"fadds": np.add, "fsubs": np.subtract, "fmuls": np.multiply, "fmaxs": np.maximum},
          "i16": {"add16": np.add, "sub16": np.subtract, "and16": np.bitwise_and, "or16": np.bitwise_or, "xor16": np.bitwise_xor},
          "u32": {}}
FUNCTIONS = """fn added(to: mem1d_dsd, x: mem1d_dsd, y: mem1d_dsd) void { @fadds(to, x, y); }
fn copied(to: mem1d_dsd, from: mem1d_dsd) void {
  var half = @set_dsd_length(from, 1);
  @mov16(to, from);
  @mov16(to, half);
}
"""


class Invalid(Exception):
    """The statement would leave an array, or read what it writes."""


class View:
    """What a descriptor names."""

    def __init__(self, array, offset, stride, length):
        self.array, self.offset, self.stride, self.length = array, offset, stride, length

    def indices(self):
        places = self.offset + self.stride * np.arange(self.length)
        if self.length < 1 or places.min() < 0 or places.max() >= SIZE:
            raise Invalid
        return places


class State:
    def __init__(self, generator):
        self.values = {n: np.array([number(generator, t) for _ in range(SIZE)], TYPES[t]) for n, t in ARRAYS.items()}
        self.values["sums"] = np.zeros(SIZE, np.float32)
        self.views = {}

    def read(self, name):
        return self.values[self.views[name].array][self.views[name].indices()]

    def source(self, operand, target):
        """Values of an operand: the name of a descriptor, or a number. It is the target itself, or in another array."""
        if not isinstance(operand, str):
            return operand
        view, to = self.views[operand], self.views[target]
        is_same = vars(view) == vars(to)
        if view.length != to.length or (view.array == to.array and not is_same):
            raise Invalid
        return self.read(operand)

    def write(self, name, result):
        view = self.views[name]
        self.values[view.array][view.indices()] = result


def number(generator, type):
    return generator.randint(0, 1 << 20) if type == "u32" else generator.randint(-16, 16)


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.state, self.globals, self.lines, self.types, self.variables = State(self.random), [], [], {}, []
        self.start = copy.deepcopy(self.state.values)
        for i in range(7):
            self.globals.append(self.descriptor(f"d{i}", self.random.random() < 0.6))
        for i in range(4):
            self.lines.append("  " + self.descriptor(f"l{i}", True))
        for _ in range(45):
            self.statement()

    def descriptor(self, name, is_variable):
        while True:
            view = View(self.random.choice(list(ARRAYS)), self.random.randrange(SIZE), self.random.choice((1, 1, 1, 2, 3, -1, -2)),
                        self.random.choice((1, 3, 4, 4, 8)))
            try:
                view.indices()
                break
            except Invalid:
                continue
        step = f"{view.stride} * i" if view.stride != 1 else "i"
        access = f".tensor_access = |i|{{{view.length}}} -> {view.array}[{step} + {view.offset}]"
        if self.random.random() < 0.3:
            access = f".base_address = &{view.array}, .extent = {view.length}, .stride = {view.stride}, .offset = {view.offset}"
        self.state.views[name], self.types[name] = view, ARRAYS[view.array]
        if is_variable:
            self.variables.append(name)
        return f"{'var' if is_variable else 'const'} {name} = @get_dsd(mem1d_dsd, .{{ {access} }});"

    # Statements: lines of text, and a function that does the same with a state

    def statement(self):
        for _ in range(20):
            lines, action = self.compound() if self.random.random() < 0.25 else self.simple()
            state = copy.deepcopy(self.state)
            try:
                action(state)
            except Invalid:
                continue
            self.state = state
            self.lines += ["  " + line for line in lines]
            return

    def compound(self):
        parts = [self.simple() for _ in range(self.random.randint(1, 3))]
        body = ["  " + line for lines, _ in parts for line in lines]

        def once(state):
            for _, action in parts:
                action(state)
        if self.random.random() < 0.5:
            is_taken = self.random.random() < 0.6
            return [f"if (flags[{int(is_taken)}] == 1) {{", *body, "}"], once if is_taken else (lambda state: None)
        count = self.random.randint(1, 3)
        limit = f"{count}" if self.random.random() < 0.5 else f"@as(u16, {self.amount(count)})"
        return [f"for (@range(u16, {limit})) |_| {{", *body, "}"], lambda state: [once(state) for _ in range(count)]

    def simple(self):
        return self.random.choice((self.unary, self.binary, self.binary, self.multiply_add, self.sum, self.call, self.move, self.move))()

    def target(self, *types):
        return self.random.choice([n for n, t in self.types.items() if not types or t in types] or list(self.types))

    def operand(self, type, target):
        if self.random.random() < 0.2:
            return TYPES[type](number(self.random, type))
        return self.random.choice([target, *(n for n, t in self.types.items() if t == type)])

    def text(self, operand):
        if isinstance(operand, str):
            return operand
        if isinstance(operand, np.float32):
            return f"numbers[{int(operand) + 16}]" if self.random.random() < 0.5 else f"{int(operand)}.0"
        return str(int(operand))

    def amount(self, value):
        return f"amounts[{AMOUNTS.index(value)}]" if self.random.random() < 0.6 else str(value)

    def unary(self):
        target = self.target()
        type = self.types[target]
        name, source = self.random.choice(UNARY[type]), self.operand(type, target)
        function = {"fnegs": np.negative, "fabss": np.abs}.get(name, lambda v: v)
        return [f"@{name}({target}, {self.text(source)});"], lambda s: s.write(target, function(s.source(source, target)))

    def binary(self):
        target = self.target("f32", "i16")
        type = self.types[target]
        if not BINARY[type]:
            return self.unary()
        name, function = self.random.choice(list(BINARY[type].items()))
        first, second = self.operand(type, target), self.operand(type, target)
        if not isinstance(first, str) and (not isinstance(second, str) or name in ("sub16", "or16", "and16", "xor16")):
            first = target
        return ([f"@{name}({target}, {self.text(first)}, {self.text(second)});"],
                lambda s: s.write(target, function(s.source(first, target), s.source(second, target))))

    def multiply_add(self):
        target = self.target("f32")
        if self.types[target] != "f32":
            return self.unary()
        names = [target, *(n for n, t in self.types.items() if t == "f32")]
        first, second, factor = self.random.choice(names), self.random.choice(names), np.float32(self.random.randint(-4, 4))

        def action(state):
            a, b = (state.source(n, target).astype(np.float64) for n in (first, second))
            state.write(target, (a + b * float(factor)).astype(np.float32))
        return [f"@fmacs({target}, {first}, {second}, {self.text(factor)});"], action

    def sum(self):
        source, slot = self.target("f32"), self.random.randrange(SIZE)
        if self.types[source] != "f32":
            return self.unary()

        def action(state):
            for value in state.read(source):
                state.values["sums"][slot] += value
        return [f"@fadds(&sums[{slot}], sums[{slot}], {source});"], action

    def call(self):
        type = self.random.choice(("f32", "i16"))
        names = [n for n, t in self.types.items() if t == type]
        if not names:
            return self.unary()
        to, x, y = (self.random.choice(names) for _ in range(3))
        if type == "f32":
            return [f"added({to}, {x}, {y});"], lambda s: s.write(to, s.source(x, to) + s.source(y, to))

        def action(state):
            values = state.source(x, to)
            state.write(to, values)
            view = state.views[to]  # the length is that of the source: one element
            state.values[view.array][view.offset] = values[0]
        return [f"copied({to}, {x});"], action

    def move(self):
        """Changes a descriptor that is a variable."""
        if not self.variables:
            return self.unary()
        name = self.random.choice(self.variables)
        source = self.random.choice([name, name, *(n for n, t in self.types.items() if t == self.types[name])])
        steps, length, stride = self.random.randint(-6, 6), self.random.choice((1, 3, 4, 4, 8)), self.random.choice((1, 2, -1))
        array = self.random.choice([n for n, t in ARRAYS.items() if t == self.types[name]])
        kinds = ((f"@increment_dsd_offset({source}, {self.amount(steps)}, {self.types[name]})", lambda v: setattr(v, "offset", v.offset + steps)),
                 (f"@set_dsd_length({source}, @as(u16, {self.amount(length)}))", lambda v: setattr(v, "length", length)),
                 (f"@set_dsd_stride({source}, {stride})", lambda v: setattr(v, "stride", stride)),
                 (f"@set_dsd_base_addr({source}, {array})", lambda v: (setattr(v, "array", array), setattr(v, "offset", 0))),
                 (source, lambda v: None))
        text, change = self.random.choice(kinds)

        def action(state):
            state.views[name] = copy.copy(state.views[source])
            change(state.views[name])
            state.views[name].indices()
        return [f"{name} = {text};"], action

    def program_text(self):
        lines = ["param memcpy_params;", 'const sys = @import_module("<memcpy/memcpy>", memcpy_params);', FUNCTIONS]
        for name, type in {**ARRAYS, "sums": "f32"}.items():
            lines += [f"var {name} = @zeros([{SIZE}]{type});", f"var {name}_ptr: [*]{type} = &{name};"]
        lines += ["var flags = [2]u16{ 0, 1 };", f"var amounts = [{len(AMOUNTS)}]i16{{ {', '.join(map(str, AMOUNTS))} }};",
                  f"var numbers = [33]f32{{ {', '.join(f'{i}.0' for i in range(-16, 17))} }};"]
        lines += [*self.globals, "fn run() void {", *self.lines, "  sys.unblock_cmd_stream();", "}", "comptime {"]
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
    (folder / "pe.csl").write_text(program.program_text())
    # A branch that is not taken may have a descriptor that leaves its array.
    command = [platform, "layout.csl", "--preset", f"wse{2 + seed % 2}", "--launch", "run", "--allow-dsd-overrun"]
    for name, values in program.start.items():
        np.save(folder / f"{name}.npy", values)
        command += ["--input", f"{name}={name}.npy", "--output", f"{name}={name}.out.npy"]
    command.append("--csl-code=" + ("vendor", "best", "plain")[seed // 2 % 3])
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return f"{done.stdout[-500:]}{done.stderr[-3000:]}"
    for name, wanted in program.state.values.items():
        found = np.load(folder / f"{name}.out.npy").ravel()
        if not np.array_equal(found, wanted, equal_nan=ARRAYS.get(name, "f32") == "f32"):
            return f"{name} differs at {np.flatnonzero(found != wanted).tolist()}:\n{found}\n{wanted}"
    return ""


def main():
    platform, count = str(Path(sys.argv[1]).resolve()), int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder, np.errstate(all="ignore"):
            problem = failure(platform, Path(folder), seed)
            if problem:
                sys.exit(f"seed {seed}: {problem}\n{Program(seed).program_text()}")
    print(f"{count} programs give what NumPy gives")


if __name__ == "__main__":
    main()
