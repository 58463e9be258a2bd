"""examples/ascend/kernels against NumPy: every kernel on each profile that it is legal on.

For each kernel and profile: seeded inputs, one run with data whose outputs are compared with a reference in
float64, hazards are errors; one run with --no-data, which must take the same cycles in the same order. On a profile
that a kernel is not for, the error has to name the operation and its line. Last, broken copies of kernels: the
comparison has to notice.

Tolerances: integers are equal. Otherwise |got - expected| <= rtol * |expected| + atol, by the type of the output (below),
unless a kernel says what its own rounding costs.
"""
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

TOLERANCE = {"f32": (1e-5, 1e-6), "f16": (1e-3, 1e-4), "bf16": (2.0**-7, 1e-4)}  # two roundings at most
BOTH = ("a2a3", "a5")


def to_bf16(values):
    """float32 to the upper 16 bits, nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def as_f64(array):
    return (from_bf16(array) if array.dtype == np.uint16 else array).astype(np.float64)


class Case:
    """A kernel with one set of sizes."""

    def __init__(self, file, inputs, reference, clusters=1, blocks=0, profiles=BOTH, refused=None, tolerance=None, bf16=(), loads=(),
                 **params):
        self.file, self.inputs, self.reference = file, inputs, reference
        # Blocks of a kernel for vector cores only: two a cluster.
        sets = [f"launch.clusters={(blocks + 1) // 2}", f"launch.blocks={blocks}"] if blocks else [f"launch.clusters={clusters}"]
        self.launch = [word for key in sets for word in ("--set", key)]
        self.params, self.profiles = params, profiles
        self.refused = refused  # text of the line that the other profile does not take, and a word of the error
        self.tolerance = tolerance
        self.bf16 = bf16  # outputs in bf16
        self.loads = loads  # inputs that scalar loads read: also with --no-data


# --- inputs ---


def f32(*shape):
    return lambda rng: rng.uniform(-1, 1, shape).astype(np.float32)


def f16(*shape, scale=1.0):
    return lambda rng: (scale * rng.uniform(-1, 1, shape)).astype(np.float16)


def bf16(*shape, scale=1.0):
    return lambda rng: to_bf16(scale * rng.uniform(-1, 1, shape))


def i8(*shape):
    return lambda rng: rng.integers(-127, 128, shape).astype(np.int8)


def tenths(*shape):
    """Many equal numbers."""
    return lambda rng: np.round(rng.uniform(-40, 40, shape), 1).astype(np.float32)
def values(*numbers):
    return lambda rng: np.array(numbers, np.int32)


def zeros(dtype, *shape):
    return lambda rng: np.zeros(shape, dtype)


# --- references, in float64 ---


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(a):
    x = a["x"]
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * a["gamma"] + a["beta"]


def rms_norm(a):
    return a["x"] / np.sqrt((a["x"] ** 2).mean(1, keepdims=True) + 1e-6) * a["gamma"]


def quantize(a):
    x = a["x"].astype(np.float32)
    scale = np.abs(x).max(1, keepdims=True) / np.float32(127)
    return {"q": np.rint(x / scale).astype(np.int8), "scale": scale}


def fake_quantize(a):
    x = a["x"].astype(np.float32)
    top = np.abs(x).max(1, keepdims=True)
    q = np.clip(np.rint(x * (np.float32(127) / top)), -128, 127)
    return {"q": q.astype(np.int8), "y": q * (top / np.float32(127))}


def top_k(a):
    order = np.argsort(-a["x"], axis=1, kind="stable")[:, :64]
    return {"top": np.take_along_axis(a["x"], order, 1), "at": order.astype(np.int32)}


def rope(a):
    u, v = a["x"][:, :64], a["x"][:, 64:]
    return np.concatenate([u * a["cos"] - v * a["sin"], v * a["cos"] + u * a["sin"]], 1)


def attention(a):
    q, k, v = a["q"], a["k"], a["v"]
    return np.concatenate([softmax(q[h] @ k[h].T / 8) @ v[h] for h in range(len(q))])


def gqa(a, tokens):
    return np.stack([softmax(q @ k[:tokens].T / 8) @ v[:tokens] for q, k, v in zip(a["q"], a["k"], a["v"])])


def ffn(a):
    h = a["x"] @ a["w1"]
    return (h / (1 + np.exp(-1.702 * h))) @ a["w2"]


def weights(a):
    return (a["w"].astype(np.float32) * a["scale"].astype(np.float32)).astype(np.float16).astype(np.float64)


def relaxed(a, rounds):
    x = a["x"]
    for _ in range(rounds):
        x = x / 2 + a["b"]
    return x


def segment_sums(a):
    first, last = a["offsets"][:-1].astype(int), a["offsets"][1:].astype(int)
    rows = np.zeros((len(first), 16), np.int32)
    rows[:, 0] = last - first
    return {"y": np.stack([a["x"][f:l].sum(0) for f, l in zip(first, last)]), "rows": rows}


def powers(a, log):
    x = a["a"]
    for _ in range(log):
        x = x.astype(np.float16).astype(np.float64) @ x.astype(np.float16).astype(np.float64)
    return {"p": x}


CASES = [
    Case("axpy", {"x": f32(10000), "y": f32(10000)}, lambda a: 2.5 * a["x"] + a["y"], clusters=3, ALPHA=2.5, N=10000),
    Case("gelu", {"x": f16(96, 512, scale=4)}, lambda a: gelu(a["x"]), clusters=2, ROWS=96),
    Case("softmax", {"x": f32(40, 1000)}, lambda a: softmax(a["x"]), blocks=3, ROWS=40, COLS=1000),
    Case("rms_norm", {"x": bf16(32, 1280), "gamma": f32(1280)},
         rms_norm, blocks=2, bf16=("y",), HIDDEN=1280, EACH=0.00078125),
    Case("layer_norm", {"x": f32(48, 256), "gamma": f32(256), "beta": f32(256)}, layer_norm, clusters=2,
         tolerance=(1e-5, 1e-5), ROWS=48),
    Case("column_stats", {"x": f32(160, 384)}, lambda a: {"total": a["x"].sum(0), "top": a["x"].max(0)}, clusters=2,
         tolerance=(1e-5, 1e-5), ROWS=160, COLS=384),
    Case("transpose", {"x": f32(5, 128, 96)}, lambda a: a["x"].transpose(0, 2, 1), clusters=2, BATCH=5, ROWS=128, COLS=96),
    Case("tree_sum", {"x": f32(7, 4096)}, lambda a: a["x"].sum(1), clusters=2, tolerance=(1e-5, 1e-4), ROWS=7, N=4096),
    Case("tail_tiles", {"a": f32(117, 256), "b": f32(117, 256)}, lambda a: np.maximum(a["a"] - a["b"], 0), clusters=4,
         ROWS=117),
    Case("relaxation", {"x": f32(80, 128), "b": f32(80, 128)}, lambda a: -relaxed(a, 5), clusters=2, ROWS=80, ROUNDS=5,
         NEGATE=1),
    Case("quantize", {"x": f32(40, 256)}, quantize, clusters=2, ROWS=40),
    Case("dequantize", {"q": i8(80, 256), "scale": f32(80)}, lambda a: a["q"] * a["scale"][:, None], clusters=2, bf16=("y",),
         ROWS=80),
    Case("fake_quantize", {"x": f32(40, 256)}, fake_quantize, clusters=2, ROWS=40),
    Case("top_k", {"x": tenths(5, 2048)}, top_k, clusters=2, ROWS=5),
    Case("lookup", {"x": i8(24, 512), "table": f32(256)}, lambda a: a["table"][a["x"].astype(int) + 128], clusters=2, ROWS=24),
    Case("rope", {"x": f32(96, 128), "cos": f32(96, 64), "sin": f32(96, 64)}, rope, clusters=2, ROWS=96),
    Case("double_buffer", {"a": f32(80, 512), "b": f32(80, 512)}, lambda a: a["a"] * a["b"] + 1, blocks=2, TILES=5),
    Case("locks_a5", {"a": f16(10, 4096), "b": f16(10, 4096)}, lambda a: a["a"] + a["b"], blocks=2, profiles=("a5",),
         refused=("pto.get_buf[", "get_buf"), TILES=5),
    Case("barriers_a2a3", {"a": f32(48, 512), "b": f32(48, 512)}, lambda a: np.hypot(a["a"], a["b"]), clusters=2,
         profiles=("a2a3",), refused=("pto.barrier_sync <TVEC>", "pto.barrier_sync"), ROWS=48),
    Case("global_norm", {"x": f32(64, 512)}, lambda a: a["x"] / np.linalg.norm(a["x"]), clusters=2),
    Case("segment_sums", {"x": f32(37, 64), "offsets": values(0, 3, 3, 10, 11, 30, 37), "rows": zeros(np.int32, 6, 16)},
         segment_sums, clusters=2, tolerance=(1e-5, 1e-5), loads=("offsets",), SEGMENTS=6),
    Case("matmul", {"a": f16(128, 256), "b": f16(256, 384)}, lambda a: a["a"] @ a["b"], clusters=2, tolerance=(1e-5, 1e-4),
         M=128, N=384, K=256),
    Case("matmul_flags", {"a": bf16(256, 320), "b": bf16(320, 128)}, lambda a: a["a"] @ a["b"], clusters=2, bf16=("c",),
         tolerance=(2.0**-7, 1e-3), M=256, N=128, K=320),
    Case("matmul_bias", {"a": f32(77, 96), "b": f32(96, 64), "bias": f32(64)}, lambda a: a["a"] @ a["b"] + a["bias"],
         clusters=2, tolerance=(1e-5, 1e-4), ROWS=77),
    Case("matmul_int8", {"a": i8(128, 256), "b": i8(192, 256)}, lambda a: (a["a"] @ a["b"].T).astype(np.int32), clusters=2,
         M=128, N=192, K=256),
    Case("gemv", {"x": f16(384), "b": f16(384, 512)}, lambda a: a["x"] @ a["b"], clusters=3, tolerance=(1e-5, 1e-4),
         K=384, N=512),
    Case("split_k", {"a": f16(64, 1024), "b": f16(1024, 64), "c": f32(64, 64)}, lambda a: a["c"] + a["a"] @ a["b"],
         clusters=4, tolerance=(1e-5, 1e-4), K=1024),
    Case("batch_scores", {"q": bf16(5, 64, 128), "k": bf16(5, 64, 128)},
         lambda a: {"s": a["q"] @ a["k"].transpose(0, 2, 1)}, clusters=2, tolerance=(1e-5, 1e-4), BATCH=5),
    # The products are rounded to f16 on the way back, so an output may be off by what that makes of an ulp of f32.
    Case("matrix_power", {"a": f16(5, 32, 32, scale=0.3)}, lambda a: powers(a, 3), clusters=2, tolerance=(2e-3, 1e-4),
         BATCH=5, LOG=3),
    Case("linear_relu", {"x": f16(384, 64), "w": f16(64, 64)}, lambda a: np.maximum(a["x"] @ a["w"], 0), clusters=2,
         tolerance=(1e-5, 1e-4), TILES=3),
    Case("entries_a2a3", {"x": f16(384, 64), "w": f16(64, 64)}, lambda a: a["x"] @ a["w"] / 2, clusters=2, profiles=("a2a3",),
         refused=("pto.talloc_to_aiv", "pto.talloc_to_aiv"), tolerance=(1e-5, 1e-4), TILES=3),
    Case("weight_dequant", {"x": f16(32, 320), "w": i8(320, 384), "scale": f32(384)}, lambda a: a["x"] @ weights(a),
         clusters=2, tolerance=(1e-5, 2e-3), K=320, N=384),
    Case("ring_both_ways", {"x": f16(640, 64), "w": f16(64, 64), "r": f32(640, 64)}, lambda a: a["x"] / 2 @ a["w"] + a["r"],
         clusters=2, tolerance=(1e-5, 1e-4), TILES=5),
    # Probabilities go to the cube in f16 (bf16), so an output may be off by half an ulp of theirs.
    Case("flash_attention", {"q": f16(2, 384, 64, scale=3), "k": f16(2, 384, 64, scale=3), "v": f16(2, 384, 64)},
         lambda a: {"out": attention(a)}, clusters=3, tolerance=(1e-3, 1e-3), SEQ=384, HEADS=2),
    Case("gqa_decode", {"q": bf16(3, 16, 64, scale=2), "k": bf16(3, 256, 64, scale=2), "v": bf16(3, 256, 64)},
         lambda a: {"out": gqa(a, 200)}, clusters=2, tolerance=(2.0**-8, 2.0**-8), SEQ=200, KV_HEADS=3),
    Case("ffn", {"x": f16(256, 128), "w1": f16(128, 128, scale=0.2), "w2": f16(128, 128, scale=0.2)}, ffn, clusters=2,
         tolerance=(2e-3, 2e-3), ROWS=256),
    Case("acc_to_ub_a5", {"x": f16(384, 64), "w": f16(64, 64), "r": f32(384, 64)}, lambda a: a["x"] @ a["w"] + a["r"],
         clusters=2, profiles=("a5",), refused=("pto.tmov ins(%acc : !acc) outs(%slot", "pto.tmov"),
         tolerance=(1e-5, 1e-4), TILES=3),
    Case("cross_core", {"x": f16(384, 64), "w": f16(64, 64)}, lambda a: a["x"] / 4 @ a["w"], clusters=2,
         tolerance=(1e-5, 1e-4), TILES=3),
]

# The same kernels with the smallest sizes, one block, or many.
SIZES = [
    Case("axpy", {"x": f32(1), "y": f32(1)}, lambda a: 2.5 * a["x"] + a["y"], clusters=3, ALPHA=2.5, N=1),
    Case("softmax", {"x": f32(24, 1)}, lambda a: softmax(a["x"]), clusters=36, ROWS=24, COLS=1),
    Case("tree_sum", {"x": f32(1, 64)}, lambda a: a["x"].sum(1), clusters=2, tolerance=(1e-5, 1e-4), ROWS=1, N=64),
    Case("tail_tiles", {"a": f32(1, 256), "b": f32(1, 256)}, lambda a: np.maximum(a["a"] - a["b"], 0), clusters=4, ROWS=1),
    Case("relaxation", {"x": f32(16, 128), "b": f32(16, 128)}, lambda a: relaxed(a, 4), ROWS=16, ROUNDS=4, NEGATE=0),
    Case("matmul_bias", {"a": f32(1, 96), "b": f32(96, 64), "bias": f32(64)}, lambda a: a["a"] @ a["b"] + a["bias"],
         clusters=2, tolerance=(1e-5, 1e-4), ROWS=1),
    Case("linear_relu", {"x": f16(36 * 64, 64), "w": f16(64, 64)}, lambda a: np.maximum(a["x"] @ a["w"], 0), clusters=36,
         tolerance=(1e-5, 1e-4), TILES=1),
    Case("flash_attention", {"q": f16(1, 128, 64), "k": f16(1, 128, 64), "v": f16(1, 128, 64)},
         lambda a: {"out": attention(a)}, clusters=5, tolerance=(1e-3, 1e-3), SEQ=128, HEADS=1),
    Case("gqa_decode", {"q": bf16(1, 16, 64), "k": bf16(1, 256, 64), "v": bf16(1, 256, 64)},
         lambda a: {"out": gqa(a, 1)}, tolerance=(2.0**-8, 2.0**-8), SEQ=1, KV_HEADS=1),
    Case("global_norm", {"x": f32(16, 512)}, lambda a: a["x"] / np.linalg.norm(a["x"])),
]

# Copies that are wrong: not ordered, or another function.
LOADS = "      pto.tload ins(%ap : !part) outs(%at : !tile)\n      pto.tload ins(%bp : !part) outs(%bt : !tile)\n"
LOADED = "      pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %event]\n"
BROKEN = [  # kernel, text, what stands there instead, whether it is a hazard
    ("double_buffer", LOADS + LOADED, LOADED + LOADS, True),  # says that it is loaded before it loads
    ("matmul_flags", "      pto.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]\n", "", True),
    ("top_k", "ins(%a, %b1024", "ins(%a, %b256", False),
    ("segment_sums", "      pto.dcci %mine \"SINGLE_CACHE_LINE\" : !pto.ptr<i32>\n", "", False),
    ("softmax", "pto.trowexpandsub ins(%t, %top", "pto.trowexpandsub ins(%t, %sum", False),
    ("flash_attention", "pto.trowexpandmul ins(%o, %shrink", "pto.trowexpandmul ins(%o, %part", False),
]


class Bench:
    def __init__(self, executable, kernels):
        self.executable, self.kernels = executable, pathlib.Path(kernels)

    def command(self, case, profile, path):
        params = [f"--param={name}={value}" for name, value in case.params.items()]
        return [self.executable, str(path), "--preset", profile, "--quiet", *case.launch, *params]

    def expected(self, case, arrays):
        result = case.reference({name: as_f64(array) for name, array in arrays.items()})
        if isinstance(result, dict):
            return result
        return {"c" if case.file.startswith(("matmul", "split")) else "y": result}

    def arrays(self, case):
        rng = np.random.default_rng(sum(map(ord, case.file)))
        return {name: make(rng) for name, make in case.inputs.items()}

    def run_with_data(self, case, profile, path, hazards="error"):
        """Its report, and what is wrong with its values, or None."""
        arrays = self.arrays(case)
        expected = self.expected(case, arrays)
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            command = self.command(case, profile, path) + [f"--hazards={hazards}", "--report", str(folder / "r.json")]
            for name, array in arrays.items():
                np.save(folder / f"{name}.npy", array)
                command.append(f"--input={name}={folder / name}.npy")
            command += [f"--output={name}={folder / name}_out.npy" for name in expected]
            finished = subprocess.run(command, capture_output=True, text=True)
            if finished.returncode != 0:
                return None, f"exit {finished.returncode}: {finished.stderr.strip()}"
            report = json.loads((folder / "r.json").read_text())
            outputs = {name: np.load(folder / f"{name}_out.npy") for name in expected}
        for name, array in expected.items():
            problem = compare(case, name, outputs[name], array)
            if problem:
                return report, f"{name}: {problem}"
        return report, None

    def check(self, case, profile):
        path = self.kernels / f"{case.file}.pto"
        if profile not in case.profiles:
            return self.check_refusal(case, profile, path)
        report, problem = self.run_with_data(case, profile, path)
        if problem:
            return problem
        if report["diagnoses"]["count"] != 0:
            return f"diagnoses: {report['diagnoses']}"
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "r.json"
            command = self.command(case, profile, path) + ["--no-data", "--report", str(file)]
            for name in case.loads:
                np.save(f"{folder}/{name}.npy", self.arrays(case)[name])
                command.append(f"--input={name}={folder}/{name}.npy")
            finished = subprocess.run(command, capture_output=True, text=True)
            if finished.returncode != 0:
                return f"--no-data: exit {finished.returncode}: {finished.stderr.strip()}"
            bare = json.loads(file.read_text())
        if (bare["cycles"], bare["digest"]) != (report["cycles"], report["digest"]):
            return f"{report['cycles']} cycles with data, {bare['cycles']} with --no-data, or another order"
        return None

    def check_refusal(self, case, profile, path):
        return self.check_error(self.command(case, profile, path), path, *case.refused)

    def check_error(self, command, path, text, word):
        line = 1 + next(i for i, l in enumerate(path.read_text().splitlines()) if text in l)
        finished = subprocess.run(command, capture_output=True, text=True)
        if finished.returncode not in (2, 4):
            return f"exit {finished.returncode}, expected a refusal"
        if f"{path.name}:{line}" not in finished.stderr or word not in finished.stderr:
            return f"expected an error at line {line} that names {word}, found: {finished.stderr.strip()}"
        return None

    def check_broken(self, name, old, new, is_hazard):
        case = next(c for c in CASES if c.file == name)
        text = (self.kernels / f"{name}.pto").read_text()
        assert old in text, (name, old)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{name}.pto"
            path.write_text(text.replace(old, new))
            problem = self.run_with_data(case, "a5", path, hazards="off")[1]
            if not problem or ("wrong" not in problem and "differ" not in problem):
                return f"values of a broken copy: {problem}"
            problem = self.run_with_data(case, "a5", path)[1]
        if is_hazard != problem.startswith("exit 4"):
            return f"hazards of a broken copy: {problem}"
        return None


def compare(case, name, got, expected):
    if got.size != expected.size:
        return f"{got.shape} elements, expected {expected.shape}"
    expected = expected.reshape(got.shape)
    if name in case.bf16:
        if got.dtype != np.uint16:
            return f"elements of {got.dtype}, expected bf16 as uint16"
        kind = "bf16"
    else:
        kind = {"float32": "f32", "float16": "f16"}.get(str(got.dtype))
    if kind is None:
        different = np.flatnonzero(got != expected)
        return f"{different.size} of {got.size} differ" if different.size or got.dtype != expected.dtype else None
    rtol, atol = case.tolerance or TOLERANCE[kind]
    error = np.abs(as_f64(got) - expected)
    wrong = ~(error <= rtol * np.abs(expected) + atol)
    if not wrong.any():
        return None
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    return f"{wrong.sum()} of {got.size} wrong, the first at {at}: {as_f64(got)[at]}, expected {expected[at]}"


def main():
    bench = Bench(*sys.argv[1:3])
    only = sys.argv[3:]
    files = {case.file for case in CASES}
    stored = {path.stem for path in bench.kernels.glob("*.pto")}
    assert files == stored, f"kernels without a case, or cases without a kernel: {files ^ stored}"
    jobs = [(f"{c.file} {c.params} {p}", bench.check, (c, p)) for c in CASES + SIZES for p in BOTH
            if not only or c.file in only]
    jobs += [(f"{b[0]} broken", bench.check_broken, b) for b in BROKEN if not only or b[0] in only]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = [(name, pool.submit(check, *arguments)) for name, check, arguments in jobs]
        for name, result in results:
            problem = result.result()
            failed += problem is not None
            print(f"{name}: {problem or 'as expected'}")
    sys.exit(f"{failed} of {len(jobs)} failed" if failed else 0)


if __name__ == "__main__":
    main()
