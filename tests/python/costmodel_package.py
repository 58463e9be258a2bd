# SPDX-License-Identifier: Apache-2.0
"""A package of the cost-model exchange as the compiler would export it: two products around a chain of vector operations."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from costmodel import schedule  # noqa: E402
from costmodel.package import Package  # noqa: E402
from costmodel.wire import digest, fingerprint, header, text_of  # noqa: E402

ROWS, COLUMNS = 32, 32
PIPES = (("scores", "c2v", "vector"), ("weights", "v2c", "cube"), ("sums", "c2v", "vector"))


def tile(where, rows, order="row_major", boxes="none_box", fractal=512):
    return (f"!pto.tile_buf<loc={where}, dtype=f32, rows={rows}, cols={COLUMNS}, v_row={rows}, v_col={COLUMNS}, blayout={order}, "
            f"slayout={boxes}, fractal={fractal}, pad=0>")


MAT, LEFT = tile("mat", ROWS, "col_major", "row_major"), tile("left", ROWS, "col_major", "row_major")
RIGHT, ACC = tile("right", ROWS, "row_major", "col_major"), tile("acc", ROWS, "col_major", "row_major", 1024)
VEC, BOXED = tile("vec", ROWS // 2), tile("vec", ROWS // 2, "col_major", "row_major")
SPACES = {"mat": 4096, "left": 4096, "right": 4096, "acc": 4096, "vec": 2048}


class Core:
    """One function: lines of text, and what program.json says of them."""

    def __init__(self, name, kind, instances):
        self.name, self.kind, self.instances = name, kind, instances
        self.before, self.loop, self.operations, self.buffers, self.accesses, self.transactions, self.tasks = [], [], [], [], [], [], []

    def buffer(self, name, type_, space):
        self.before.append(f"%{name} = pto.alloc_tile : {type_}")
        self.buffers.append({"id": f"{self.name}.{name}", "owner": "local", "source_scope": self.name, "multi_buffer_eligible": True,
                             "memory_space": space, "allocation_bytes": SPACES[space], "physical_instances": self.instances})

    def borrowed(self, name):
        self.buffers.append({"id": f"{self.name}.{name}", "owner": "borrowed_entry", "source_scope": self.name, "multi_buffer_eligible": False})

    def stage(self, name):
        self.tasks.append({"id": name, "core": self.kind, "loop_id": f"{self.name}.loop", "operation_ids": []})

    def op(self, name, line, reads=(), writes=(), pipe=None, program_name=None):
        key = f"{self.name}.op{len(self.operations)}"
        self.loop.append(line)
        self.operations.append({"id": key, "name": program_name or name, "operands": [], "results": [], "attributes": {}})
        self.tasks[-1]["operation_ids"].append(key)
        self.accesses += [{"op_id": key, "buffer_id": f"{self.name}.{b}", "access": "read"} for b in reads]
        self.accesses += [{"op_id": key, "buffer_id": f"{self.name}.{b}", "access": "write"} for b in writes]
        if pipe:
            self.transactions.append({"op_id": key, "pipe_id": pipe, "core": self.kind, "action": name[4:].split("_")[0]})


def pipe_lines(core, slots):
    for number, (name, direction, owner) in enumerate(PIPES):
        fifo = f"%{name}_fifo"
        if owner == core.kind:
            space = "vec" if direction == "c2v" else "mat"
            yield (f'{fifo} = pto.reserve_buffer {{name="{name}", size={4096 * slots}, location=#pto.address_space<{space}>, auto=true}} -> i32')
        else:
            peer = "consumer" if core.kind == "cube" else "producer"
            yield f'{fifo} = pto.import_reserved_buffer {{name="{name}", peer_func=@{peer}}} -> i32'
        c2v, v2c = (fifo, "%zero") if direction == "c2v" else ("%zero", fifo)
        yield (f"pto.ai{core.kind[0]}_initialize_pipe {{id={number}, dir_mask={1 if direction == 'c2v' else 2}, slot_size=4096, slot_num={slots}}} "
               f"(c2v_consumer_buf={c2v} : i32, v2c_consumer_buf={v2c} : i32)")


def constants(trips, rows):
    values = {"c0": 0, "c1": 1, "trips": trips, "height": rows, "width": COLUMNS, "all": ROWS * trips}
    return [f"%{name} = arith.constant {value} : index" for name, value in values.items()] + ["%zero = arith.constant 0 : i32"]


def cube(trips, slots):
    core = Core("producer", "cube", ["AIC0"])
    core.before += constants(trips, ROWS) + list(pipe_lines(core, slots))
    for name in "xyz":
        core.before.append(f"%{name}v = pto.make_tensor_view %{name}, shape=[%all,%width], strides=[%width,%c1] : !pto.tensor_view<?x?xf32>")
    for name, type_, space in (("a", MAT, "mat"), ("b", MAT, "mat"), ("left", LEFT, "left"), ("right", RIGHT, "right"), ("acc", ACC, "acc")):
        core.buffer(name, type_, space)
    core.borrowed("w")
    part = f"!pto.partition_tensor_view<{ROWS}x{COLUMNS}xf32>"

    def load(view, to):
        core.op("pto.partition_view", f"%{view}t = pto.partition_view %{view}v, offsets=[%r,%c0], sizes=[%height,%width] : "
                f"!pto.tensor_view<?x?xf32> -> {part}")
        core.op("pto.tload", f"pto.tload ins(%{view}t : {part}) outs(%{to} : {MAT})", writes=(to,))

    def move(source, to, type_):
        core.op("pto.tmov", f"pto.tmov ins(%{source} : {MAT}) outs(%{to} : {type_})", reads=(source,), writes=(to,))

    def product():
        core.op("pto.tmatmul", f"pto.tmatmul ins(%left,%right : {LEFT},{RIGHT}) outs(%acc : {ACC})", reads=("left", "right"), writes=("acc",))

    core.stage("C_QK")
    core.op("arith.muli", "%r = arith.muli %i, %height : index")
    load("x", "a")
    load("y", "b")
    move("a", "left", LEFT)
    move("b", "right", RIGHT)
    product()
    core.op("pto.tpush_to_aiv", f"pto.tpush_to_aiv(%acc : {ACC}) {{id=0,split=1}}", reads=("acc",), pipe="scores", program_name="pto.tpush")
    core.stage("C_PV")
    core.op("pto.tpop_from_aiv", f"%w = pto.tpop_from_aiv {{id=1,split=1}} -> {MAT}", writes=("w",), pipe="weights", program_name="pto.tpop")
    move("w", "left", LEFT)
    load("z", "b")
    move("b", "right", RIGHT)
    product()
    core.op("pto.tfree_from_aiv", "pto.tfree_from_aiv {id=1,split=1}", pipe="weights", program_name="pto.tfree")
    core.op("pto.tpush_to_aiv", f"pto.tpush_to_aiv(%acc : {ACC}) {{id=2,split=1}}", reads=("acc",), pipe="sums", program_name="pto.tpush")
    return core


def vector(trips, slots, chain, crossing, operation):
    core = Core("consumer", "vector", ["AIV0", "AIV1"])
    core.before += constants(trips, ROWS // 2)
    core.before += ["%full = arith.constant 32 : index", "%lane64 = pto.get_subblock_idx", "%lane = arith.index_cast %lane64 : i64 to index",
                    "%first = arith.muli %lane, %height : index"]
    core.before += pipe_lines(core, slots)
    core.before.append("%ov = pto.make_tensor_view %out, shape=[%all,%width], strides=[%width,%c1] : !pto.tensor_view<?x?xf32>")
    for name, type_ in (("p", VEC), ("q", VEC), ("boxed", BOXED), ("o", VEC)):
        core.buffer(name, type_, "vec")
    core.borrowed("s")
    core.borrowed("t")
    part = f"!pto.partition_tensor_view<{ROWS // 2}x{COLUMNS}xf32>"
    core.stage("V_P")
    core.op("pto.tpop_from_aic", f"%s = pto.tpop_from_aic {{id=0,split=1}} -> {VEC}", writes=("s",), pipe="scores", program_name="pto.tpop")
    at = "s"
    for n in range(chain):
        to = "p" if (chain - n) % 2 else "q"
        core.op(operation, f"{operation} ins(%{at} : {VEC}) outs(%{to} : {VEC})", reads=(at,), writes=(to,))
        at = to
    core.op("pto.tfree_from_aic", "pto.tfree_from_aic {id=0,split=1}", pipe="scores", program_name="pto.tfree")
    core.op("pto.tmov", f"pto.tmov ins(%p : {VEC}) outs(%boxed : {BOXED})", reads=("p",), writes=("boxed",))
    core.op("pto.tpush_to_aic", f"pto.tpush_to_aic(%boxed : {BOXED}) {{id=1,split=1}}", reads=("boxed",), pipe="weights", program_name="pto.tpush")
    core.stage("V_O")
    core.op("pto.tpop_from_aic", f"%t = pto.tpop_from_aic {{id=2,split=1}} -> {VEC}", writes=("t",), pipe="sums", program_name="pto.tpop")
    other = "p" if crossing else "t"
    core.op("pto.tadd", f"pto.tadd ins(%t,%{other} : {VEC},{VEC}) outs(%o : {VEC})", reads=("t", other), writes=("o",))
    core.op("pto.tfree_from_aic", "pto.tfree_from_aic {id=2,split=1}", pipe="sums", program_name="pto.tfree")
    core.op("arith.muli", "%r = arith.muli %i, %full : index")
    core.op("arith.addi", "%row = arith.addi %r, %first : index")
    core.op("pto.partition_view", f"%ot = pto.partition_view %ov, offsets=[%row,%c0], sizes=[%height,%width] : !pto.tensor_view<?x?xf32> -> {part}")
    core.op("pto.tstore", f"pto.tstore ins(%o : {VEC}) outs(%ot : {part})", reads=("o",))
    return core


def module(cores):
    lines = ["module {"]
    for core in cores:
        arguments = ", ".join(f"%{name}: !pto.ptr<f32>" for name in (("x", "y", "z") if core.kind == "cube" else ("out",)))
        lines.append(f"func.func @{core.name}({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<{core.kind}>}} {{")
        lines += core.before + ["scf.for %i = %c0 to %trips step %c1 {"] + core.loop + ["}", "return", "}"]
    return "\n".join(lines + ["}"]) + "\n"


def write(folder, trips=4, chain=3, crossing=True, slots=None, operation="pto.tneg"):
    """Writes the package, and returns it as read."""
    slots = slots or max(4, trips)
    cores = [cube(trips, slots), vector(trips, slots, chain, crossing, operation)]
    program = {"pipeline_id": "cv0", "buffers": [], "loops": [], "tasks": [], "operations": [], "memory_accesses": [], "transactions": [],
               "pipes": [{"id": name, "direction": direction, "effective_slot_num": slots, "slot_size_bytes": 4096} for name, direction, _ in PIPES]}
    for core in cores:
        program["loops"].append({"id": f"{core.name}.loop", "induction_value_id": "i", "lower": 0, "upper": trips, "step": 1, "trip_count": trips})
        for key, rows in (("buffers", core.buffers), ("tasks", core.tasks), ("operations", core.operations),
                          ("memory_accesses", core.accesses), ("transactions", core.transactions)):
            program[key] += rows
    shape = {"shape": [ROWS * trips, COLUMNS], "strides": [COLUMNS, 1]}
    bindings = {"arguments": {name: shape for name in ("x", "y", "z", "out")}, "alias_contract": "disjoint"}
    target = {"compiler_budget": {"capacity_bytes": {"mat": 524288, "left": 65536, "right": 65536, "acc": 262144, "vec": 253952},
                                  "alignment_bytes": {"mat": 256, "left": 4096, "right": 4096, "acc": 4096, "vec": 256}}}
    texts = {"canonical.pto": module(cores), "program.json": text_of(program), "runtime_bindings.json": text_of(bindings),
             "target_profile.json": text_of(target)}
    manifest = {**header("package"), "program_fingerprint": fingerprint(program), "bindings_fingerprint": fingerprint(bindings),
                "target_fingerprint": fingerprint(target), "checkpoint_version": 1, "semantics_version": "pto.static_cv.1",
                "producer": {"name": "test", "version": "1"}, "files": {name: digest(text) for name, text in texts.items()}}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {**texts, "manifest.json": text_of(manifest)}.items():
        (folder / name).write_text(text)
    return Package(folder)


def candidate(package, preload, counts=None):
    """A candidate with the fewest slots that its preload takes, or more."""
    configuration = package.configuration(preload, {**schedule.least_slots(package, preload), **(counts or {})})
    plan = schedule.build(package, configuration)
    return {"candidate_id": package.candidate_id(configuration), "identity": package.identity, "configuration": configuration,
            "schedule": plan, "resources": {"unit": "bytes", "per_core": {}}}


def request(package, candidates):
    return {**header("request"), "identity": package.identity, "candidates": candidates, "objective": "latency", "memory_constraint": "hard",
            "execution_mode": "recommendation", "search_budget": {"max_candidates": len(candidates)},
            "baseline_candidate_id": candidates[0]["candidate_id"]}
