"""What layouts and comptime blocks declare (csl.md 5, 7, 8, 10): evaluates a program into the form of
`tessera_cslc --print-layout`."""
import json
from pathlib import Path

from interpreter import Instance, Interpreter
from syntax import CslError, Parser
from values import (BASIC, BOOL, DIRECTIONS, FLOAT, INT, NOTHING, RUNTIME, STRING, TYPE, Cell, Dsd, Pointer, Value, array_type, bitcast, cast,
                    converted, dsd_text, pointer_type, struct_value, text_of)



def plain(value):
    """The numbers behind handles, and the fields of structs by name."""
    return {n: v for n, v in value.data.items()} if isinstance(value.data, dict) else value.data


def as_list(value):
    if isinstance(value.data, dict):
        return list(value.data.values())
    return [Value(value.type.element, v) for v in value.data] if isinstance(value.data, list) else [value]


def deep_key(value):
    data = value.data
    if isinstance(data, list):
        return (value.type.name, tuple(map(repr, data)))
    if isinstance(data, dict):
        return (value.type.name, tuple((n, deep_key(v)) for n, v in data.items()))
    if isinstance(data, Pointer):
        return (value.type.name, id(data.cell), data.path, data.address)
    return (value.type.name, id(data) if not isinstance(data, (int, float, str, bool, type(None), tuple)) else repr(data))


def size_of(type):
    return type.bits // 8 if type.kind == "int" else 4 if type.name == "f32" else 2


def sides(bits):
    return {name: [d for i, d in enumerate(DIRECTIONS) if bits >> shift + i & 1] for name, shift in (("rx", 0), ("tx", 5))}


def directions(value):
    chosen = {d.data for d in as_list(value)}
    return [d for i, d in enumerate(DIRECTIONS) if i in chosen]


def position(value):
    if not isinstance(value.data, dict):
        return {n: d for n, d in sides(value.data).items() if d}
    return {n: directions(v) for n, v in value.data.items() if n in ("rx", "tx")}


def filter_text(value):
    texts = {}
    for name, field in value.data.items():
        if name == "kind":
            texts.update({f"kind.{n}": text_of(v) for n, v in field.data.items()})
        elif name != "fast_mode":
            texts[name] = text_of(field)
    return texts


def color_config(value):
    """csl.md 10"""
    config, found = value.data, {}
    routes = config.get("routes", value)
    if isinstance(routes.data, dict):
        found = {n: directions(routes.data[n]) if n in routes.data else [] for n in ("rx", "tx")}
        found.update({n: True for n in ("color_swap_x", "color_swap_y") if n in routes.data and routes.data[n].data})
    else:
        found = sides(routes.data)
    switches = config["switches"].data if "switches" in config else {n: v for n, v in config.items() if n.startswith("pos")}
    for name in ("pos1", "pos2", "pos3"):
        if name in switches and position(switches[name]):
            found[name] = position(switches[name])
    if "current_switch_pos" in switches and switches["current_switch_pos"].data:
        found["current_switch_pos"] = switches["current_switch_pos"].data
    if "ring_mode" in switches and switches["ring_mode"].data:
        found["ring_mode"] = True
    for name, flag in (switches["pop_mode"].data if "pop_mode" in switches else {}).items():
        if flag.data and name != "no_pop":
            found["pop_mode"] = name
    if "teardown" in config and config["teardown"].data:
        found["teardown"] = True
    if "filter" in config and filter_text(config["filter"]):
        found["filter"] = filter_text(config["filter"])
    return found


def json_value(data, kind=None):
    if isinstance(data, dict):
        return struct_value({key.split(":")[0]: json_value(v, key.split(":")[1]) for key, v in data.items()})
    if isinstance(data, list):
        return struct_value({str(i): json_value(v) for i, v in enumerate(data)})
    if isinstance(data, bool):
        return Value(BOOL, data)
    value = Value({int: INT, float: FLOAT, str: STRING}[type(data)], data)
    return value if kind is None else converted(value, BASIC[kind])


class Program:
    def __init__(self, path, arch, library, params=(), colors=(), fabric=(0, 0), offsets=(0, 0), import_paths=(), half="f16"):
        self.half, self.root = half, Path(path).resolve().parent
        self.arch, self.library, self.import_paths = arch, Path(library), [Path(p) for p in import_paths]
        self.fabric, self.offsets, self.trees, self.fifos = fabric, offsets, {}, 0
        self.size, self.pes, self.exports, self.codes, self.tile = None, {}, [], {}, None
        given = {**{n: Value(INT, v) for n, v in params}, **{n: Value(BASIC["color"], v) for n, v in colors}}
        self.top = self.load(Path(path), {n: v for n, v in given.items()})
        for block in self.top.blocks:
            if block.kind == "layout":
                Interpreter(self.top, self).run(block.body)

    def load(self, path, bindings):
        path = path.resolve()
        if path not in self.trees:
            self.trees[path] = Parser(path.read_text(), path).file()
        return Instance(path, path.name, self.trees[path], bindings)

    def start(self, instance):
        """Runs the comptime blocks of an import or of the code of a PE; its own imports come first."""
        outer = Interpreter(instance, self)
        for name, item in instance.declared.items():
            is_import = item.kind == "const" and getattr(item.value, "name", "") == "@import_module"
            if is_import and item.value.kind == "builtin":
                outer.global_cell(name)
        for block in instance.blocks:
            if block.kind == "comptime":
                outer.run(block.body)

    def find_file(self, name, importer):
        if not name.startswith("<"):
            near = importer.path.parent / name
            return near if near.is_file() else self.root / name
        for folder in [*self.import_paths, self.library]:
            for path in (folder / name[1:-1], folder / (name[1:-1] + ".csl")):
                if path.is_file():
                    return path
        return None

    def call(self, outer, node):
        method = getattr(self, "builtin_" + node.name[1:], None)
        if method is None:
            outer.fail(node, f"{node.name} is not known at compile time")
        if node.name in ("@export_symbol",):
            return method(outer, node) or NOTHING
        arguments = [outer.value(a) for a in node.arguments]
        try:
            return method(outer, *arguments) or NOTHING
        except (TypeError, KeyError, AttributeError) as error:
            return outer.fail(node, f"{node.name}: {error!r}")

    def result(self):
        width, height = self.size
        numbers = {key: i for i, key in enumerate(self.codes)}
        pes = [{"x": x, "y": y, "code": numbers.get(self.pes.get((x, y), {}).get("code"), -1),
                "colors": self.pes.get((x, y), {}).get("colors", {})} for y in range(height) for x in range(width)]
        return {"arch": self.arch, "width": width, "height": height, "exports": self.exports, "codes": list(self.codes.values()),
                "pes": pes}

    # Program

    def builtin_set_rectangle(self, _, width, height):
        if self.size is not None:
            raise CslError("@set_rectangle is called twice")
        self.size = width.data, height.data

    def builtin_set_tile_code(self, outer, x, y, file=None, params=None):
        place = self.pes.setdefault((x.data, y.data), {"colors": {}})
        if "code" in place:
            raise CslError(f"PE ({x.data}, {y.data}) has code already")
        path = outer.instance.path if file is None else self.find_file(file.data, outer.instance)
        bindings = plain(params) if params is not None else {}
        key = (path.resolve(), tuple((n, deep_key(v)) for n, v in bindings.items()))
        place["code"] = key
        if key not in self.codes:
            self.codes[key] = self.tile = {
                "tasks": [], "queues": [], "colors": {}, "exports": [], "start": [], "dsrs": [], "teardown_handlers": {},
                "empty_queue_handlers": {}, "configuration": {}, "file": file.data if file is not None and file.data.startswith("<") else str(path.resolve()),
                "params": text_of(params if params is not None else struct_value({}))}
            self.codes[key]["instance"] = self.load(path, bindings)

    def evaluate_codes(self):
        for code in self.codes.values():
            self.tile = code
            self.start(code.pop("instance"))
        return self.result()

    def builtin_set_color_config(self, _, x, y, color, config):
        colors = self.pes.setdefault((x.data, y.data), {"colors": {}})["colors"]
        if str(color.data) in colors:
            raise CslError(f"color {color.data} of PE ({x.data}, {y.data}) is configured twice")
        colors[str(color.data)] = color_config(config)

    def builtin_set_local_color_config(self, _, color, config):
        self.tile["colors"][str(color.data)] = color_config(config)

    def builtin_tessera_carry_messages(self, _, color):
        self.tile["colors"][str(color.data)] = {"rx": list(DIRECTIONS), "tx": list(DIRECTIONS), "messages": True}

    def builtin_get_rectangle(self, _):
        pairs = {"": self.size or (0, 0), "fabric": self.fabric, "offsets": self.offsets}
        parts = {n: struct_value({"width": Value(BASIC["u16"], w), "height": Value(BASIC["u16"], h)}) for n, (w, h) in pairs.items()}
        return struct_value({**parts.pop("").data, **parts})

    def builtin_export_name(self, _, name, type, mutable=None):
        self.exports.append({"name": name.data, "type": type.data.name, "mutable": bool(mutable and mutable.data)})

    def builtin_export_symbol(self, outer, node):
        symbol, *rest = node.arguments
        name = outer.value(rest[0]).data if rest else symbol.name
        types = [e["type"] for e in self.exports if e["name"] == name]
        if not types:
            outer.fail(node, f"no @export_name has declared {name}")
        value, export = outer.value(symbol), {"name": name, "type": types[0]}
        if value.type.kind == "function":
            export["function"] = value.data[1].name
        else:
            cell, _ = outer.place(symbol)
            export.update(variable=cell.name, value=text_of(cell.value))
        self.tile["exports"].append(export)

    def builtin_import_module(self, outer, path, params=None):
        file = self.find_file(path.data, outer.instance)
        if file is None:  # of another release; nothing of it can be used
            return Value(BASIC["imported_module"], Instance(Path(path.data), path.data, Parser("", path.data).file(), {}))
        instance = self.load(file, plain(params) if params is not None else {})
        if self.tile is not None and "instance" not in self.tile:
            self.start(instance)
        return Value(BASIC["imported_module"], instance)

    def builtin_rpc(self, _, task):
        return NOTHING

    def builtin_is_arch(self, _, name):
        return Value(BOOL, name.data == self.arch)

    def builtin_comptime_assert(self, _, condition, text=None):
        if condition.data is RUNTIME or not condition.data:
            raise CslError(f"the assertion is false: {text.data if text else ''}")

    builtin_assert = builtin_comptime_assert

    def builtin_comptime_print(self, _, *values):
        pass

    def builtin_import_comptime_value(self, outer, type, path):
        return json_value(json.loads((outer.instance.path.parent / path.data).read_text()))

    # Ids, queues, tasks

    def builtin_get_symbol_id(self, _, name):
        return Value(BASIC["u16"], [e["name"] for e in self.exports].index(name.data))

    def builtin_get_int(self, _, value):
        return Value(value.type.tag if value.type.kind == "enum" else BASIC["u16"], value.data)

    def _bind(self, kind, task, id):
        bound = {"kind": kind, "id": id.data, "task": task.data[1].name}
        if bound in self.tile["tasks"]:  # tasks that take turns are bound in any order
            return
        if any(t["id"] == id.data and t["kind"] == kind for t in self.tile["tasks"]):
            raise CslError(f"the id {id.data} has a task already")
        self.tile["tasks"].append(bound)

    def builtin_bind_local_task(self, _, task, id):
        self._bind("local", task, id)

    def builtin_bind_data_task(self, _, task, id):
        self._bind("data", task, id)

    def builtin_bind_control_task(self, _, task, id):
        self._bind("control", task, id)

    def builtin_bind_task(self, _, task, color):
        self._bind("data" if task.data[1].params else "local", task, color)

    def builtin_bind_rotating_tasks(self, _, main, alternative, id, options=None):
        self._bind("data", main, id)  # the alternative has the first id of the queue's table, which is known at the end

    def builtin_initialize_queue(self, _, queue, options=None):
        self.tile["queues"].append({"queue": queue.type.name.split("_")[0], "id": queue.data,
                                    **({n: text_of(v) for n, v in options.data.items()} if options else {})})

    def _start_state(self, action, id):
        self.tile["start"].append({"action": action, "handle": id.type.name, "id": id.data})

    def builtin_activate(self, _, id):
        self._start_state("activate", id)

    def builtin_block(self, _, id):
        self._start_state("block", id)

    def builtin_unblock(self, _, id):
        self._start_state("unblock", id)

    def builtin_set_teardown_handler(self, _, function, color):
        self.tile["teardown_handlers"][str(color.data)] = function.data[1].name

    def builtin_set_empty_queue_handler(self, _, function, queue):
        self.tile["empty_queue_handlers"][str(queue.data)] = function.data[1].name

    def builtin_set_config(self, _, address, word):
        self.tile["configuration"][str(address.data)] = word.data

    builtin_set_config_unchecked = builtin_set_config

    def builtin_set_control_task_table(self, _, options=None):
        given = {name: value.data for name, value in (options.data if options else {}).items()}
        self.tile["control_table"] = {"instructions": 4, "stride": 1, **given}

    def builtin_get_filter_id(self, _, color):
        """The rank among the colors with filters of a PE with this code."""
        code = next(key for key, code in self.codes.items() if code is self.tile)
        place = next(place for place in self.pes.values() if place.get("code") == code)
        colors = {**place["colors"], **self.tile["colors"]}
        filtered = sorted(int(number) for number, config in colors.items() if config.get("filter"))
        return Value(BASIC["u16"], filtered.index(color.data))

    # Descriptors

    def builtin_get_dsr(self, _, kind, id):
        return Value(kind.data, id.data)

    def builtin_get_xdsr(self, _, id):
        return Value(BASIC["xdsr"], id.data)

    def builtin_get_sr(self, _, id):
        return Value(BASIC["sr"], id.data)

    def builtin_allocate_fifo(self, _, buffer, options=None):
        self.fifos += 1
        return Value(BASIC["fifo"], self.fifos - 1)

    def builtin_load_to_dsr(self, _, dsr, dsd, options=None):
        self.tile["dsrs"].append({"dsr": dsr.type.name, "id": dsr.data, "dsd": text_of(dsd),
                                  "options": {n: text_of(v) for n, v in (options.data if options else {}).items()}})

    def builtin_load_to_dsr_xdsr(self, outer, dsr, xdsr, dsd, options=None):
        self.builtin_load_to_dsr(outer, dsr, dsd, options)
        self.tile["dsrs"][-1]["xdsr"] = xdsr.data

    def builtin_load_to_dsr_xdsr_sr(self, outer, dsr, xdsr, strides, dsd, options=None):
        self.builtin_load_to_dsr_xdsr(outer, dsr, xdsr, dsd, options)
        self.tile["dsrs"][-1]["srs"] = [sr.data for sr in as_list(strides)]

    def builtin_get_dsd(self, outer, kind, fields):
        fields, dsd = dict(fields.data), Dsd()
        if "tensor_access" in fields:
            access = fields.pop("tensor_access").data
            dsd.base, dsd.offset, dsd.extents, dsd.strides = access
            dsd.strides = dsd.strides[::-1]  # inner first
            dsd.options = fields
            return Value(kind.data, dsd)
        if "base_address" in fields:
            dsd.base = fields.pop("base_address").data
            dsd.offset = fields.pop("offset", Value(INT, 0)).data
        dsd.extents = [v.data for v in as_list(fields.pop("extent"))]
        if not kind.data.name.startswith("fab"):
            dsd.strides = [v.data for v in as_list(fields.pop("stride", Value(INT, 1)))]
        dsd.options = fields
        return Value(kind.data, dsd)

    def _changed(self, value, **parts):
        old = value.data
        if old is RUNTIME:
            return value
        return Value(value.type, Dsd(**{"base": old.base, "offset": old.offset, "extents": old.extents, "strides": old.strides,
                                        "options": old.options, **parts}))

    def builtin_set_dsd_length(self, _, dsd, length):
        return self._changed(dsd, extents=[length.data])

    def builtin_set_dsd_stride(self, _, dsd, stride):
        return self._changed(dsd, strides=[stride.data])

    def builtin_set_dsd_base_addr(self, _, dsd, base):
        return self._changed(dsd, base=base.data, offset=0)

    def builtin_increment_dsd_offset(self, _, dsd, count, type):
        if dsd.data is RUNTIME:
            return dsd
        cell = dsd.data.base.cell.value.type
        return self._changed(dsd, offset=dsd.data.offset + count.data * size_of(type.data) // size_of(cell.element))

    # Values and types

    def builtin_as(self, _, type, value):
        return cast(type.data, value)

    def builtin_ptrcast(self, _, type, value):
        return Value(type.data, value.data)

    def builtin_bitcast(self, _, type, value):
        return bitcast(type.data, value)

    def builtin_zeros(self, _, type):
        return self.builtin_constants(_, type, Value(INT, 0))

    def builtin_constants(self, _, type, value):
        count = 1
        for extent in type.data.extents:
            count *= extent
        return Value(type.data, [converted(value, type.data.element).data] * count)

    def builtin_range(self, _, type, *limits):
        start, stop, step = (0, limits[0].data, 1) if len(limits) == 1 else (v.data for v in limits)
        return Value(BASIC["range"], (type.data, start, stop, step))

    def builtin_concat_structs(self, _, a, b):
        if all(n.isdigit() for n in [*a.data, *b.data]):
            return struct_value({str(i): v for i, v in enumerate([*a.data.values(), *b.data.values()])})
        if set(a.data) & set(b.data):
            raise CslError("both structs have a field of one name")
        return struct_value({**a.data, **b.data})

    def builtin_type_of(self, _, value):
        return Value(TYPE, value.type)

    def builtin_is_same_type(self, _, a, b):
        return Value(BOOL, a.data is b.data)

    def builtin_is_comptime(self, _, value):
        return Value(BOOL, value.data is not RUNTIME)

    def builtin_has_field(self, _, value, name):
        fields = value.data.fields if value.type is TYPE else value.data
        return Value(BOOL, name.data in fields)

    def builtin_field(self, _, value, name):
        return value.data[name.data]

    def builtin_element_type(self, _, type):
        return Value(TYPE, type.data.element)

    def builtin_element_count(self, _, type):
        return Value(INT, len(self.builtin_zeros(_, type).data))

    def builtin_rank(self, _, type):
        return Value(INT, len(type.data.extents))

    def builtin_dimensions(self, _, type):
        extents = type.data.extents
        return Value(array_type([len(extents)], BASIC["u32"]), list(extents))

    def builtin_fp16(self, _):
        return Value(TYPE, BASIC[self.half])

    def builtin_strcat(self, _, *texts):
        return Value(STRING, "".join(t.data for t in texts))

    def builtin_strlen(self, _, text):
        return Value(INT, len(text.data))


for _name in "color input_queue output_queue local_task_id control_task_id data_task_id ut_id".split():
    setattr(Program, "builtin_get_" + _name,
            lambda self, outer, value, _type=BASIC[_name]: Value(_type, value.data))
