# SPDX-License-Identifier: Apache-2.0
"""The kernel that a schedule stands for: the loop of each core unrolled in the order of its stages, buffers with several slots as several
tiles. Everything else is the text of the package."""
import re

from .wire import need

NAME = re.compile(r"%[\w$.-]+")
HEAD = re.compile(r"\bfunc\.func\b.*@(\w+)", re.S)
LOOP = re.compile(r"^\s*scf\.for\s+(%[\w$.-]+)\s*=.*\{\s*$")
INTEGER_LOOP = re.compile(r":\s*(i\d+)\s*\{\s*$")
RESULTS = re.compile(r"^\s*((?:%[\w$.-]+(?::\d+)?\s*,?\s*)+)=")
TYPE = re.compile(r"!pto\.(?:tile_buf|tensor_view|partition_tensor_view)<[^<>]*>")
OPERATION = re.compile(r"^\s*(?:[^=\"]*=\s*)?\"?((?:pto|arith|scf|func|memref)\.[\w.]+)")


def _unsupported(holds, text):
    need(holds, "UNSUPPORTED", text)


def _without_comments(text):
    return [line for line in (re.sub(r"//.*$", "", line).rstrip() for line in text.splitlines()) if line.strip()]


class Function:
    """A kernel function in parts: head, operations before the loop, the loop's own, those after it."""

    def __init__(self, head, body):
        self.head = head
        self.name = HEAD.search("\n".join(head)).group(1)
        found = [n for n, line in enumerate(body) if LOOP.match(line)]
        _unsupported(len(found) == 1, f"@{self.name} has {len(found)} loops in one line each")
        first = found[0]
        last = next((n for n in range(first, len(body)) if body[n].strip().startswith("}")), None)
        _unsupported(last is not None, f"@{self.name}: the loop has no end")
        self.before, self.after = body[:first], body[last + 1:]
        self.variable = LOOP.match(body[first]).group(1)
        integer = INTEGER_LOOP.search(body[first])
        self.type = integer.group(1) if integer else "index"
        self.loop = _joined(line for line in body[first + 1:last] if not line.strip().startswith("scf.yield"))
        _unsupported(not any(line.rstrip().endswith("{") for line in self.loop), f"@{self.name}: a block inside of the loop")
        self.locals = [m.group(1) for m in (re.match(r"\s*(%[\w$.-]+)\s*=\s*pto\.alloc_tile\b", line) for line in self.before) if m]
        self.known = {}  # lines that have been made: candidates share most
        self.defined = {name.split(":")[0] for line in self.loop if RESULTS.match(line)
                        for name in NAME.findall(RESULTS.match(line).group(1))}

    def lines(self, order, constants, slots, counts):
        """The function with its operations in `order`: [(operation of the loop, iteration)]. `slots`: {(operation, iteration):
        ({name: slot read}, {name: slot written})}, `counts`: {name: tiles}."""
        out = list(self.head)
        for line in self.before:
            out.append(line)
            match = re.match(r"\s*(%[\w$.-]+)\s*=\s*pto\.alloc_tile\b", line)
            for slot in range(1, counts.get(match.group(1), 1) if match else 1):
                out.append(line.replace(match.group(1), f"{match.group(1)}__slot{slot}", 1))
        out += [f"%tessera__i{i} = arith.constant {value} : {self.type}" for i, value in constants.items()]
        for number, iteration in order:
            out.append(self._line(number, iteration, *slots.get((number, iteration), ({}, {}))))
        return out + self.after

    def _line(self, number, iteration, read, written):
        key = (number, iteration, *read.items(), None, *written.items())
        if key not in self.known:
            self.known[key] = self._made(number, iteration, read, written)
        return self.known[key]

    def _made(self, number, iteration, read, written):
        line = self.loop[number]
        at = line.find("outs(")
        parts = [(line, read)] if at < 0 else [(line[:at], read), (line[at:], written)]

        def name(match, places):
            text = match.group(0)
            if text == self.variable:
                return f"%tessera__i{iteration}"
            if text in self.defined:
                return f"{text}__{iteration}"
            return f"{text}__slot{places[text]}" if places.get(text) else text
        return "".join(NAME.sub(lambda m, places=places: name(m, places), part) for part, places in parts)


def _joined(lines):
    """Operations in one line each: a line that begins none belongs to the one before."""
    out = []
    for line in lines:
        if OPERATION.match(line) or not out:
            out.append(line)
        else:
            out[-1] += " " + line.strip()
    return out


def functions(text):
    """({kind: Function}, lines before them, lines after them) of a module with a cube and a vector function."""
    lines, found, n = _without_comments(text), {}, 0
    before, after = [], []
    while n < len(lines):
        if "func.func" not in lines[n]:
            (after if found else before).append(lines[n])
            n += 1
            continue
        head = n
        while n < len(lines) and not lines[n].endswith("{"):
            n += 1
        _unsupported(n < len(lines), "a function has no body")
        start, depth = n + 1, 1
        while depth > 0:
            n += 1
            _unsupported(n < len(lines), "a function has no end")
            stripped = lines[n].strip()
            depth += stripped.endswith("{") - stripped.startswith("}")
        text_of_head = " ".join(lines[head:start])
        kind = re.search(r"kernel_kind\s*=\s*#?\w*\.?(?:pto\.)?kernel_kind<(\w+)>", text_of_head)
        _unsupported(kind is not None and kind.group(1) in ("cube", "vector") and kind.group(1) not in found,
                     "canonical.pto: expected a cube function and a vector function")
        found[kind.group(1)] = Function(lines[head:start], lines[start:n + 1])
        n += 1
    _unsupported(set(found) == {"cube", "vector"}, "canonical.pto: expected a cube function and a vector function")
    return found, before, after


class Kernel:
    """The text of a package, ready to be arranged."""

    def __init__(self, package):
        self.package = package
        self.functions, self.before, self.after = functions(package.text)
        program = package.program
        operations = {op["id"]: op["name"] for op in program["operations"]}
        self.place = {}  # operation id -> (kind, line of the loop)
        for kind, function in self.functions.items():
            ids = [op for task in program["tasks"] if task["core"] == kind for op in task["operation_ids"]]
            _unsupported(len(ids) == len(function.loop), f"@{function.name}: the loop has {len(function.loop)} operations, "
                         f"program.json says {len(ids)}")
            for n, op in enumerate(ids):
                said, there = operations.get(op), OPERATION.match(function.loop[n])
                _unsupported(said is not None and there is not None and there.group(1).startswith(said),
                             f"@{function.name}: program.json says '{said}' where canonical.pto has '{function.loop[n].strip()[:40]}'")
                self.place[op] = (kind, n)
        self.names = self._names(program)
        self.types = {}  # long types -> names of them: they are most of the text, which is read for every candidate
        for function in self.functions.values():
            function.before, function.loop, function.after = ([self._with_short_types(line) for line in lines]
                                                              for lines in (function.before, function.loop, function.after))

    def _with_short_types(self, line):
        return TYPE.sub(lambda match: self.types.setdefault(match.group(0), f"!tessera__t{len(self.types)}"), line)

    def _names(self, program):
        """{buffer id: (kind, name of its tile)}, in the order of the allocations of a function."""
        names = {}
        for kind, function in self.functions.items():
            cores = {"cube": "AIC", "vector": "AIV"}[kind]
            mine = [b["id"] for b in program["buffers"] if b.get("owner") == "local" and
                    (b.get("source_scope") == function.name or
                     b.get("source_scope") is None and any(core.startswith(cores) for core in b.get("physical_instances", ())))]
            if len(mine) == len(function.locals):
                names.update((buffer, (kind, name)) for buffer, name in zip(mine, function.locals))
        return names

    def arranged(self, configuration, schedule):
        """The text of a schedule. Raises Refused."""
        loop = {task["core"]: next(l for l in self.package.program["loops"]) for task in self.package.program["tasks"]}
        counts = {row["buffer_id"]: row["count"] for row in configuration["buffers"]}
        missing = sorted(b for b, n in counts.items() if n > 1 and b not in self.names)
        _unsupported(not missing, f"buffer '{missing[0] if missing else ''}' is not found among the tiles of canonical.pto")
        slots = {"cube": {}, "vector": {}}
        for event in schedule["events"]:
            kind, n = self.place[event["op_id"]]
            read, written = ({self.names[row["buffer_id"]][1]: row["slot"] for row in event[part] if row.get("slot") and row["buffer_id"] in self.names}
                             for part in ("reads", "writes"))
            if read or written:
                slots[kind][n, event["iteration"]] = read, written
        out = [f"{name} = {type_}" for type_, name in self.types.items()] + self.before
        for kind in ("cube", "vector"):
            function = self.functions[kind]
            order = [(self.place[event.rsplit("@", 1)[0]][1], int(event.rsplit("@", 1)[1])) for event in schedule["core_order"][kind]]
            constants = {i: loop[kind]["lower"] + i * loop[kind]["step"] for i in range(self.package.trips)}
            tiles = {name: counts[buffer] for buffer, (k, name) in self.names.items() if k == kind and buffer in counts}
            out += function.lines(order, constants, slots[kind], tiles)
        return "\n".join(out + self.after) + "\n"

