# SPDX-License-Identifier: Apache-2.0
"""Kernels that probe a pipe as PTO text: one kind of instruction, many times (reference ascend.md 4.2 to 4.4)."""
from validation.kernel_text import Text

BITS = {"i4": 4, "i8": 8, "f8E4M3FN": 8, "i16": 16, "f16": 16, "bf16": 16, "i32": 32, "f32": 32}


class Probes:
    """A function with a probe for each name; --param WHAT says which one runs."""
    name, kind = "probes", "cube"
    sizes = ()  # parameters

    def __init__(self, comment):
        self.comment = comment
        self.probes = {}  # name: what writes its body
        self.add_probes()

    def add_probes(self):
        raise NotImplementedError

    def types(self, t):
        raise NotImplementedError

    def arguments(self):
        return [f"%{name}: index" for name in ("WHAT", *self.sizes)]

    def what(self, name):
        return list(self.probes).index(name)

    def begin(self, t, name, arguments, kind):
        t(f"func.func @{name}({', '.join(arguments)}) attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}} {{")
        t.new_function()

    def end(self, t):
        t("return")
        t("}")

    def prepare(self, t):
        """What all probes need."""

    def tile(self, t, name, kind, rows, columns):
        t(f"%{name} = pto.alloc_tile addr = %at0 valid_row = %{rows} valid_col = %{columns} : !{kind}")

    def __str__(self):
        t = Text(self.comment)
        self.types(t)
        t("module {")
        self.begin(t, self.name, self.arguments(), self.kind)
        t.constant(0, 1, *range(len(self.probes)))
        self.prepare(t)
        for number, (name, write) in enumerate(self.probes.items()):
            t(f"%is_{number} = arith.cmpi eq, %WHAT, %c{number} : index  // {name}")
            t(f"scf.if %is_{number} {{")
            write(t)
            t("}")
        self.end(t)
        t("}")
        return str(t)


class CubeProbes(Probes):
    """M, MTE1 and FIX with tiles of M x N and K blocks of 32 bytes; with SERIAL = 1 each waits for the one before."""
    name, sizes = "cube_probes", ("M", "N", "K", "COUNT", "SERIAL")
    MOVES = {"a": ("mat_a", "left_f16", "M", "k16"), "b": ("mat_b", "right_f16", "k16", "N"), "bias": ("row", "bias", "c1", "N")}

    def __init__(self, comment, rows, mads):
        self.rows, self.mads = rows, mads  # rows of L0C with 256 columns; types of MADs
        self.a5 = rows == 256
        self.moved = ("f16", "f32") if self.a5 else ("f16",)  # FIX of A2/A3 moves f32 to GM only
        super().__init__(comment)

    def add_probes(self):
        for element in self.mads:
            self.probes[f"mad {element}"] = lambda t, element=element: self.mad(t, element)
        self.probes["mad f16 with unit flag"] = lambda t: self.mad(t, "f16", ' {accPhase = "partial"}')
        self.probes["load a and b"] = self.load
        self.probes["extract a and b"] = lambda t: self.extract(t, "a", "b")
        for name in self.MOVES:
            self.probes[f"extract {name}"] = lambda t, name=name: self.extract(t, name)
        for element in ("f16", "bf16", "f32"):
            self.probes[f"store {element}"] = lambda t, element=element: self.store(t, element)
        for element in self.moved:
            self.probes[f"move {element} to L1"] = lambda t, element=element: self.move(t, f"out_{element}")
        if self.a5:
            self.probes["move f32 to UB"] = lambda t: self.move(t, "ub", ' {accToVecMode = #pto<acc_to_vec_mode single_mode_vec0>}')
            self.probes["move f32 to both UB"] = lambda t: self.move(t, "ub", ' {accToVecMode = #pto<acc_to_vec_mode dual_mode_split_m>}')

    def arguments(self):
        return [f"%{name}: !pto.ptr<{element}>" for name, element in
                (("x", "f16"), ("y", "f16"), ("out_f16", "f16"), ("out_bf16", "bf16"), ("out_f32", "f32"))] + super().arguments()

    def types(self, t):
        for element in self.mads:
            k = 256 * 8 // BITS[element]
            t(f"!left_{element} = !pto.tile_buf<left, {self.rows}x{k}x{element}, valid=?x?>")
            t(f"!right_{element} = !pto.tile_buf<right, {k}x256x{element}, valid=?x?>")
        t(f"!mat_a = !pto.tile_buf<mat, {self.rows}x128xf16, valid=?x?>")
        t("!mat_b = !pto.tile_buf<mat, 128x256xf16, valid=?x?>")
        t("!mat_bt = !pto.tile_buf<mat, 256x128xf16, valid=?x?>")
        t("!row = !pto.tile_buf<mat, 1x256xf32, valid=?x?>")
        t("!bias = !pto.tile_buf<bias, 1x256xf32, valid=?x?>")
        for element in ("f32", "i32"):
            t(f"!acc_{element} = !pto.tile_buf<acc, {self.rows}x256x{element}, valid=?x?, compact=1>")
        for element in self.moved:
            t(f"!out_{element} = !pto.tile_buf<mat, {self.rows}x256x{element}, valid=?x?>")
        if self.a5:
            t("!ub = !pto.tile_buf<vec, 256x256xf32, valid=?x?>")

    def prepare(self, t):
        t.address(0)
        t("%serial = arith.cmpi eq, %SERIAL, %c1 : index")
        for bits in sorted({16, *(BITS[element] for element in self.mads)}):
            t.constant(256 // bits)
            t.index(f"k{bits}", "muli", "%K", f"%c{256 // bits}")

    def repeat(self, t, pipe, *lines):
        t("scf.for %i = %c0 to %COUNT step %c1 {")
        for line in lines:
            t(line)
        t("scf.if %serial {")
        t(f"pto.barrier <PIPE_{pipe}>")
        t("}")
        t("}")

    def mad(self, t, element, flag=""):
        acc = "acc_i32" if element.startswith("i") else "acc_f32"
        self.tile(t, "left", f"left_{element}", "M", f"k{BITS[element]}")
        self.tile(t, "right", f"right_{element}", f"k{BITS[element]}", "N")
        self.tile(t, "acc", acc, "M", "N")
        self.repeat(t, "M", f"pto.tmatmul ins(%left, %right : !left_{element}, !right_{element}) outs(%acc : !{acc}){flag}")

    def load(self, t):
        """M and N rows, each a part of one of 8192 elements."""
        t.constant(8192)
        part = "!pto.partition_tensor_view<?x?xf16>"
        lines = []
        for tile, array, rows in (("mat_a", "x", "M"), ("mat_bt", "y", "N")):
            self.tile(t, array + "1", tile, rows, "k16")
            t.view(f"{array}_view", array, f"%{rows}", "%c8192", "f16")
            t(f"%{array}_part = pto.partition_view %{array}_view, offsets = [%c0, %c0], sizes = [%{rows}, %k16] : "
              f"!pto.tensor_view<?x?xf16> -> {part}")
            lines.append(f"pto.tload ins(%{array}_part : {part}) outs(%{array}1 : !{tile})")
        self.repeat(t, "MTE2", *lines)

    def extract(self, t, *names):
        lines = []
        for name in names:
            source, target, rows, columns = self.MOVES[name]
            self.tile(t, f"{name}1", source, rows, columns)
            self.tile(t, f"{name}0", target, rows, columns)
            lines.append(f"pto.tmov ins(%{name}1 : !{source}) outs(%{name}0 : !{target})")
        self.repeat(t, "MTE1", *lines)

    def store(self, t, element):
        self.tile(t, "acc", "acc_f32", "M", "N")
        t.view("v", f"out_{element}", "%M", "%N", element)
        part = f"!pto.partition_tensor_view<?x?x{element}>"
        t(f"%p = pto.partition_view %v, offsets = [%c0, %c0], sizes = [%M, %N] : !pto.tensor_view<?x?x{element}> -> {part}")
        self.repeat(t, "FIX", f"pto.tstore ins(%acc : !acc_f32) outs(%p : {part})")

    def move(self, t, kind, mode=""):
        self.tile(t, "acc", "acc_f32", "M", "N")
        self.tile(t, "out", kind, "M", "N")
        self.repeat(t, "FIX", f"pto.tmov ins(%acc : !acc_f32) outs(%out : !{kind}){mode}")


class VectorProbes(Probes):
    """Vector operations on N elements, one after the other."""
    name, kind, sizes = "vector_probes", "vector", ("N", "COUNT")
    TWO = ("tadd", "tmul", "tmax", "tdiv")
    SCALAR = ("tadds", "tmuls", "tmins", "tmaxs", "tlrelu", "tdivs")
    ONE = ("trelu", "tabs", "tneg", "texp", "tlog", "tsqrt", "trsqrt", "trecip")
    # Addresses of sources and result in UB: which banks of A2/A3 they are in (ascend.md 1.3).
    FREE = (0, 33024, 131072)
    CONFLICTS = {"two sources in one group": (0, 32768, 131072), "source and result in one bank": (0, 16640, 49184),
                 "neighbouring block": (0, 32, 131072)}

    def add_probes(self):
        for element in ("f32", "f16"):
            for name in (*self.TWO, *self.SCALAR, *self.ONE):
                self.probes[f"{name} {element}"] = lambda t, name=name, element=element: self.operation(t, name, element, element)
            self.probes[f"trowmax {element}"] = lambda t, element=element: self.row_max(t, element)
        for where, places in self.CONFLICTS.items():
            for name in self.TWO:
                self.probes[f"{name} f32, {where}"] = lambda t, name=name, places=places: self.operation(t, name, "f32", "f32", places)
        self.probes["tcvt f32 to f16"] = lambda t: self.operation(t, "tcvt", "f32", "f16")
        for columns in (64, 128):
            for name, result in self.BY_ROWS.items():
                self.probes[f"{name} f32, {columns} columns"] = lambda t, n=name, r=result, c=columns: self.by_rows(t, n, r, c)

    def types(self, t):
        for element, columns in (("f32", 8192), ("f16", 16384)):
            t(f"!{element} = !pto.tile_buf<vec, 1x{columns}x{element}, valid=1x?>")
            t(f"!rows_{element} = !pto.tile_buf<vec, 64x{columns // 128}x{element}>")
            t(f"!column_{element} = !pto.tile_buf<vec, 64x1x{element}, blayout=col_major>")

    def prepare(self, t):
        t.address(0, 32768, 65536, *self.FREE, *(at for places in self.CONFLICTS.values() for at in places))
        t("%two = arith.constant 2.0 : f32")

    def repeat(self, t, line):
        t("scf.for %i = %c0 to %COUNT step %c1 {")
        t(line)
        t("}")

    def operation(self, t, name, element, result, places=FREE):
        for tile, of, at in zip("abc", (element, element, result), places):
            t(f"%{tile} = pto.alloc_tile addr = %at{at} valid_col = %N : !{of}")
        operands = {True: ("", f"!{element}"), name in self.TWO: (", %b", f"!{element}, !{element}"),
                    name in self.SCALAR: (", %two", f"!{element}, f32")}[True]
        self.repeat(t, f"pto.{name} ins(%a{operands[0]} : {operands[1]}) outs(%c : !{result})")

    # Source and result, as the shapes of by_rows() with the columns of the probe.
    BY_ROWS = {"trowsum": ("rows", "column"), "trowmax": ("rows", "column"), "tcolsum": ("rows", "line"), "trowexpand": ("column", "rows")}

    @staticmethod
    def rows_of(name, columns):
        """64 rows, but A2/A3 reduces 64 x 128 by blocks, in a form of its own (ascend_2.md 3.2)."""
        return 48 if name in ("trowsum", "trowmax") and columns == 128 else 64

    def by_rows(self, t, name, shapes, columns):
        rows = self.rows_of(name, columns)
        kinds = {"rows": f"!pto.tile_buf<vec, {rows}x{columns}xf32>", "line": f"!pto.tile_buf<vec, 1x{columns}xf32>",
                 "column": f"!pto.tile_buf<vec, {rows}x1xf32, blayout=col_major>"}
        source, result = (kinds[shape] for shape in shapes)
        t(f"%a = pto.alloc_tile addr = %at0 : {source}")
        t(f"%c = pto.alloc_tile addr = %at65536 : {result}")
        self.repeat(t, f"pto.{name} ins(%a : {source}) outs(%c : {result})")

    def row_max(self, t, element):
        for tile, of, at in (("a", f"rows_{element}", 0), ("s", f"rows_{element}", 32768), ("c", f"column_{element}", 65536)):
            t(f"%{tile} = pto.alloc_tile addr = %at{at} : !{of}")
        self.repeat(t, f"pto.trowmax ins(%a, %s : !rows_{element}, !rows_{element}) outs(%c : !column_{element})")


# Single operations of ascend.md 4.1: preset, operation, type, rows, columns, columns of the tile, cycles.
OPERATIONS = [
    ("a2a3", "tadd", "i32", 64, 64, 64, 151), ("a2a3", "tadd", "i16", 64, 64, 64, 167), ("a2a3", "tmul", "i16", 64, 64, 64, 168),
    ("a2a3", "tdiv", "f32", 64, 64, 64, 288), ("a2a3", "tdiv", "f16", 64, 64, 64, 304), ("a2a3", "tadds", "f32", 32, 64, 64, 57),
    ("a2a3", "tadds", "f32", 64, 80, 80, 121.9), ("a2a3", "tmuls", "f16", 64, 272, 272, 178.8), ("a2a3", "tdivs", "f32", 32, 64, 64, 205),
    ("a2a3", "tdivs", "f16", 63, 64, 64, 328), ("a2a3", "tabs", "f32", 64, 64, 64, 68), ("a2a3", "tabs", "f16", 16, 256, 256, 36),
    ("a2a3", "texp", "f16", 64, 64, 64, 95), ("a2a3", "tsqrt", "f16", 64, 64, 64, 160), ("a2a3", "trsqrt", "f16", 64, 64, 64, 58),
    ("a2a3", "trowsum", "f16", 64, 128, 128, 495), ("a2a3", "trowmax", "f16", 64, 128, 128, 481),
    ("a2a3", "tcolsum", "f32", 64, 336, 336, 1825.3), ("a2a3", "tcolmax", "f32", 64, 128, 128, 1297),
    ("a2a3", "trowexpand", "f16", 64, 64, 64, 933), ("a2a3", "ttrans", "f32", 128, 128, 128, 501), ("a2a3", "tsel", "f16", 4, 128, 128, 67),
    ("a2a3", "tmov", "f32", 64, 128, 128, 1029), ("a2a3", "tmov", "f32", 63, 125, 128, 1323),
    ("a5", "tadd", "f32", 10, 128, 160, 121), ("a5", "tadd", "f32", 10, 640, 672, 245), ("a5", "tadd", "f32", 20, 640, 672, 450),
    ("a5", "tmins", "f32", 10, 640, 672, 199), ("a5", "tneg", "f32", 20, 640, 672, 351), ("a5", "texp", "f32", 20, 640, 672, 462),
    ("a5", "texp", "f16", 10, 1280, 1344, 463), ("a5", "trsqrt", "f32", 20, 640, 672, 877), ("a5", "tdivs", "f16", 1, 1280, 1280, 104),
]


def operation_name(operation):
    preset, name, element, rows, columns, width, _ = operation
    return f"{name} {element}, {rows} x {columns}" + (f" of {width}" if width > columns else "")


class OperationProbes(Probes):
    """The operations of OPERATIONS, one after the other."""
    name, kind, sizes = "operation_probes", "vector", ("COUNT",)
    TWO = ("tadd", "tmul", "tdiv")
    SCALAR = ("tadds", "tmuls", "tmins", "tdivs")

    def add_probes(self):
        for operation in OPERATIONS:
            self.probes[operation_name(operation)] = lambda t, operation=operation: self.operation(t, *operation[1:-1])

    def types(self, t):
        pass

    @staticmethod
    def step(element, rows, width):
        """From one tile to the next, so that both begin in one group of banks of A2/A3."""
        return -(-rows * width * BITS[element] // 8 // 16384) * 16384

    def prepare(self, t):
        t.address(*sorted({number * self.step(element, rows, width) for _, _, element, rows, _, width, _ in OPERATIONS
                            for number in range(4)}))
        t("%two_f32 = arith.constant 2.0 : f32")
        t("%two_f16 = arith.constant 2.0 : f16")

    def operation(self, t, name, element, rows, columns, width):
        def kind(rows, columns, width, element=element, layout=""):
            valid = f", valid={rows}x{columns}" if width > columns else ""
            return f"!pto.tile_buf<vec, {rows}x{width}x{element}{valid}{layout}>"

        whole = kind(rows, columns, width)
        column = kind(rows, 1, 1, layout=", blayout=col_major")
        source, result = {"trowsum": (whole, column), "trowmax": (whole, column), "trowexpand": (column, whole),
                          "tcolsum": (whole, kind(1, columns, width)), "tcolmax": (whole, kind(1, columns, width))}.get(name, (whole, whole))
        step = self.step(element, rows, width)
        sources = [("a", source, 0)]
        if name in self.TWO or name == "tsel":
            sources.append(("b", source, step))
        if name == "tsel":
            sources.insert(0, ("m", kind(rows, 32, 32, "i8"), 3 * step))
        for tile, of, at in [*sources, ("c", result, step * (1 + len(sources) // 2))]:
            t(f"%{tile} = pto.alloc_tile addr = %at{at} : {of}")
        names, types = [f"%{tile}" for tile, _, _ in sources], [of for _, of, _ in sources]
        if name in self.SCALAR:
            names.append(f"%two_{element}")
            types.append(element)
        t("scf.for %i = %c0 to %COUNT step %c1 {")
        t(f"pto.{name} ins({', '.join(names)} : {', '.join(types)}) outs(%c : {result})")
        t("}")


def idle(t):
    """A function without instructions for the AIC, so that both AIVs of a cluster take part in a launch."""
    t("func.func @idle() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {")
    t("return")
    t("}")


def vector_core(t):
    t.number("block_id", "get_block_idx")
    t.number("blocks", "get_block_num")
    t.number("sub", "get_subblock_idx")
    t.number("subs", "get_subblock_num")
    t.index("of_block", "muli", "%block_id", "%subs")
    t.index("core", "addi", "%of_block", "%sub")
    t.index("cores", "muli", "%blocks", "%subs")


class Copies:
    """Reads of a matrix of f16 in tiles of R x C, row by row of tiles. A core has a band of ROWS rows; BANDS = 1: it reads its own,
    otherwise as many, from the first one on, or from its own if FIRST = 1. The columns come in SLICES, each PASSES times."""
    PARAMS = ("COLUMNS", "ROWS", "BANDS", "FIRST", "R", "C", "SLICES", "PASSES")
    PART = "!pto.partition_tensor_view<?x?xf16>"

    def __init__(self, comment, kind):
        self.comment, self.kind = comment, kind

    def band(self, t):
        """The first row of band %n of this core."""
        t.index("from_own", "addi", "%n", "%core")
        t.index("own", "remsi", "%from_own", "%cores")
        t("%band = arith.select %rotated, %own, %n : index")
        t.index("row0", "muli", "%band", "%ROWS")
        t.index("row1", "addi", "%row0", "%ROWS")

    def copy(self, t):
        t.index("left", "subi", "%COLUMNS", "%x")
        t.index("width", "minsi", "%left", "%C")
        t(f"%part = pto.partition_view %view, offsets = [%y, %x], sizes = [%R, %width] : !pto.tensor_view<?x?xf16> -> {self.PART}")
        t(f"pto.tload ins(%part : {self.PART}) outs(%tile : !tile)")

    def __str__(self):
        t = Text(self.comment)
        location = "vec, 64x1024" if self.kind == "vector" else "mat, 256x1024"
        t(f"!tile = !pto.tile_buf<{location}xf16, valid=?x?>")
        t("module {")
        if self.kind == "vector":
            idle(t)
        arguments = ", ".join(["%x_gm: !pto.ptr<f16>", *[f"%{name}: index" for name in self.PARAMS]])
        t(f"func.func @copies({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<{self.kind}>}} {{")
        t.constant(0, 1)
        if self.kind == "vector":
            vector_core(t)
        else:
            t.number("core", "get_block_idx")
            t.number("cores", "get_block_num")
        t("%tile = pto.alloc_tile valid_row = %R valid_col = %C : !tile")
        t.index("all_rows", "muli", "%ROWS", "%cores")
        t.view("view", "x_gm", "%all_rows", "%COLUMNS", "f16")
        t("%one = arith.cmpi eq, %BANDS, %c1 : index")
        t("%first = arith.cmpi eq, %FIRST, %c1 : index")
        t("%rotated = arith.ori %one, %first : i1")
        t.index("slice", "ceildivsi", "%COLUMNS", "%SLICES")
        t("scf.for %slice0 = %c0 to %COLUMNS step %slice {")
        t.index("behind", "addi", "%slice0", "%slice")
        t.index("slice1", "minsi", "%behind", "%COLUMNS")
        for line in ("%pass = %c0 to %PASSES step %c1", "%n = %c0 to %BANDS step %c1"):
            t(f"scf.for {line} {{")
        self.band(t)
        for line in ("%y = %row0 to %row1 step %R", "%x = %slice0 to %slice1 step %C"):
            t(f"scf.for {line} {{")
        self.copy(t)
        for _ in range(5):
            t("}")
        t("return")
        t("}")
        t("}")
        return str(t)


class Additions:
    """TILES additions of N numbers of f16 on each vector core, with one buffer for each operand; as the pipes need it, in order."""
    NAMES = "xyz"  # one after the other in UB

    def __init__(self, comment):
        self.comment = comment

    def __str__(self):
        t = Text(self.comment)
        part = "!pto.partition_tensor_view<1x?xf16>"
        t("!tile = !pto.tile_buf<vec, 1x21760xf16, valid=1x?>")
        t("module {")
        idle(t)
        arrays = ", ".join(f"%{name}_gm: !pto.ptr<f16>" for name in self.NAMES)
        t(f"func.func @additions({arrays}, %N: index, %TILES: index) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{")
        t.constant(0, 1, 2)
        vector_core(t)
        t.index("first", "muli", "%core", "%TILES")
        t.index("all", "muli", "%cores", "%TILES")
        t.index("bytes", "muli", "%N", "%c2")
        for number, name in enumerate(self.NAMES):
            t.index(f"{name}_at", "muli", "%bytes", f"%c{number}")
            t(f"%{name}_address = arith.index_cast %{name}_at : index to i64")
            t(f"%{name} = pto.alloc_tile addr = %{name}_address valid_col = %N : !tile")
            t.view(f"{name}_view", f"{name}_gm", "%all", "%N", "f16")
        t("scf.for %i = %c0 to %TILES step %c1 {")
        t.index("row", "addi", "%first", "%i")
        for name in self.NAMES:
            t(f"%{name}_part = pto.partition_view %{name}_view, offsets = [%row, %c0], sizes = [%c1, %N] : "
              f"!pto.tensor_view<?x?xf16> -> {part}")
        for name in "xy":
            t(f"pto.tload ins(%{name}_part : {part}) outs(%{name} : !tile)")
        t("pto.tadd ins(%x, %y : !tile, !tile) outs(%z : !tile)")
        t(f"pto.tstore ins(%z : !tile) outs(%z_part : {part})")
        t("}")
        t("return")
        t("}")
        t("}")
        return str(t)


KERNELS = {
    "ascend_micro_cube_a2a3": CubeProbes("""
Probes of M, MTE1, FIX and MTE2 of an AIC of A2/A3 (ascend.md 4.2, 4.4): --param WHAT says which one, COUNT times on tiles of
M x N and K blocks of 32 bytes; with SERIAL = 1 each waits for the one before.""", 128, ("i4", "i8", "f16", "bf16", "f32")),
    "ascend_micro_cube_a5": CubeProbes("""
The probes of ascend_micro_cube_a2a3.pto with the larger L0C and the types of A5.""", 256, ("i8", "f8E4M3FN", "f16", "bf16", "f32")),
    "ascend_micro_vector": VectorProbes("""
Vector operations (ascend.md 4.1, 4.3): --param WHAT says which one, COUNT times on N elements; trowmax on 64 rows."""),
    "ascend_micro_operations": OperationProbes("""
Single operations whose cycles were published (ascend.md 4.1): --param WHAT says which one, COUNT times."""),
    "ascend_micro_add": Additions("""
Additions by whole tiles (ascend.md 4.3, 4.4, vector add 8192 x 8192): TILES of N numbers of f16 on each AIV, one buffer for each
operand. The function of the AIC is empty, so that both AIVs of a cluster take part."""),
    "ascend_micro_copy_ub": Copies("""
GM to UB (ascend.md 4.4, data_copy): a matrix of f16 with COLUMNS columns, ROWS rows for each AIV, in tiles of R x C. The columns
in SLICES, each PASSES times. BANDS = 1: an AIV reads its own rows; otherwise those of so many, from the first one on, or from its
own if FIRST = 1.""", "vector"),
    "ascend_micro_copy_l1": Copies("""
GM to L1 (ascend.md 4.4, data_copy): as ascend_micro_copy_ub.pto, on AICs.""", "cube"),
}
