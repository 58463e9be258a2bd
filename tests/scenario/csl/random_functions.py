"""Random functions in CSL: what the compiler's evaluation at compile time gives, and what the compiled code gives.

    random_functions.py WSE_PLATFORM CASES [SEED]

A program has some functions, the arguments of their calls in variables, and the results of the same calls, computed at compile time,
as data. It counts the results that differ. Half of the programs keep locals in registers, and the generations take turns.
"""
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

FUNCTIONS, CALLS = 8, 125
INTEGERS = {"i16": (16, True), "u16": (16, False), "i32": (32, True), "u32": (32, False)}
TYPES = (*INTEGERS, "f32", "f16", "bool")
PARAMETERS = ("i16", "u16", "i32", "u32", "f32", "bool")


class Function:
    """Text of a random function: locals, branches, loops with bounds, calls of the functions before it."""

    def __init__(self, generator, number, others):
        self.random, self.number, self.others = generator, number, others
        self.names = {f"p{i}": t for i, t in enumerate(PARAMETERS)}
        self.variables, self.count, self.lines = {}, 0, []
        self.result = generator.choice(("i16", "u16", "i32", "u32", "f32"))
        for _ in range(generator.randint(2, 7)):
            self.variable(1)
        self.block(1, generator.randint(3, 7))
        self.line(1, f"return {self.total()};")

    def text(self):
        parameters = ", ".join(f"{n}: {t}" for n, t in zip(self.names_of_parameters(), PARAMETERS))
        return "\n".join([f"fn f{self.number}({parameters}) {self.result} {{", *self.lines, "}"])

    @staticmethod
    def names_of_parameters():
        return [f"p{i}" for i in range(len(PARAMETERS))]

    def line(self, depth, text):
        self.lines.append("  " * depth + text)

    def new_name(self):
        self.count += 1
        return f"v{self.count}"

    def total(self):
        """All variables that still live, so that each assignment counts."""
        parts = [self.expression(self.result, 2)]
        for name, type in self.variables.items():
            is_direct = type == self.result or type in INTEGERS or type == "bool"
            parts.append(name if type == self.result else f"@as({self.result}, {name if is_direct else f'{name} > 1.0'})")
        operator = " ^ " if self.result in INTEGERS else " + "
        return operator.join(parts)

    # Statements

    def block(self, depth, length):
        names, variables = dict(self.names), dict(self.variables)
        for _ in range(length):
            kinds = [self.constant, self.variable, self.variable, self.assignment, self.assignment]
            if depth < 4:
                kinds += [self.branch, self.loop, self.choice, self.early_return]
            self.random.choice(kinds)(depth)
        self.names, self.variables = names, variables

    def constant(self, depth):
        name, type = self.new_name(), self.random.choice(TYPES)
        self.line(depth, f"const {name}: {type} = {self.expression(type, 3)};")
        self.names[name] = type

    def variable(self, depth):
        name, type = self.new_name(), self.random.choice(TYPES)
        self.line(depth, f"var {name}: {type} = {self.expression(type, 2)};")
        self.names[name] = self.variables[name] = type

    def assignment(self, depth):
        if not self.variables:
            return self.variable(depth)
        name, type = self.random.choice(list(self.variables.items()))
        operator = self.random.choice(("+", "-", "") if type != "bool" else ("",))
        return self.line(depth, f"{name} {operator}= {self.expression(type, 3)};")

    def branch(self, depth):
        self.line(depth, f"if ({self.expression('bool', 2)}) {{")
        self.block(depth + 1, self.random.randint(1, 3))
        if self.random.random() < 0.6:
            self.line(depth, "} else {")
            self.block(depth + 1, self.random.randint(1, 3))
        self.line(depth, "}")

    def loop(self, depth):
        name, type = self.new_name(), self.random.choice(tuple(INTEGERS))
        is_range = self.random.random() < 0.5
        if is_range:
            self.line(depth, f"for (@range({type}, {self.random.randint(0, 4)})) |{name}| {{")
        else:
            self.line(depth, f"var {name}: {type} = 0;")
            self.line(depth, f"while ({name} < {self.random.randint(1, 4)}) : ({name} += 1) {{")
        self.names[name] = type
        if self.random.random() < 0.4:
            self.line(depth + 1, f"if ({self.expression('bool', 1)}) {{ {self.random.choice(('break', 'continue'))}; }}")
        self.block(depth + 1, self.random.randint(1, 3))
        self.line(depth, "}")
        if is_range:
            del self.names[name]

    def choice(self, depth):
        self.line(depth, f"switch ({self.expression('u16', 1)} % 4) {{")
        for value in ("0", "1, 3", "else"):
            self.line(depth + 1, f"{value} => {{")
            self.block(depth + 2, self.random.randint(1, 2))
            self.line(depth + 1, "},")
        self.line(depth, "}")

    def early_return(self, depth):
        if self.random.random() < 0.4:
            self.line(depth, f"if ({self.expression('bool', 2)}) {{ return {self.expression(self.result, 2)}; }}")

    # Expressions

    def expression(self, type, depth):
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf(type)
        if self.random.random() < 0.12:
            return f"(if ({self.expression('bool', depth - 1)}) {self.expression(type, depth - 1)} else {self.expression(type, depth - 1)})"
        if type == "bool":
            return self.condition(depth)
        calls = [o for o in self.others if o.result == type]
        if calls and self.random.random() < 0.1:
            arguments = ", ".join(self.expression(t, 1) for t in PARAMETERS)
            return f"f{self.random.choice(calls).number}({arguments})"
        if self.random.random() < 0.2:
            return self.conversion(type, depth)
        left, right = self.expression(type, depth - 1), self.expression(type, depth - 1)
        if type in INTEGERS:
            return self.integer(type, left, right)
        return f"({left} {self.random.choice('+-*')} {right})"

    def integer(self, type, left, right):
        bits = INTEGERS[type][0]
        kind = self.random.randrange(8)
        if kind == 0:
            return f"({left} {self.random.choice(('<<', '>>'))} {self.random.randint(0, bits - 1)})"
        if kind == 1:
            return f"({left} {self.random.choice(('<<', '>>'))} @as(u16, {right} & {bits - 1}))"
        if kind == 2:
            return f"({left} {self.random.choice('/%')} (({right} & 31) + {self.random.randint(1, 40)}))"
        if kind == 3:
            return f"({self.random.choice('~-') if INTEGERS[type][1] else '~'}{left})"
        return f"({left} {self.random.choice('+-*&|^')} {right})"

    def condition(self, depth):
        if self.random.random() < 0.4:
            left, right = self.expression("bool", depth - 1), self.expression("bool", depth - 1)
            return self.random.choice((f"({left} and {right})", f"({left} or {right})", f"(!{left})", f"({left} == {right})"))
        type = self.random.choice(TYPES[:-1])
        operator = self.random.choice(("==", "!=", "<", ">", "<=", ">="))
        return f"({self.expression(type, depth - 1)} {operator} {self.expression(type, depth - 1)})"

    def conversion(self, type, depth):
        sources = [t for t in TYPES if t != type and not (type in INTEGERS and t in ("f32", "f16"))]
        source = self.random.choice(sources)
        if type in ("u32", "i32") and self.random.random() < 0.2:
            return f"@bitcast({type}, {self.expression('f32', depth - 1)})"
        return f"@as({type}, {self.expression(source, depth - 1)})"

    def leaf(self, type):
        names = [n for n, t in self.names.items() if t == type]
        if names and self.random.random() < 0.75:
            return self.random.choice(names)
        return literal(self.random, type)


def literal(generator, type):
    if type == "bool":
        return generator.choice(("true", "false"))
    if type in ("f32", "f16"):
        return f"@as({type}, {generator.choice('- ')}{generator.randint(0, 64) / 8})".replace(" ", "").replace(",", ", ")
    bits, is_signed = INTEGERS[type]
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
    return f"@as({type}, {generator.choice((generator.randint(low, high), generator.randint(0, 9), generator.randint(max(low, -9), 9)))})"


def value(generator, type):
    return literal(generator, type).removeprefix(f"@as({type}, ").removesuffix(")")


def program(generator):
    functions = []
    for i in range(FUNCTIONS):
        functions.append(Function(generator, i, functions[:]))
    lines = ["param memcpy_params;", 'const sys = @import_module("<memcpy/memcpy>", memcpy_params);']
    for i, type in enumerate(PARAMETERS):
        values = ", ".join(value(generator, type) for _ in range(CALLS))
        lines += [f"const c{i} = [{CALLS}]{type}{{ {values} }};", f"var a{i} = c{i};"]
    for f in functions:
        known, given = (", ".join(f"{n}{i}[k]" for i in range(len(PARAMETERS))) for n in "ca")
        lines += [f.text(), f"fn table{f.number}() [{CALLS}]{f.result} {{", f"  var t = @zeros([{CALLS}]{f.result});",
                  f"  for (@range(u16, {CALLS})) |k| {{ t[k] = f{f.number}({known}); }}", "  return t;", "}",
                  f"const e{f.number} = table{f.number}();", f"fn check{f.number}() void {{", f"  for (@range(u16, {CALLS})) |k| {{"]
        differ = "r != e"
        if f.result == "f32":  # the bits of NaN are free
            differ = "@bitcast(u32, r) != @bitcast(u32, e) and (r == r or e == e)"
        lines += [f"    const r = f{f.number}({given});", f"    const e = e{f.number}[k];", f"    if ({differ}) {{",f"      wrong[{f.number}] += 1;", f"      wrong[{FUNCTIONS}] = k;", "    }", "  }", "}"]
    calls = " ".join(f"check{i}();" for i in range(FUNCTIONS))
    lines += [f"var wrong = @zeros([{FUNCTIONS + 2}]u16);", "var wrong_ptr: [*]u16 = &wrong;",
              f"fn run() void {{ {calls} wrong[{FUNCTIONS + 1}] = 1; sys.unblock_cmd_stream(); }}",
              'comptime { @export_symbol(wrong_ptr, "wrong"); @export_symbol(run); }']
    return "\n".join(lines) + "\n"


LAYOUT = """const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("wrong", [*]u16, true);
  @export_name("run", fn() void);
}
"""


def failure(platform, folder, seed):
    """What is wrong with the program of a seed; nothing if all is well."""
    (folder / "layout.csl").write_text(LAYOUT)
    (folder / "pe.csl").write_text(program(random.Random(seed)))
    command = [platform, "layout.csl", "--preset", f"wse{2 + seed % 2}", "--launch", "run", "--output", "wrong=wrong.npy"]
    if seed // 2 % 2:
        command.append("--csl-locals=registers")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        return f"{' '.join(map(str, command))}\n{done.stdout[-500:]}{done.stderr[-3000:]}"
    wrong = np.load(folder / "wrong.npy").ravel()
    return "" if not wrong[:FUNCTIONS].any() and wrong[FUNCTIONS + 1] == 1 else f"wrong results: {wrong.tolist()}"


def main():
    platform, cases = str(Path(sys.argv[1]).resolve()), int(sys.argv[2])
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    count = max(1, cases // (FUNCTIONS * CALLS))
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            problem = failure(platform, Path(folder), seed)
            if problem:
                text = (Path(folder) / "pe.csl").read_text()
                sys.exit(f"seed {seed}: {problem}\n{text}")
    print(f"{count * FUNCTIONS * CALLS} calls of {count * FUNCTIONS} functions give the same at compile time and on the PE")


if __name__ == "__main__":
    main()
