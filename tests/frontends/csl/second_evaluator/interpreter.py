"""Names, expressions and statements at compile time, on demand (csl.md 4)."""
import math
import operator

from syntax import CslError, Node
from values import (BASIC, BOOL, DIRECTIONS, FLOAT, INT, NOTHING, RUNTIME, STRING, TYPE, Cell, Pointer, Type, Value, array_type,
                    common, converted, copied, function_type, pointer_type, rounded, struct_value, wrapped)

COMPARISONS = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge}
SUMS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
BITS = {"&": operator.and_, "|": operator.or_, "^": operator.xor}
FUNCTION, TASK = Type("function", "function"), Type("function", "task")
PREDEFINED = {name: Value(TYPE, type) for name, type in BASIC.items()}
PREDEFINED.update({name: Value(BASIC["direction"], i) for i, name in enumerate(DIRECTIONS)})


class Leave(Exception):
    """return, break or continue"""

    def __init__(self, kind, label, value):
        self.kind, self.label, self.value = kind, label, value


class Instance:
    """A file with the values of its parameters."""

    def __init__(self, path, name, items, bindings):
        self.path, self.name, self.bindings, self.cells, self.active = path, name, bindings, {}, set()
        self.blocks = [item for item in items if item.kind in ("layout", "comptime")]
        self.declared = {item.name: item for item in items if hasattr(item, "name")}


class Interpreter:
    def __init__(self, instance, builtins, depth=0):
        self.instance, self.builtins, self.scopes, self.depth = instance, builtins, [{}], depth

    # Names

    def fail(self, node, text):
        raise CslError(f"{self.instance.path}:{node.line}: {text}")

    def find(self, name, node):
        """The cell of a name, or a value without one."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        found = self.global_cell(name)
        if found is None:
            found = PREDEFINED.get(name)
        if found is None:
            self.fail(node, f"nothing is called {name}")
        return found

    def global_cell(self, name):
        instance = self.instance
        if name in instance.cells:
            return instance.cells[name]
        declared = instance.declared.get(name)
        if declared is None:
            return None
        if name in instance.active:
            self.fail(declared, f"{name} depends on itself")
        instance.active.add(name)
        outer = Interpreter(instance, self.builtins, self.depth)
        instance.cells[name] = Cell(name, outer.global_value(declared), declared.kind == "var")
        instance.active.discard(name)
        return instance.cells[name]

    def global_value(self, declared):
        if declared.kind == "function":
            return Value(TASK if declared.is_task else FUNCTION, (self.instance, declared))
        if declared.kind == "param":
            if declared.name in self.instance.bindings:
                value = self.instance.bindings[declared.name]
            elif declared.value is None:
                self.fail(declared, f"the parameter {declared.name} has no value")
            else:
                value = self.value(declared.value)
            return value if declared.type is None else converted(value, self.type(declared.type), declared.name)
        return self.initial(declared)

    def initial(self, declared):
        if declared.value is None:
            return Value(self.type(declared.type), RUNTIME)
        if declared.value.kind in ("struct", "enum"):
            declared.value.name = declared.name
        value = self.value(declared.value)
        return copied(value if declared.type is None else converted(value, self.type(declared.type), declared.name))

    # Types

    def type(self, node):
        if node.kind == "pointer":
            return pointer_type(node.many, self.type(node.element))
        if node.kind == "array_type":
            return array_type([self.number(e) for e in node.extents], self.type(node.element))
        if node.kind == "function_type":
            return function_type(node.name, [self.type(p) for p in node.params], self.type(node.result))
        value = self.value(node)
        if value.type is not TYPE:
            self.fail(node, "this is no type")
        return value.data

    def number(self, node):
        return self.known(self.value(node), node).data

    def known(self, value, node):
        if value.data is RUNTIME:
            self.fail(node, "the value is known to the running program only")
        return value

    # Expressions

    def value(self, node):
        return getattr(self, "value_" + node.kind)(node)

    def value_int(self, node):
        return Value(INT, node.value)

    value_char = value_int

    def value_float(self, node):
        return Value(FLOAT, node.value)

    def value_string(self, node):
        return Value(STRING, node.value)

    def value_constant(self, node):
        return Value(BASIC["undefined"], RUNTIME) if node.value == "undefined" else Value(BOOL, node.value == "true")

    def value_void(self, _):
        return NOTHING

    def value_pointer(self, node):
        return Value(TYPE, self.type(node))

    value_array_type = value_function_type = value_pointer

    def value_struct(self, node):
        fields = {name: self.type(kind) for name, kind in node.fields}
        return Value(TYPE, Type("struct", node.name or "struct", is_named=True, fields=fields))

    def value_enum(self, node):
        members = {name: self.number(tag) for name, tag in node.members if tag is not None}
        for name, tag in node.members:
            if tag is None:
                members[name] = next(i for i in range(len(node.members) + 1) if i not in members.values())
        tag = self.type(node.tag) if node.tag is not None else INT
        return Value(TYPE, Type("enum", node.name or "enum", members=members, tag=tag))

    def value_name(self, node):
        found = self.find(node.name, node)
        if not isinstance(found, Cell):
            return found
        return Value(found.value.type, RUNTIME) if found.is_late else found.value

    def value_prefix(self, node):
        if node.operator == "&":
            cell, path = self.place(node.value)
            return Value(pointer_type(False, self.element(cell.value, path, node).type), Pointer(cell, path))
        value = self.value(node.value)
        if value.data is RUNTIME:
            return value
        if node.operator == "!":
            return Value(BOOL, not value.data)
        data = ~value.data if node.operator == "~" else -value.data
        return Value(value.type, wrapped(value.type, data))

    def value_binary(self, node):
        left = self.value(node.left)
        if node.operator in ("and", "or"):
            if self.known(left, node.left).data == (node.operator == "or"):
                return left
            return self.value(node.right)
        right = self.value(node.right)
        if node.operator in ("<<", ">>"):
            data = left.data << right.data if node.operator == "<<" else left.data >> right.data
            return Value(left.type, wrapped(left.type, data))
        left, right = common(left, right)
        if RUNTIME in (left.data, right.data):
            return Value(BOOL if node.operator in COMPARISONS else left.type, RUNTIME)
        if node.operator in COMPARISONS:
            return Value(BOOL, COMPARISONS[node.operator](left.data, right.data))
        return Value(left.type, self.calculated(node, left.type, left.data, right.data))

    def calculated(self, node, type, a, b):
        if node.operator in BITS:
            return wrapped(type, BITS[node.operator](a, b))
        if node.operator in SUMS:
            result = SUMS[node.operator](a, b)
        elif b == 0 and type.kind == "float" and node.operator == "/":
            result = math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b)
        elif b == 0:
            self.fail(node, "division by zero")
        elif type.kind == "float":
            result = a / b if node.operator == "/" else math.fmod(a, b)
        else:
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            result = quotient if node.operator == "/" else a - b * quotient
        return rounded(type, result) if type.kind == "float" else wrapped(type, result)

    def value_if(self, node):
        if self.truth(node.condition):
            return self.value(node.then)
        return NOTHING if node.other is None else self.value(node.other)

    def truth(self, node):
        return bool(self.number(node))

    def value_switch(self, node):
        arm = self.arm(node)
        return NOTHING if arm is None else self.value(arm)

    def arm(self, node):
        wanted = self.known(self.value(node.value), node)
        for keys, body in node.arms:
            if keys is None or any(self.is_among(wanted, *key) for key in keys):
                return body
        return None

    def is_among(self, wanted, first, last):
        if first is last:
            return converted(self.value(first), wanted.type).data == wanted.data
        return self.value(first).data <= wanted.data <= self.value(last).data

    def value_block_value(self, node):
        try:
            self.run(node.body)
        except Leave as leave:
            if leave.kind == "break" and leave.label == node.body.label:
                return leave.value
            raise
        return NOTHING

    def value_block(self, node):
        self.run(node)
        return NOTHING

    def value_literal(self, node):
        if node.type is None:
            return struct_value({name or str(i): copied(self.value(v)) for i, (name, v) in enumerate(node.fields)})
        type = self.type(node.type)
        if type.kind == "array":
            return Value(type, [converted(self.value(v), type.element).data for _, v in node.fields])
        fields = {name: self.value(v) for name, v in node.fields}
        return Value(type, {name: converted(fields[name], t, name) for name, t in type.fields.items()})

    def value_member(self, node):
        of = self.value(node.of)
        if of.type.kind == "module":
            cell = Interpreter(of.data, self.builtins, self.depth).global_cell(node.name)
            if cell is None:
                self.fail(node, f"the module has no {node.name}")
            return Value(cell.value.type, RUNTIME) if cell.is_late else cell.value
        if of.type is TYPE and of.data.kind == "enum" and node.name in of.data.members:
            return Value(of.data, of.data.members[node.name])
        if isinstance(of.data, Pointer):
            of = self.element(of.data.cell.value, of.data.path, node)
        if isinstance(of.data, dict) and node.name in of.data:
            return of.data[node.name]
        return self.fail(node, f"there is no member {node.name}")

    def value_index(self, node):
        of = self.value(node.of)
        steps = self.steps(of.type, node)
        if isinstance(of.data, Pointer):
            cell, path = self.pointed(of, steps)
            return Value(of.type.element, RUNTIME) if cell is None or cell.is_late else self.element(cell.value, path, node)
        return self.element(of, steps, node)

    def pointed(self, pointer, steps):
        """What an index of a pointer names: `[*]T` points at an element already."""
        cell, path = pointer.data.cell, pointer.data.path
        return cell, path[:-1] + (path[-1] + steps[0],) if pointer.type.many and path else path + steps

    def value_tensor(self, node):
        """(base, offset, extents, strides) of |i, j|{..} -> array[..]: the strides follow from the places of unit vectors."""
        extents = [self.value(e).data for e in node.extents]
        cell, path = self.place(node.access.of)
        of = self.element(cell.value, path, node)
        base = Pointer(cell, path + (0,))
        if of.type.kind == "pointer":
            base = of.data if of.type.many or of.data is RUNTIME else Pointer(of.data.cell, of.data.path + (0,))
            of = Value(of.type if of.type.many else of.type.element, RUNTIME)

        def at(chosen):
            self.scopes.append({n: Cell(n, Value(INT, int(n == chosen))) for n in node.names})
            place = self.steps(of.type, node.access)[0]
            self.scopes.pop()
            return place
        start = at(None)
        return Value(BASIC["range"], (base, start, extents, [at(n) - start for n in node.names]))

    def steps(self, type, node):
        """The path that the indices of a node stand for: a place in a flat list."""
        indices = [self.number(i) for i in node.indices]
        if type.kind == "struct":
            return (str(indices[0]),)
        at = 0
        for index, extent in zip(indices, getattr(type, "extents", indices)):
            at = at * extent + index
        return (indices[0] if type.kind == "pointer" else at,)

    def element(self, value, path, node):
        for step in path:
            if value.data is RUNTIME:
                return Value(value.type.element, RUNTIME)
            if isinstance(value.data, dict):
                value = value.data[step]
            elif 0 <= step < len(value.data):
                value = Value(value.type.element, value.data[step])
            else:
                self.fail(node, f"the index {step} is outside of the array")
        return value

    def value_dereference(self, node):
        pointer = self.known(self.value(node.of), node)
        if pointer.data.cell is None or pointer.data.cell.is_late:
            return Value(pointer.type.element, RUNTIME)
        return self.element(pointer.data.cell.value, pointer.data.path, node)

    def value_call(self, node):
        function = self.value(node.of)
        if function.type.kind != "function":
            self.fail(node, "this is no function")
        return self.call(function.data, [self.value(a) for a in node.arguments], node)

    def call(self, function, arguments, node):
        instance, declared = function
        if declared.is_task or declared.body is None:
            self.fail(node, f"{declared.name} cannot be called at compile time")
        if len(arguments) != len(declared.params):
            self.fail(node, f"{declared.name} takes {len(declared.params)} arguments")
        inner = Interpreter(instance, self.builtins, self.depth + 1)
        for (name, kind), argument in zip(declared.params, arguments):
            value = copied(converted(argument, inner.type(kind), name))
            inner.scopes[0][name] = Cell(name, value)
        result = inner.type(declared.result)
        try:
            inner.run(declared.body)
        except Leave as leave:
            return converted(leave.value, result, "the result")
        return NOTHING

    def value_builtin(self, node):
        return self.builtins.call(self, node)

    # Statements

    def run(self, node):
        getattr(self, "run_" + node.kind)(node)

    def run_block(self, node):
        self.scopes.append({})
        try:
            for statement in node.statements:
                self.run(statement)
        except Leave as leave:
            if node.label is None or leave.label != node.label:
                raise
        finally:
            self.scopes.pop()

    def run_const(self, node):
        self.scopes[-1][node.name] = Cell(node.name, self.initial(node))

    run_var = run_const

    def run_evaluate(self, node):
        self.value(node.value)

    def run_return(self, node):
        raise Leave("return", None, NOTHING if node.value is None else self.value(node.value))

    def run_break(self, node):
        raise Leave("break", node.label, NOTHING if node.value is None else self.value(node.value))

    def run_continue(self, node):
        raise Leave("continue", node.label, NOTHING)

    def run_if(self, node):
        if self.truth(node.condition):
            self.run(node.then)
        elif node.other is not None:
            self.run(node.other)

    def run_switch(self, node):
        arm = self.arm(node)
        if arm is not None:
            self.run(arm)

    def place(self, node):
        """The cell and the path of what can be assigned to."""
        if node.kind == "name":
            found = self.find(node.name, node)
            return (found if isinstance(found, Cell) else Cell(node.name, found)), ()
        if node.kind == "dereference":
            pointer = self.known(self.value(node.of), node).data
            return pointer.cell, pointer.path
        if node.kind == "member" and self.value(node.of).type.kind == "module":
            module = self.value(node.of).data
            return Interpreter(module, self.builtins, self.depth).place(Node("name", node.line, name=node.name))
        if node.kind in ("member", "index"):
            cell, path = self.place(node.of)
            of = self.element(cell.value, path, node)
            if isinstance(of.data, Pointer) and node.kind == "index":
                return self.pointed(of, self.steps(of.type, node))
            if isinstance(of.data, Pointer):
                cell, path = of.data.cell, of.data.path
            return cell, path + ((node.name,) if node.kind == "member" else self.steps(of.type, node))
        return Cell("", self.value(node)), ()

    def run_assign(self, node):
        value = self.value(node.value)
        if node.target.kind == "name" and node.target.name == "_":
            return
        cell, path = self.place(node.target)
        old = self.element(cell.value, path, node)
        if node.operator:
            value = self.value_binary(Node("binary", node.line, operator=node.operator, left=Node("given", node.line, value=old),
                                           right=Node("given", node.line, value=value)))
        value = copied(converted(value, old.type, "the new value"))
        if not path:
            cell.value = value
            return
        holder = self.element(cell.value, path[:-1], node)
        holder.data[path[-1]] = value if isinstance(holder.data, dict) else value.data

    def value_given(self, node):
        return node.value

    def turn(self, node):
        """One turn of a loop; False if it ends the loop."""
        try:
            self.run(node.body)
        except Leave as leave:
            if leave.kind == "return" or leave.label not in (None, getattr(node, "label", None)):
                raise
            return leave.kind == "continue"
        return True

    def run_while(self, node):
        while self.truth(node.condition) and self.turn(node):
            if node.step is not None:
                self.run(node.step)

    def run_for(self, node):
        values = self.known(self.value(node.values), node)
        if isinstance(values.data, Pointer):
            values = self.element(values.data.cell.value, values.data.path, node)
        if values.type.kind == "range":
            type, *limits = values.data
            items = (Value(type, i) for i in range(*limits))
        elif isinstance(values.data, dict):
            items = iter(values.data.values())
        else:
            items = (Value(values.type.element, v) for v in values.data)
        for index, item in enumerate(items):
            bound = dict(zip(node.names, (item, Value(INT, index))))
            self.scopes.append({name: Cell(name, value) for name, value in bound.items()})
            try:
                if not self.turn(node):
                    return
            finally:
                self.scopes.pop()
