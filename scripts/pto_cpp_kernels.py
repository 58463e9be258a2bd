"""Kernels without a host program that pto_cpp_corpus.py runs: what each is called with, and what NumPy says it computes.

Names, shapes and tolerances follow the tests of huawei-csl/pto-kernels; the kernels themselves stay in its repository.
"""
import numpy as np


def uniform(rng, *shape, dtype=np.float16, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape).astype(dtype)


def product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def silu(x):
    return x / (1 + np.exp(-x))


class Call:
    """Arguments by name (an array, a number, or a text such as f32[64] for zeros), and expected results."""

    def __init__(self, arguments, results, rtol=1e-5, atol=1e-8, clusters=1):
        self.arguments, self.results, self.rtol, self.atol, self.clusters = arguments, results, rtol, atol, clusters


def absolute(rng):
    x = uniform(rng, 20, 128)
    return Call({"x": x, "z": "f16[20,128]", "in_length": x.size}, {"z": np.abs(x)}, clusters=2)


def batch_square(rng):
    x = uniform(rng, 3, 64, 64, low=0)
    return Call({"z": "f32[3,64,64]", "x": x, "matrix_size": 64}, {"z": product(x, x)}, clusters=3)


def csr_gather(rng):
    x, values = uniform(rng, 4096, low=0), uniform(rng, 8192, low=0)
    indices = rng.integers(0, x.size, values.size).astype(np.int32)
    return Call({"values": values, "indices": indices, "x": x, "z": "f16[8192]", "x_size": x.size, "indices_size": values.size},
                {"z": values * x[indices]}, clusters=2)


def square_matmul(rng):
    a, b = uniform(rng, 64, 64, low=0), uniform(rng, 64, 64, low=0)
    return Call({"a": a, "b": b, "c": "f32[64,64]", "matrix_size": 64}, {"c": product(a, b)})


def swiglu(rng):
    x = rng.standard_normal((8, 512)).astype(np.float16)
    gate, up = np.split(x.astype(np.float32), 2, axis=-1)
    return Call({"x": x, "y": "f16[8,256]", "batch": 8, "input_n": 512}, {"y": silu(gate) * up}, rtol=1e-2, atol=1e-5, clusters=2)


def triangle(rng, count, n, scale):
    """Strictly upper, and the inverse of it plus the identity."""
    u = np.triu(scale * rng.random((count, n, n)), 1).astype(np.float16)
    return u, np.linalg.inv(u.astype(np.float64) + np.eye(n))


def inverse_trick(rng):
    u, inverse = triangle(rng, 2, 64, 0.01)
    return Call({"tensor_out": "f32[2,64,64]", "tensor_in": u, "identity_in": -np.eye(64, dtype=np.float16), "matrix_size": 64,
                 "max_block_size": 16}, {"tensor_out": inverse}, rtol=0.05, atol=5e-5, clusters=2)


def inverse_newton(rng):
    u, inverse = triangle(rng, 2, 32, 0.1)
    eye = np.eye(32, dtype=np.float16)
    return Call({"tensor_out": "f32[2,32,32]", "tensor_in": u, "identity_neg_in": -eye, "identity_over_n_in": eye / np.float16(64),
                 "matrix_size": 32, "num_iters": 12, "num_matrices": 2}, {"tensor_out": inverse}, rtol=0.05, atol=5e-3, clusters=2)


def inverse_unroll(rng):
    u, inverse = triangle(rng, 2, 64, 0.1)
    return Call({"tensor_out": "f16[2,64,64]", "tensor_in": u, "minus_eye_in": -np.eye(64, dtype=np.float16), "matrix_size": 64,
                 "num_matrices": 2, "num_bsnd_heads": 0, "is_lower": 0, "cu_seqlens": None}, {"tensor_out": inverse},
                rtol=0.05, atol=5e-3, clusters=2)


def inverse_jit(rng):
    call = inverse_unroll(rng)
    arguments = {("minus_identity_in" if k == "minus_eye_in" else k): v for k, v in call.arguments.items() if k != "is_lower"}
    return Call(arguments, call.results, call.rtol, call.atol, 2)


def inverse_sweep(rng):
    a = np.triu(0.1 * rng.random((2, 32, 32)), 1).astype(np.float32) + np.eye(32, dtype=np.float32)
    by_column = np.ascontiguousarray(a.transpose(0, 2, 1))
    return Call({"x": by_column, "z": "f32[2,32,32]", "in_length": a.size, "matrix_size": 32}, {"z": np.linalg.inv(a).transpose(0, 2, 1)}, rtol=1e-3, atol=1e-4,
                clusters=2)


def scan(rng):
    ones = np.ones((32, 32), np.float16)
    x = uniform(rng, 1024, low=0)
    return Call({"x": np.ones(1024, np.float16), "o": ones, "u": np.triu(ones), "l": np.tril(ones, -1), "s": "f32[1024]", "matrix_size": 32},
                {"s": np.cumsum(np.ones_like(x), dtype=np.float64)})


def static_add(rng):
    x, z = uniform(rng, 64, 64), uniform(rng, 64, 64)
    return Call({"block_dim": 1, "out": "f16[64,64]", "x": x, "z": z}, {"out": x + z})


def add(rng):
    x, z = uniform(rng, 40000), uniform(rng, 40000)
    return Call({"y": "f16[40000]", "x": x, "z": z, "n": x.size}, {"y": x + z}, clusters=2)


def matmul_128(rng):
    a, b = uniform(rng, 128, 128), uniform(rng, 128, 128)
    return Call({"a": a, "b": b, "c": "f16[128,128]"}, {"c": product(a, b)}, rtol=1e-2, atol=1e-2)


def matmul_rows(rng):
    a, b = uniform(rng, 512, 128), uniform(rng, 128, 128)
    return Call({"a": a, "b": b, "c": "f16[512,128]", "m": 512}, {"c": product(a, b)}, rtol=1e-2, atol=1e-2, clusters=2)


def matmul_16(rng):
    a, b = uniform(rng, 16, 16), uniform(rng, 16, 16)
    return Call({"block_dim": 1, "out": "f32[16,16]", "a": a, "b": b}, {"out": product(a, b)}, rtol=1e-3, atol=1e-3)


def matmul_add_static(rng):
    a, b, d = (uniform(rng, 128, 128) for _ in range(3))
    return Call({"block_dim": 1, "a": a, "b": b, "c": "f16[128,128]", "d": d, "workspace": "f16[128,128]", "batch": 1},
                {"c": product(a, b) + d}, rtol=1e-2, atol=2e-2)


def fused(adds_first, result, through_gm=True):
    def make(rng):
        a, d = uniform(rng, 512, 128), uniform(rng, 512, 128)
        b = uniform(rng, 128, 128)
        if adds_first:  # (A + B) @ D
            arguments, expected = {"A": a, "B": d, "D": b}, product(a + d, b)
        else:
            arguments, expected = {"A": a, "B": b, "D": d if result == "f16" else d.astype(np.float32)}, product(a, b) + d
        if result == "f16" and through_gm:
            arguments["workspace"] = "f16[65536]"
            arguments["ffts_addr"] = 4096
        return Call({**arguments, "C": f"{result}[512,128]", "batch": 512}, {"C": expected}, rtol=1e-2, atol=5e-2, clusters=2)
    return make


def silu_dynamic(rng):
    x = uniform(rng, 20000)
    return Call({"blockDim": 2, "x": x, "y": "f16[20000]", "num_elements": x.size}, {"y": silu(x.astype(np.float32))}, rtol=1e-2, atol=1e-3,
                clusters=2)


def block_rotate(rng):
    a, b = uniform(rng, 512, 128), uniform(rng, 128, 128)
    return Call({"a": a, "b": b, "c": "f16[512,128]", "m": 512}, {"c": product(a, b)}, rtol=1e-2, atol=1e-2, clusters=2)


def matmul_transposed(rng):
    x, y = uniform(rng, 256, 512), uniform(rng, 256, 512)
    return Call({"x": x, "y": y, "z": "f16[256,256]", "M": 256, "N": 256, "K": 512, "swizzle_direction": 0, "swizzle_count": 1},
                {"z": product(x, y.T)}, rtol=1e-2, atol=3e-2, clusters=2)


def hadamard(rng):
    x = uniform(rng, 8, 256)
    h = x.astype(np.float64)
    for step in (2 ** k for k in range(8)):
        h = h.reshape(8, -1, 2, step)
        h = np.stack((h[:, :, 0] + h[:, :, 1], h[:, :, 0] - h[:, :, 1]), axis=2)
    return Call({"blockDim": 2, "x": x, "batch": 8, "n": 256, "log2_n": 8}, {"x": h.reshape(8, 256)}, rtol=2e-2, atol=5e-2, clusters=2)


def layer_norm(rng):
    x, gamma, beta = uniform(rng, 16, 512), uniform(rng, 512), uniform(rng, 512)
    wide = x.astype(np.float64)
    scaled = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    return Call({"x": x, "gamma": gamma, "beta": beta, "y": "f16[16,512]", "rows": 16, "hidden": 512, "eps": 1e-5, "inv_hidden": 1 / 512},
                {"y": scaled * gamma + beta}, rtol=1e-2, atol=1e-2, clusters=2)


def traffic_copy(rng):
    data = rng.integers(0, 256, 1 << 16).astype(np.uint8)
    return Call({"blockDim": 2, "src": data, "dst": f"u8[{data.size}]", "byte_count": data.size}, {"dst": data}, clusters=2)


def quantize(rng):
    x = uniform(rng, 16, 256)
    return Call({"blockDim": 2, "x": x, "y": "i8[16,256]", "batch": 16, "n": 256, "scale": 64.0},
                {"y": np.clip(np.rint(x.astype(np.float32) * 64), -128, 127)}, atol=1, clusters=2)


SKILLS = ".skills/testing-pto-kernels/reference/"
STATIC, DYNAMIC, JIT = SKILLS + "static_single_core/", SKILLS + "dynamic_multi_core/", "examples/jit_cpp/"
# Kernel: function, preset, arguments and meaning.
KERNELS = {
    "csrc/kernel/kernel_abs.cpp": ("vabs_fp16", "a2a3", absolute),
    "csrc/kernel/kernel_batch_matrix_square.cpp": ("batch_matrix_square_fp16", "a2a3", batch_square),
    "csrc/kernel/kernel_csr_gather.cpp": ("csr_gather_fp16", "a2a3", csr_gather),
    "csrc/kernel/kernel_simple_matmul.cpp": ("simple_matmul_fp16", "a2a3", square_matmul),
    "csrc/kernel/kernel_swiglu.cpp": ("swiglu_fp16", "a2a3", swiglu),
    "csrc/kernel/kernel_tri_inv_trick.cpp": ("tri_inv_trick_fp16", "a2a3", inverse_trick),
    "csrc/kernel/kernel_tri_inv_ns.cpp": ("tri_inv_ns_fp16", "a2a3", inverse_newton),
    "csrc/kernel/kernel_tri_inv_rec_unroll.cpp": ("tri_inv_rec_unroll_fp16", "a2a3", inverse_unroll),
    "csrc/kernel/kernel_tri_inv_col_sweep.cpp": ("triv_inv_col_sweep_fp32", "a2a3", inverse_sweep),
    "csrc/kernel/kernel_scan_ul1.cpp": ("scan_ul1_fp16", "a2a3", scan),
    STATIC + "a2a3/add.cpp": ("call_static_add", "a2a3", static_add),
    STATIC + "a5/add.cpp": ("call_static_add", "a5", static_add),
    STATIC + "a2a3/matmul.cpp": ("static_matmul_kernel", "a2a3", matmul_128),
    STATIC + "a5/matmul.cpp": ("call_static_matmul", "a5", matmul_16),
    STATIC + "a2a3/matmul_add.cpp": ("call", "a2a3", matmul_add_static),
    DYNAMIC + "a2a3/add.cpp": ("add_kernel", "a2a3", add),
    DYNAMIC + "a5/add.cpp": ("add_kernel", "a5", add),
    DYNAMIC + "a2a3/matmul.cpp": ("simple_matmul_kernel", "a2a3", matmul_rows),
    DYNAMIC + "a5/matmul.cpp": ("call_matmul", "a5", matmul_16),
    DYNAMIC + "a2a3/matmul_add.cpp": ("matmul_add_c2v_kernel", "a2a3", fused(False, "f16")),
    DYNAMIC + "a2a3/add_matmul.cpp": ("add_matmul_v2c_kernel", "a2a3", fused(True, "f16")),
    DYNAMIC + "a5/matmul_add.cpp": ("matmul_add_c2v_kernel", "a5", fused(False, "f32")),
    DYNAMIC + "a5/add_matmul.cpp": ("add_matmul_v2c_kernel", "a5", fused(True, "f16", False)),
    JIT + "silu_dynamic/silu_dynamic.cpp": ("call_kernel", "a2a3", silu_dynamic),
    JIT + "block_rotate_fp16/block_rotate_fp16.cpp": ("block_rotate_fp16", "a2a3", block_rotate),
    JIT + "block_rotate_fp16/block_rotate_fp16_double_buffer.cpp": ("block_rotate_fp16", "a2a3", block_rotate),
    JIT + "matmul_swizzle/matmul_custom_pto.cpp": ("matmul_kernel_ABt", "a2a3", matmul_transposed),
    JIT + "fast_hadamard/standard/fast_hadamard.cpp": ("call_kernel", "a2a3", hadamard),
    JIT + "layernorm/kernel_layernorm.cpp": ("layernorm_fp16", "a2a3", layer_norm),
    JIT + "fast_hadamard/fuse_int4_dynamic_quant/traffic_copy.cpp": ("call_traffic_copy_kernel", "a2a3", traffic_copy),
    JIT + "fast_hadamard/fuse_int8_quant/quantize.cpp": ("call_quantize_kernel", "a2a3", quantize),
    JIT + "fast_inverse/kernel_tri_inv_rec_unroll.cpp": ("tri_inv_rec_unroll_fp16", "a2a3", inverse_jit),
    JIT + "swiglu/swiglu.cpp": ("swiglu_fp16", "a2a3", swiglu),
}
