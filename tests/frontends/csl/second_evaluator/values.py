"""Types, values and conversions of CSL at compile time (csl.md 2 and 3)."""
import math
import struct

from syntax import CslError

RUNTIME = object()  # stands for what only the running program knows


class Type:
    """A type of some kind; types with the same name are one object, but for structs and enums that have a declaration."""
    known = {}

    def __init__(self, kind, name, **parts):
        self.kind, self.name = kind, name
        self.__dict__.update(parts)

    @classmethod
    def make(cls, kind, name, **parts):
        if name not in cls.known:
            cls.known[name] = cls(kind, name, **parts)
        return cls.known[name]


def _simple(kind, names):
    return {name: Type.make(kind, name) for name in names.split()}


BASIC = {
    **{f"{sign}{bits}": Type.make("int", f"{sign}{bits}", bits=bits, signed=sign == "i")
       for sign in "iu" for bits in range(1, 65)},
    **_simple("comptime_int", "comptime_int"),
    **_simple("float", "f16 bf16 cb16 f32 comptime_float"),
    **_simple("bool", "bool"), **_simple("void", "void"), **_simple("string", "comptime_string"), **_simple("type", "type"),
    **_simple("direction", "direction"), **_simple("module", "imported_module"), **_simple("any", "anytype comptime_struct"),
    **_simple("handle", "color local_task_id data_task_id control_task_id input_queue output_queue ut_id"),
    **_simple("dsd", "mem1d_dsd mem4d_dsd circbuf_dsd fabin_dsd fabout_dsd"),
    **_simple("dsr", "dsr_dest dsr_src0 dsr_src1 dsr_fifo_dest dsr_fifo_src1 xdsr sr"),
    **_simple("range", "range"), **_simple("fifo", "fifo"), **_simple("undefined", "undefined"), **_simple("any", "anyopaque"),
}
BOOL, VOID, TYPE = BASIC["bool"], BASIC["void"], BASIC["type"]
INT, FLOAT, STRING = BASIC["comptime_int"], BASIC["comptime_float"], BASIC["comptime_string"]
DIRECTIONS = ("WEST", "EAST", "SOUTH", "NORTH", "RAMP")


class Value:
    __slots__ = ("type", "data")

    def __init__(self, type, data):
        self.type, self.data = type, data


NOTHING = Value(VOID, None)


class Cell:
    """A variable or a constant. `is_late`: its value is known to the running program only."""

    def __init__(self, name, value, is_late=False):
        self.name, self.value, self.is_late = name, value, is_late


class Pointer:
    def __init__(self, cell, path=(), address=0):
        self.cell, self.path, self.address = cell, tuple(path), address


class Dsd:
    def __init__(self, base=None, offset=0, extents=(), strides=(), options=()):
        self.base, self.offset, self.extents, self.strides = base, offset, list(extents), list(strides)
        self.options = dict(options)


def array_type(extents, element):
    return Type.make("array", f"[{', '.join(map(str, extents))}]{element.name}", extents=tuple(extents), element=element)


def pointer_type(many, element):
    return Type.make("pointer", ("[*]" if many else "*") + element.name, many=many, element=element)


def function_type(name, params, result):
    return Type.make("function_type", f"{name}({', '.join(p.name for p in params)}){result.name}", result=result, params=params)


def struct_value(fields, type=None):
    """`fields`: values by name; the names of a tuple are 0, 1 .."""
    name = "struct{" + ", ".join(f"{n}: {v.type.name}" for n, v in fields.items()) + "}"
    return Value(type or Type.make("struct", name, is_named=False), fields)


def is_number(type):
    return type.kind in ("int", "comptime_int", "float")


def copied(value):
    if isinstance(value.data, list):
        return Value(value.type, [copied(v) if isinstance(v, Value) else v for v in value.data])
    if isinstance(value.data, dict):
        return Value(value.type, {n: copied(v) for n, v in value.data.items()})
    return value


def rounded(type, number):
    code = {"f32": "f", "f16": "e"}.get(type.name)
    if code is None or math.isinf(number) or math.isnan(number):
        return number
    try:
        return struct.unpack(code, struct.pack(code, number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)


def wrapped(type, number):
    if type.kind != "int":
        return number
    number &= (1 << type.bits) - 1
    return number - (1 << type.bits) if type.signed and number >> (type.bits - 1) else number


def converted(value, type, what="the value"):
    """The implicit conversions of csl.md 3."""
    if value.type is type or type.kind == "any":
        return value
    data, kind = value.data, value.type.kind
    if data is RUNTIME:
        return Value(type, RUNTIME)
    if kind == "undefined":
        return Value(type, RUNTIME)
    if kind in ("int", "comptime_int"):
        if type.kind in ("int", "comptime_int") and wrapped(type, data) == data:
            return Value(type, data)
        if type.kind == "float":
            return Value(type, rounded(type, float(data)))
    if kind == "float" and type.kind == "float" and value.type.name in ("comptime_float", "f16", "bf16"):
        return Value(type, rounded(type, data))
    if kind == "pointer" and type.kind == "pointer":
        is_decayed = type.many and not value.type.many and value.type.element.kind == "array"
        return Value(type, Pointer(data.cell, data.path + (0,)) if is_decayed else data)
    if kind == "array" and type.kind == "array" and value.type.extents == type.extents:
        return Value(type, [converted(Value(value.type.element, v), type.element).data for v in data])
    if kind == "struct" and type.kind == "array":
        return Value(type, [converted(v, type.element).data for v in data.values()])
    if kind == "struct" and type.kind == "struct":
        if type.is_named and set(data) == set(type.fields):
            return Value(type, {n: converted(data[n], t) for n, t in type.fields.items()})
    if kind in ("function", "function_type") and type.kind == "function_type":
        return value
    if kind == "type" and type.kind == "type":
        return value
    raise CslError(f"{what} of type {value.type.name} is none of type {type.name}")


def cast(type, value):
    """@as"""
    data, kind = value.data, value.type.kind
    if data is RUNTIME:
        return Value(type, RUNTIME)
    if type.kind in ("int", "comptime_int", "enum") and kind in ("int", "comptime_int", "float", "bool", "enum"):
        return Value(type, wrapped(type, int(data)))
    if type.kind == "float" and kind in ("int", "comptime_int", "float", "bool", "enum"):
        return Value(type, rounded(type, float(data)))
    if type.kind == "bool" and is_number(value.type):
        return Value(type, data != 0)
    return converted(value, type)


def common(left, right):
    """Both operands of an operator with one type."""
    if left.type is right.type:
        return left, right
    for first, second, is_swapped in ((left, right, False), (right, left, True)):
        if second.type.kind == "comptime_int" or second.type is FLOAT and first.type.kind == "float":
            pair = first, converted(second, first.type, "the operand")
            return pair[::-1] if is_swapped else pair
    if left.type.kind == right.type.kind == "int":
        for first, second, is_swapped in ((left, right, False), (right, left, True)):
            if second.data is RUNTIME or wrapped(first.type, second.data) == second.data:
                pair = first, converted(second, first.type)
                return pair[::-1] if is_swapped else pair
    if left.type.kind == right.type.kind == "float":
        wide = BASIC["f32"]
        return converted(left, wide), converted(right, wide)
    if left.type.kind == right.type.kind:
        return left, right
    raise CslError(f"operands of types {left.type.name} and {right.type.name}")


def bitcast(type, value):
    codes = {"f32": "f", "f16": "e"}
    if value.data is RUNTIME:
        return Value(type, RUNTIME)
    if type.kind == "pointer":
        return Value(type, Pointer(None, address=value.data))
    width = type.bits if type.kind == "int" else 32 if type.name == "f32" else 16
    size = {8: 1, 16: 2, 32: 4, 64: 8}[width]
    if value.type.kind == "float" and value.type.name in codes:
        raw = struct.pack("<" + codes[value.type.name], value.data)
    else:
        raw = (int(value.data) & ((1 << width) - 1)).to_bytes(size, "little")
    if type.kind == "float":
        return Value(type, struct.unpack("<" + codes[type.name], raw)[0])
    number = int.from_bytes(raw, "little")
    return Value(type, bool(number) if type.kind == "bool" else wrapped(type, number))


# Texts, in the form of `tessera_cslc --print-layout`, but without the numbers of instances.

def number_text(number):
    text = "%.17g" % number
    return text if any(c in text for c in ".eni") else text + ".0"


def pointer_text(pointer):
    if pointer.cell is None:
        return f"address {pointer.address}"
    return "&" + pointer.cell.name + "".join(f"[{i}]" for i in pointer.path)


def dsd_text(type, dsd):
    text = type.name + " {"
    if dsd.base:
        text += f" {pointer_text(dsd.base)} + {dsd.offset}"
    text += "".join(f" extent {e}" for e in dsd.extents) + "".join(f" stride {s}" for s in dsd.strides)
    return text + "".join(f" .{n} = {text_of(v)}" for n, v in dsd.options.items()) + " }"


def elements_text(value):
    fields = isinstance(value.data, dict)
    items = list(value.data.values()) if fields else [Value(value.type.element, v) for v in value.data]
    texts = [text_of(v) for v in items[:16]]
    is_named = value.type.kind == "array" or value.type.is_named
    head = value.type.name + "{" if is_named else ".{"
    if value.type.kind == "array" and len(items) > 1 and all(v.data == items[0].data for v in items):
        return head + texts[0] + " ..}"
    if fields and (value.type.is_named or not all(n.isdigit() for n in value.data)):
        texts = [f".{n} = {t}" for n, t in zip(value.data, texts)]
    return head + ", ".join(texts) + (", ..}" if len(items) > 16 else "}")


def text_of(value):
    data, type = value.data, value.type
    if data is RUNTIME:
        return "undefined"
    if type.kind == "void":
        return "{}"
    if isinstance(data, (list, dict)):
        return elements_text(value)
    if isinstance(data, Pointer):
        return pointer_text(data)
    if isinstance(data, Dsd):
        return dsd_text(type, data)
    if type.kind == "enum":
        return next((f"{type.name}.{n}" for n, v in type.members.items() if v == data), f"{type.name}({data})")
    if type.kind in ("handle", "dsr", "fifo"):
        return f"{type.name} {data}"
    texts = {"bool": lambda: "true" if data else "false", "direction": lambda: DIRECTIONS[data], "type": lambda: data.name,
             "float": lambda: number_text(data), "string": lambda: f'"{data}"', "function": lambda: data[1].name,
             "module": lambda: "module " + data.name}
    return texts.get(type.kind, lambda: str(data))()
