# SPDX-License-Identifier: Apache-2.0
"""Lines of PTO text."""


class Text:
    """Lines of a kernel, indented."""

    def __init__(self, comment):
        self.lines = [f"// {line}" for line in comment.strip().split("\n")]
        self.depth = 0
        self.known = set()

    def __call__(self, line):
        if line.startswith("}"):
            self.depth -= 1
        self.lines.append("  " * self.depth + line)
        if line.endswith("{"):
            self.depth += 1

    def constant(self, *values):
        for value in values:
            if value not in self.known:
                self.known.add(value)
                self(f"%c{value} = arith.constant {value} : index")

    def address(self, *values):
        """Addresses of tiles are i64."""
        for value in sorted(set(values)):
            self(f"%at{value} = arith.constant {value} : i64")

    def number(self, name, operation):
        """What the core has for itself: its block, how many there are."""
        self(f"%{name}_i64 = pto.{operation} -> i64")
        self(f"%{name} = arith.index_cast %{name}_i64 : i64 to index")

    def new_function(self):
        self.known = set()

    def index(self, name, op, a, b):
        self(f"%{name} = arith.{op} {a}, {b} : index")

    def set(self, source, target, event):
        self(f"pto.set_flag[<PIPE_{source}>, <PIPE_{target}>, <EVENT_ID{event}>]")

    def wait(self, source, target, event):
        self(f"pto.wait_flag[<PIPE_{source}>, <PIPE_{target}>, <EVENT_ID{event}>]")

    def view(self, name, pointer, rows, columns, element):
        self(f"%{name} = pto.make_tensor_view %{pointer}, shape = [{rows}, {columns}], strides = [{columns}, %c1] : "
             f"!pto.tensor_view<?x?x{element}>")

    def part(self, name, view, offsets, sizes, element):
        sizes_text = ", ".join(f"%c{size}" for size in sizes)
        shape = "x".join(str(size) for size in sizes)
        self(f"%{name} = pto.partition_view %{view}, offsets = [{', '.join(offsets)}], sizes = [{sizes_text}] : "
             f"!pto.tensor_view<?x?x{element}> -> !pto.partition_tensor_view<{shape}x{element}>")

    def __str__(self):
        return "\n".join(self.lines) + "\n"
