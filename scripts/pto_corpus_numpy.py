# SPDX-License-Identifier: Apache-2.0
"""Results of real kernels of the public PTO corpus against NumPy: what pto_corpus.py --check runs.

Each reference is written from what the kernel computes, for the file whose path ends with its name. Inputs have a fixed seed.
A kernel for several blocks runs on as many cores; NumPy is needed.
"""
import subprocess
import tempfile
from pathlib import Path

import numpy as np

BF16_STEP = 2.0**-8  # half an ulp


def to_bf16(values):
    """float32 to its upper 16 bits, nearest even."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def rounded(values):
    """To bf16 and back."""
    return from_bf16(to_bf16(values))


class Kernel:
    """A file of the corpus. `make(rng)` gives the inputs by name of their argument, `expect(inputs)` the outputs: name to values and, where
    not all of the array is written, a mask. Values of bf16 are float32 on both sides; `bf16` names them."""

    def __init__(self, file, make, expect, blocks=1, bf16=(), tolerance=(1e-5, 1e-5), preset="a2a3", ratio="", **params):
        self.file, self.make, self.expect, self.blocks, self.bf16 = file, make, expect, blocks, bf16
        self.tolerance, self.preset, self.ratio, self.params = tolerance, preset, ratio, params

    def check(self, platform, path):
        """'' or what is wrong."""
        inputs = self.make(np.random.default_rng(7))
        expected = self.expect(dict(inputs))
        with tempfile.TemporaryDirectory() as folder:
            command = [str(platform), str(path), "--preset", self.preset, "--quiet"]
            # A block of a kernel for vector cores only is one AIV.
            clusters = (self.blocks + 1) // 2 if "/aiv/" in self.file else self.blocks
            command += ["--set", f"launch.clusters={clusters}", "--set", f"launch.blocks={self.blocks}"]
            command += ["--set", f"launch.ratio={self.ratio}"] if self.ratio else []
            command += [word for name, value in self.params.items() for word in ("--param", f"{name}={value}")]
            for name, values in inputs.items():
                np.save(f"{folder}/{name}.npy", to_bf16(values) if name in self.bf16 else values)
                command += ["--input", f"{name}={folder}/{name}.npy"]
            for name in expected:
                command += ["--output", f"{name}={folder}/{name}.out.npy"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                return f"ended with {done.returncode}: {done.stderr.strip().splitlines()[0] if done.stderr.strip() else ''}"
            return "; ".join(filter(None, (self.compare(name, np.load(f"{folder}/{name}.out.npy"), *what)
                                           for name, what in expected.items())))

    def compare(self, name, got, values, mask=None):
        got = from_bf16(got) if name in self.bf16 else got
        if got.size < values.size:
            return f"{name} has {got.size} elements, expected {values.size}"
        got = got.reshape(-1)[:values.size].reshape(values.shape)
        mask = np.ones(values.shape, bool) if mask is None else mask
        if np.issubdtype(values.dtype, np.integer):
            wrong = (got != values) & mask
        else:
            relative, absolute = self.tolerance
            with np.errstate(invalid="ignore"):
                wrong = ~(np.abs(got.astype(np.float64) - values) <= relative * np.abs(values) + absolute) & mask
        if not wrong.any():
            return ""
        place = tuple(int(n) for n in np.argwhere(wrong)[0])
        return f"{name}{list(place)}: {got[place]}, expected {values[place]} ({int(wrong.sum())} of {int(mask.sum())} differ)"


# --- attention ---

LENGTH, SCALE = 300, 128**-0.5  # length of the context; 1 / sqrt(size of a head)


def attention_rows():
    """(batch, block of the context, first row of its tile) for two batches of each of two cores."""
    return [(batch, block, batch * 256 + block * 16) for batch in range(4) for block in range(2)]


def softmax(a):
    exps, top, total = np.zeros((2048, 256)), np.zeros(1024), np.zeros(1024)
    wide, narrow = np.zeros((2048, 256), bool), np.zeros(1024, bool)
    for batch, block, row in attention_rows():
        valid = min(LENGTH - block * 256, 256)
        scores = a["arg3"][row:row + 8, :valid].astype(np.float64) * SCALE
        peak = scores.max(1)
        e = np.zeros((8, 256))
        e[:, :valid] = rounded(np.exp(scores - peak[:, None]))
        exps[row:row + 8] = e
        at = slice(batch * 128 + block * 8, batch * 128 + block * 8 + 8)
        top[at], total[at] = peak, e.sum(1)
        wide[row:row + 8] = narrow[at] = True
    return {"arg2": (exps, wide), "arg1": (top, narrow), "arg0": (total, narrow)}


def scores(a):
    result, mask = np.zeros((2048, 256)), np.zeros((2048, 256), bool)
    for batch, block, row in attention_rows():
        keys = a["arg2"][batch * 4096 + block * 256:][:256].astype(np.float64)
        result[row:row + 16] = a["arg0"][batch * 16:batch * 16 + 16] @ keys.T
        mask[row:row + 16] = True
    return {"arg1": (result, mask)}


def weighted_values(a):
    result, mask = np.zeros((2048, 128)), np.zeros((2048, 128), bool)
    for batch, block, row in attention_rows():
        values = a["arg2"][batch * 4096 + block * 256:][:256].astype(np.float64)
        result[row:row + 16] = a["arg1"][row:row + 16] @ values
        mask[row:row + 16] = True
    return {"arg0": (result, mask)}


def rotated(a):
    """Rotary embedding of the last 64 of each 192 columns of row 5, at the position before the length of its context."""
    position = a["arg0"][5] - 1
    cos, sin = a["arg1"][position], a["arg2"][position]
    q = a["arg3"].copy().astype(np.float64)
    for column in range(128, 24576, 192):
        low, high = q[5, column:column + 32].copy(), q[5, column + 32:column + 64].copy()
        q[5, column:column + 32] = low * cos[:32] - high * sin[:32]
        q[5, column + 32:column + 64] = high * cos[32:] + low * sin[32:]
    return {"arg3": (q,)}


# --- norms, activations, top-k ---


def rms_norm(a):
    x = a["arg0"].astype(np.float64)
    return {"arg1": (x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6) * a["arg2"],)}


def layer_norm(a):
    x = a["arg0"].astype(np.float64)
    centered = x - x.mean(1, keepdims=True)
    return {"arg3": (centered / np.sqrt((centered**2).mean(1, keepdims=True) + 1e-6) * a["arg1"] + a["arg2"],)}


def silu(a):
    gate, up = a["arg0"].astype(np.float64), a["arg1"].astype(np.float64)
    result, mask = np.zeros((16, 25600)), np.zeros((16, 25600), bool)
    result[:, :512] = gate / (1 + np.exp(-gate)) * up
    mask[:, :512] = True
    return {"arg2": (result, mask)}


def sorted_pairs(a):
    """Values of row 3 in descending order, each with its column as the bits of an f32."""
    row = a["arg0"][3]
    order = np.argsort(-row, kind="stable").astype(np.uint32)
    return {"arg1": (np.stack([row[order], order.view(np.float32)], 1).reshape(-1),)}


# --- quantised products ---


def quantized(a):
    return {"arg1": (np.rint(a["arg2"][:8] * a["arg0"][:8, None]).astype(np.int8),)}


def product(a):
    result = np.zeros((16, 8192), np.int32)
    result[:8] = a["arg1"].astype(np.int32) @ a["arg2"].astype(np.int32)
    mask = np.zeros((16, 8192), bool)
    mask[:8] = True
    return {"arg0": (result, mask)}


def dequantized(a):
    return {"arg3": (a["arg1"][:8].astype(np.float64) * a["arg2"][:, None] * a["arg0"],)}


# --- mixture of experts ---


def combined(a):
    """The shared expert and the six routed ones of a token; tokens from the sixth on are padding."""
    shared, routed = a["arg0"].astype(np.float64), a["arg1"].astype(np.float64).reshape(8, 6, 4096)
    return {"arg2": (np.where(np.arange(8)[:, None] < 6, shared + routed.sum(1), shared),)}


def gate_scores(a):
    """sqrt(softplus(x)) of the logits of the 16 experts of one block. Blocks would share the ring of the pipe in GM, of which the
    runtime gives each its own."""
    logits = a["arg1"].astype(np.float64) @ a["arg2"][:16].astype(np.float64).T * a["arg3"][:, None]
    result, mask = np.zeros((16, 256)), np.zeros((16, 256), bool)
    result[:, :16] = np.sqrt(np.logaddexp(0, logits))
    mask[:, :16] = True
    return {"arg4": (result, mask)}


def uniform(*shape, scale=1.0):
    return lambda rng: rng.uniform(-scale, scale, shape).astype(np.float32)


def positive(*shape):
    return lambda rng: rng.uniform(0.1, 1, shape).astype(np.float32)


def bf16(*shape, scale=1.0):
    return lambda rng: rounded(rng.uniform(-scale, scale, shape))


def integers(dtype, least, most, *shape):
    return lambda rng: rng.integers(least, most, shape).astype(dtype)


def arrays(**makers):
    return lambda rng: {name: make(rng) for name, make in makers.items()}


BF16 = (BF16_STEP, 1e-5)
KERNELS = (
    Kernel("Qwen3DecodeA3/kernels/aiv/softmax.pto", arrays(arg3=uniform(2048, 256, scale=8)), softmax, blocks=2, bf16=("arg2",),
           tolerance=(2 * BF16_STEP, 1e-5), arg4=2, arg5=LENGTH),
    Kernel("Qwen3DecodeA3/kernels/aic/qk_matmul.pto", arrays(arg0=bf16(2048, 128), arg2=bf16(16384, 128)), scores, blocks=2,
           bf16=("arg0", "arg2"), tolerance=(1e-5, 1e-4), arg3=0, arg4=2),
    Kernel("Qwen3DecodeA3/kernels/aic/sv_matmul.pto", arrays(arg1=bf16(2048, 256), arg2=bf16(16384, 128)), weighted_values, blocks=2,
           bf16=("arg1", "arg2"), tolerance=(1e-5, 1e-4), arg3=2, arg4=0),
    Kernel("DeepseekV3_2DecodeFrontA5/kernels/q_rope.pto",
           arrays(arg0=integers(np.int32, 1, 4096, 16), arg1=uniform(4096, 64), arg2=uniform(4096, 64), arg3=bf16(16, 24576)), rotated,
           preset="a5", bf16=("arg3",), tolerance=BF16, arg4=5),
    Kernel("Qwen3DecodeA3/kernels/aiv/silu.pto", arrays(arg0=uniform(16, 512, scale=4), arg1=uniform(16, 512)), silu, blocks=2, bf16=("arg2",),
           tolerance=BF16, arg3=0),
    Kernel("DeepseekV3_2DecodeFrontA5/kernels/input_rmsnorm.pto", arrays(arg0=bf16(16, 7168), arg2=uniform(7168)), rms_norm, preset="a5",
           bf16=("arg0", "arg1"), tolerance=BF16),
    Kernel("DeepseekV3_2DecodeFrontA5/kernels/s2_k_idx_layernorm.pto", arrays(arg0=bf16(16, 128), arg1=uniform(128), arg2=uniform(128)),
           layer_norm, preset="a5", bf16=("arg0", "arg3"), tolerance=BF16),
    Kernel("DeepseekV3_2DecodeFrontA5/kernels/s3_sort.pto",
           arrays(arg0=lambda rng: np.stack([rng.permutation(8192) for _ in range(16)]).astype(np.float32) / 64), sorted_pairs, preset="a5",
           tolerance=(0, 0), arg2=3),
    Kernel("DeepseekV4DecodeA3/kernels/aiv/x_norm_quant.pto", arrays(arg0=positive(16), arg2=uniform(16, 4096, scale=127)), quantized, arg3=0),
    Kernel("DeepseekV4DecodeA3/kernels/aic/idx_qr_proj_matmul.pto",
           arrays(arg1=integers(np.int8, -128, 128, 8, 1024), arg2=integers(np.int8, -128, 128, 1024, 8192)), product, blocks=8),
    Kernel("DeepseekV4DecodeA3/kernels/aiv/idx_qr_proj_dequant.pto",
           arrays(arg0=positive(8192), arg1=integers(np.int32, -100000, 100000, 16, 8192), arg2=positive(8)), dequantized, blocks=8),
    Kernel("DeepseekV4DecodeA3/kernels/aiv/shared_routed.pto", arrays(arg0=bf16(8, 4096), arg1=bf16(48, 4096)), combined, blocks=8,
           bf16=("arg0", "arg1", "arg2"), tolerance=BF16, arg3=6),
    Kernel("DeepseekV4DecodeA3/kernels/gate.pto", arrays(arg0=uniform(64), arg1=uniform(16, 4096), arg2=uniform(64, 4096, scale=0.1),
                                                         arg3=positive(16)), gate_scores, tolerance=(1e-4, 1e-4)),
)


def check(platform, folder, only=""):
    """Prints a table; the number of kernels whose result is wrong or that are not there. `only`: a part of their names."""
    failures = 0
    print("| kernel | against NumPy |\n| --- | --- |")
    for kernel in (one for one in KERNELS if only in one.file):
        paths = sorted(Path(folder).rglob(kernel.file))
        wrong = kernel.check(platform, paths[0]) if paths else "not in the folder"
        failures += bool(wrong)
        print(f"| {kernel.file} | {wrong or 'equal'} |", flush=True)
    return failures
