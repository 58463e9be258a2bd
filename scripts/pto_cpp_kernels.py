# SPDX-License-Identifier: Apache-2.0
"""Kernels without a host program that pto_cpp_corpus.py runs: what each is called with, and what NumPy says it computes.

Names, shapes and tolerances follow the tests of huawei-csl/pto-kernels, and the demos of hw-native-sys/pto-isa; the kernels
themselves stay in their repositories.
"""
import numpy as np


def uniform(rng, *shape, dtype=np.float16, low=-1.0, high=1.0):
    return rng.uniform(low, high, shape).astype(dtype)


def product(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


def silu(x):
    return x / (1 + np.exp(-x))


class Call:
    """Arguments by name (an array, a number, or a text such as f32[64] for zeros), and expected results. `options`: more words
    for ascend_platform; {folder} is the checkout."""

    def __init__(self, arguments, results, rtol=1e-5, atol=1e-8, clusters=1, statistical=False, settings=(), options=()):
        self.arguments, self.results, self.clusters, self.settings, self.options = arguments, results, clusters, settings, options
        self.rtol, self.atol, self.statistical = rtol, atol, statistical

    def difference(self, got, expected):
        """Why the results are not equal within the tolerance of the test; "": they are. A statistical test also accepts few larger differences."""
        apart = np.abs(got - expected)
        if np.all(apart <= self.atol + self.rtol * np.abs(expected)):
            return ""
        error = np.sqrt(np.mean(apart**2)) / max(np.mean(np.abs(expected)), 1e-15)
        explained = 1 - np.sum(apart**2) / np.sum((expected - expected.mean()) ** 2)
        if self.statistical and np.max(apart) <= 1 and error <= 0.05 and explained >= 0.99:
            return ""
        return f"differs by {np.max(apart):.4g}"


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
    return Call({**arguments, "tensor_out": "f32[2,64,64]"}, call.results, call.rtol, call.atol, 2)


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


def matmul_add_a5(rng):
    a, b, d = uniform(rng, 128, 128), uniform(rng, 128, 128), uniform(rng, 128, 128, dtype=np.float32)
    return Call({"block_dim": 1, "a": a, "b": b, "c": "f32[128,128]", "d": d, "batch": 1}, {"c": product(a, b) + d}, rtol=1e-3, atol=1e-3)


def scan_of_tiles(rng):
    """One core, tiles of 64 x 64."""
    x = uniform(rng, 3 * 64 * 64, dtype=np.float32)
    return Call({"blockDim": 1, "x": x, "out": f"f32[{x.size}]", "u_s": np.triu(np.ones((64, 64), np.float32)), "total_len": x.size},
                {"out": np.cumsum(x, dtype=np.float64)}, rtol=1e-3, atol=1e-2)


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


# --- gated delta nets and key-delta attention: chunks of 128 tokens, states of 128 x 128 ---

CHUNK = 128
DELTA = {"rtol": 1e-2, "atol": 1e-5, "clusters": 2, "statistical": True,
         "settings": ("sync.missing_ffts=ignore",)}  # the build of the repository sets the address in front of the kernel


def chunks(tokens):
    return [slice(s, min(s + CHUNK, tokens)) for s in range(0, tokens, CHUNK)]


def unit(rng, *shape):
    x = rng.standard_normal(shape)
    return (x / np.linalg.norm(x, axis=-1, keepdims=True)).astype(np.float16)


def sums_of_chunks(g):
    """Prefix sums along the tokens, the first axis, of each chunk."""
    return np.concatenate([np.cumsum(g[s], axis=0, dtype=np.float32) for s in chunks(g.shape[0])])


def by_head(x):
    return np.ascontiguousarray(np.swapaxes(x, 0, 1))


def gates(rng, *shape):
    """Logarithms of sigmoids, added up."""
    return sums_of_chunks(-np.log1p(np.exp(-rng.standard_normal(shape))).astype(np.float32))


def lengths(tokens):
    """One sequence."""
    return {"cu_seqlens": np.array([0, tokens], np.int32), "batch_size": 1, "seq_len": 0, "total_tokens": tokens}


def gdn_cumsum(rng):
    g = rng.standard_normal((256, 16)).astype(np.float32)
    return Call({"g_ptr": g, "g_sum_ptr": "f32[256,16]", "cu_seqlens": np.array([0, 256], np.int32), "batch_size": 1, "seq_len": 0}, {"g_sum_ptr": sums_of_chunks(g)},
                rtol=1e-4, atol=1e-5, clusters=2)


def kda_cumsum(rng):
    g = uniform(rng, 256, 16, 128)
    return Call({"g_ptr": g, "g_sum_ptr": "f32[256,16,128]", "cu_seqlens": np.array([0, 256], np.int32), "batch_size": 1, "seq_len": 0},
                {"g_sum_ptr": sums_of_chunks(g.astype(np.float32))}, rtol=1e-4, atol=1e-5, clusters=2)


def gdn_kkt(rng, tokens=256, heads=16):
    k, beta, g = unit(rng, tokens, heads, CHUNK), uniform(rng, tokens, heads, low=0), gates(rng, tokens, heads)
    out = np.zeros((tokens, heads, CHUNK))
    for s in chunks(tokens):
        for h in range(heads):
            kc, gc = k[s, h].astype(np.float64), g[s, h].astype(np.float64)
            out[s, h] = np.tril((kc @ kc.T) * np.exp(np.minimum(gc[:, None] - gc, 0)) * beta[s, h, None], -1)
    return Call({"K_handle": k, "Beta_handle": by_head(beta), "G_handle": by_head(g), "Msk_handle": np.tril(np.ones((CHUNK, CHUNK), np.float32), -1),
                 "workspace_handle": "f16[4,128,128]", "A_handle": f"f16[{tokens},{heads},128]", **lengths(tokens)}, {"A_handle": out}, **DELTA)


def gdn_wy(rng, tokens=256, heads=16):
    k, v, beta = unit(rng, tokens, heads, CHUNK), rng.standard_normal((tokens, heads, CHUNK)).astype(np.float16), uniform(rng, tokens, heads, low=0)
    a, g = rng.standard_normal((tokens, heads, CHUNK)).astype(np.float16), gates(rng, tokens, heads)
    w, u = np.zeros(v.shape), np.zeros(v.shape)
    for s in chunks(tokens):
        for h in range(heads):
            ac, scale = a[s, h].astype(np.float64), beta[s, h, None].astype(np.float64)
            u[s, h] = ac @ (v[s, h] * scale)
            w[s, h] = ac @ (k[s, h] * scale * np.exp(g[s, h, None]))
    size = f"f16[{tokens},{heads},128]"
    return Call({"K_handle": k, "V_handle": v, "Beta_handle": by_head(beta), "G_handle": by_head(g), "A_handle": a, "workspace_a1_handle": "f16[2,128,128]",
                 "workspace_a2_handle": "f16[2,128,128]", "W_handle": size, "U_handle": size, **lengths(tokens)}, {"W_handle": w, "U_handle": u}, **DELTA)


def states(k, w, u, decay, rest):
    """The state before each chunk, and the corrected values; `decay(s, h)` of the state, `rest(s, h)` of the keys."""
    tokens, heads = u.shape[:2]
    before, values = np.zeros((len(chunks(tokens)), heads, CHUNK, CHUNK)), np.zeros(u.shape)
    for h in range(heads):
        state = np.zeros((CHUNK, CHUNK))
        for n, s in enumerate(chunks(tokens)):
            before[n, h] = state
            values[s, h] = u[s, h] - w[s, h].astype(np.float64) @ state
            state = decay(s, h) * state + (k[s, h].astype(np.float64) * rest(s, h)).T @ values[s, h]
    return before, values


def gdn_states(rng, tokens, heads):
    k, g = unit(rng, tokens, heads, CHUNK), gates(rng, tokens, heads)
    w, u = (rng.standard_normal((tokens, heads, CHUNK)).astype(np.float16) for _ in range(2))
    before, values = states(k, w, u, lambda s, h: np.exp(g[s, h][-1]), lambda s, h: np.exp(g[s, h][-1] - g[s, h])[:, None])
    return k, w, u, g, before, values


def gdn_h(rng, tokens=256, heads=16):
    k, w, u, g, before, values = gdn_states(rng, tokens, heads)
    size = f"f16[{tokens},{heads},128]"
    return Call({"K": k, "W": w, "U": u, "G": by_head(g), "S": "f16[2,16,128,128]", "V": size, "FS": "f16[1,16,128,128]", "workspace": "f16[131072]",
                 **lengths(tokens)}, {"S": before, "V": values}, **DELTA)


def gdn_o(rng, tokens=256, heads=16):
    k, _, _, g, before, values = gdn_states(rng, tokens, heads)
    q, s16, v = unit(rng, tokens, heads, CHUNK), before.astype(np.float16), values.astype(np.float16)
    out = np.zeros(v.shape)
    for n, s in enumerate(chunks(tokens)):
        for h in range(heads):
            qc, gc = q[s, h].astype(np.float64), g[s, h].astype(np.float64)
            near = np.tril((qc @ k[s, h].T) * np.exp(np.minimum(gc[:, None] - gc, 0)))
            out[s, h] = (qc @ s16[n, h]) * np.exp(gc)[:, None] + near @ v[s, h]
    square = "f16[2,128,128]"
    return Call({"Q_handle": q, "K_handle": k, "V_handle": v, "S_handle": s16, "G_handle": by_head(g),
                 "Msk_handle": np.tril(np.ones((CHUNK, CHUNK), np.float32)), "workspace_qk": square, "workspace_qs_qkv": square,
                 "workspace_qk_gated": square, "O_handle": f"f16[{tokens},{heads},128]", **lengths(tokens)}, {"O_handle": out}, **DELTA)


def kda_products(k, g, beta):
    """The strictly lower triangles of all chunks; gates are one a dimension."""
    tokens, heads = k.shape[:2]
    out = np.zeros((tokens, heads, CHUNK))
    for s in chunks(tokens):
        for h in range(heads):
            kc, gc = k[s, h].astype(np.float64), g[s, h].astype(np.float64)
            for r in range(kc.shape[0]):
                out[s.start + r, h] = (kc[r] * kc * np.exp(np.minimum(gc[r] - gc, 0))).sum(1) * beta[s.start + r, h]
            out[s, h] = np.tril(out[s, h], -1)
    return out


def kda_gates(rng, tokens, heads, scale=1.0):
    return sums_of_chunks((-scale * rng.random((tokens, heads, CHUNK))).astype(np.float32))


def kda_kkt(rng, tokens=128, heads=4):
    k, beta, g = unit(rng, tokens, heads, CHUNK), uniform(rng, tokens, heads, low=0), kda_gates(rng, tokens, heads)
    return Call({"k_ptr": by_head(k), "g_cs_ptr": by_head(g), "beta_ptr": by_head(beta), "mask_ptr": np.tril(np.ones((CHUNK, CHUNK), np.float32), -1),
                 "L_out_ptr": f"f16[{tokens},{heads},128]", **lengths(tokens)}, {"L_out_ptr": kda_products(k, g, beta)}, **DELTA)


def kda_wy(rng, tokens=128, heads=16):
    k, v, g = unit(rng, tokens, heads, CHUNK), rng.standard_normal((tokens, heads, CHUNK)).astype(np.float16), kda_gates(rng, tokens, heads)
    beta = (1 / (1 + np.exp(-rng.standard_normal((tokens, heads))))).astype(np.float16)
    inverse = np.linalg.inv(by_head(kda_products(k, g, beta)) + np.eye(CHUNK)).astype(np.float16)  # one chunk
    a = inverse * by_head(beta)[:, None].astype(np.float64)
    u, w = a @ by_head(v), a @ by_head(k * np.exp(g))
    size = f"f16[{tokens},{heads},128]"
    return Call({"K_handle": by_head(k), "V_handle": v, "Beta_handle": by_head(beta), "G_handle": by_head(g), "A_handle": by_head(inverse),
                 "workspace_a2_handle": "f16[2,128,128]", "workspace_keff_handle": "f16[2,128,128]", "U_handle": size, "W_handle": size, **lengths(tokens)},
                {"U_handle": by_head(u), "W_handle": by_head(w)}, **DELTA)


def kda_states(rng, tokens, heads):
    k, g = unit(rng, tokens, heads, CHUNK), kda_gates(rng, tokens, heads, 0.05)
    w, u = (rng.standard_normal((tokens, heads, CHUNK)).astype(np.float16) for _ in range(2))
    before, values = states(k, w, u, lambda s, h: np.exp(g[s, h][-1])[:, None], lambda s, h: np.exp(g[s, h][-1] - g[s, h]))
    return k, w, u, g, before, values


def kda_h(rng, tokens=256, heads=16):
    k, w, u, g, before, values = kda_states(rng, tokens, heads)
    return Call({"K": by_head(k), "W": w, "U": u, "G": by_head(g), "S": f"f16[2,{heads},128,128]", "V_corr": f"f16[{tokens},{heads},128]",
                 "workspace": "f16[163840]", **lengths(tokens)}, {"S": before, "V_corr": values}, **DELTA)


def kda_o(rng, tokens=256, heads=16):
    k, _, _, g, before, values = kda_states(rng, tokens, heads)
    q, s16, v = unit(rng, tokens, heads, CHUNK), before.astype(np.float16), values.astype(np.float16)
    out = np.zeros(v.shape)
    for n, s in enumerate(chunks(tokens)):
        for h in range(heads):
            near, far = q[s, h] * np.exp(g[s, h].astype(np.float64)), k[s, h] * np.exp(-g[s, h].astype(np.float64))
            out[s, h] = near @ s16[n, h] + np.tril(near @ far.T) @ v[s, h]
    return Call({"Q": by_head(q), "K": by_head(k), "V_corr": v, "S": s16, "G": by_head(g), "Mask": np.tril(np.ones((CHUNK, CHUNK), np.float32)),
                 "workspace": "f32[229376]", "O": f"f16[{tokens},{heads},128]", **lengths(tokens)}, {"O": out}, **DELTA)


def flash_attention(rng, queries=256, keys=1024, width=128):
    q, k, v = (rng.standard_normal((n, width)).astype(np.float16) for n in (queries, keys, keys))
    scores = product(q, k.T) / np.sqrt(width)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    cores = queries // 128
    tiles = cores * 8 * 128 * 512  # eight slots a core
    strides = {f"{name}_{what}_stride": n for name, size in (("q", queries), ("kv", keys))
               for what, n in (("batch", size * width), ("head", size * width), ("seq", width))}
    return Call({"ffts_addr": "u8[64]", "q": q, "k": k, "v": v, "p_tile_fifo": f"f16[{tiles}]", "exp_max_ififo": f"f32[{cores * 1024}]",
                 "o_out": f"f32[{queries},{width}]", "qk_tile_fifo": f"f32[{tiles}]", "pv_tile_fifo": f"f32[{tiles // 4}]", "S0": queries, "S1": keys,
                 "qk_preload": 4, "batch": 1, "num_q_heads": 1, "num_kv_heads": 1, **strides, "causal": 0},
                {"o_out": (weights / weights.sum(1, keepdims=True)) @ v}, rtol=0, atol=1e-4, clusters=cores)


def demo_add(rng):
    x, y = (uniform(rng, 20, 2048, low=0) for _ in range(2))
    return Call({"x": x, "y": y, "z": "f16[20,2048]", "totalLength": x.size}, {"z": x + y}, rtol=1e-3, atol=1e-5, clusters=10)


def demo_gemm(rng):
    a, b = uniform(rng, 512, 2048, low=0), uniform(rng, 2048, 1536, low=0)
    return Call({"a": a, "b_dn": np.ascontiguousarray(b.T), "out": "f32[512,1536]"}, {"out": product(a, b)}, rtol=1e-4, clusters=24)


def demo_flash_attention(rng, queries=128, keys=2048, width=128):
    q, k, v = (rng.standard_normal((n, width)).astype(np.float16) for n in (queries, keys, keys))
    scores = product(q, k.T) / np.sqrt(width)
    weights = np.exp(scores - scores.max(1, keepdims=True))
    blocks, slots = queries // 128, queries // 128 * 8
    return Call({"headSize": width, "s0": queries, "s1": keys, "is_causal": 0, "q": q, "k": k, "v": v, "o_out": f"f32[{queries},{width}]",
                 "outDevice": f"f32[{slots},128,256]", "xexpDevice": f"f16[{slots},128,256]", "pOutFp32Device": f"f32[{slots},128]",
                 "out2Device": f"f32[{slots},128,{width}]", "gSumDevice": f"f32[{blocks},{queries}]",
                 "expMaxDevice": f"f32[{blocks},{queries}]", "oPartsDevice": f"f32[{blocks},{queries},{width}]"},
                {"o_out": (weights / weights.sum(1, keepdims=True)) @ v}, rtol=1e-3, atol=1e-3, clusters=blocks,
                options=("--include", "{folder}/kernels/manual/common/flash_atten"))


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
    STATIC + "a5/matmul_add.cpp": ("call_static_matmul_add", "a5", matmul_add_a5),
    JIT + "scan/kernel_scan_single_core.cpp": ("scan_fp32", "a2a3", scan_of_tiles),
    DYNAMIC + "a2a3/add.cpp": ("add_kernel", "a2a3", add),
    DYNAMIC + "a5/add.cpp": ("add_kernel", "a5", add),
    DYNAMIC + "a2a3/matmul.cpp": ("simple_matmul_kernel", "a2a3", matmul_rows),
    DYNAMIC + "a5/matmul.cpp": ("call_matmul", "a5", matmul_16),
    DYNAMIC + "a2a3/matmul_add.cpp": ("matmul_add_c2v_kernel", "a2a3", fused(False, "f16")),
    DYNAMIC + "a2a3/add_matmul.cpp": ("add_matmul_v2c_kernel", "a2a3", fused(True, "f16")),
    DYNAMIC + "a5/matmul_add.cpp": ("matmul_add_c2v_kernel", "a5", fused(False, "f32")),
    DYNAMIC + "a5/add_matmul.cpp": ("add_matmul_v2c_kernel", "a5", fused(True, "f16", False)),
    "csrc/kernel/kernel_flash_attention.cpp": ("fa_fp16", "a2a3", flash_attention),
    "csrc/kernel/kernel_gdn_chunk_cumsum.cpp": ("gdn_chunk_cumsum_fp32", "a2a3", gdn_cumsum),
    "csrc/kernel/kernel_gdn_scaled_dot_kkt.cpp": ("gdn_scaled_dot_kkt", "a2a3", gdn_kkt),
    "csrc/kernel/kernel_gdn_wy_fast.cpp": ("gdn_wy_fast", "a2a3", gdn_wy),
    "csrc/kernel/kernel_gdn_chunk_h.cpp": ("gdn_chunk_h", "a2a3", gdn_h),
    "csrc/kernel/kernel_gdn_chunk_o.cpp": ("gdn_chunk_o", "a2a3", gdn_o),
    "csrc/kernel/kernel_kda_gate_cumsum.cpp": ("kda_gate_cumsum", "a2a3", kda_cumsum),
    "csrc/kernel/kernel_kda_kkt.cpp": ("kda_kkt", "a2a3", kda_kkt),
    "csrc/kernel/kernel_kda_wy.cpp": ("kda_wy", "a2a3", kda_wy),
    "csrc/kernel/kernel_kda_chunk_h.cpp": ("kda_chunk_h", "a2a3", kda_h),
    "csrc/kernel/kernel_kda_chunk_o.cpp": ("kda_chunk_o", "a2a3", kda_o),
    JIT + "silu_dynamic/silu_dynamic.cpp": ("call_kernel", "a2a3", silu_dynamic),
    JIT + "block_rotate_fp16/block_rotate_fp16.cpp": ("block_rotate_fp16", "a2a3", block_rotate),
    JIT + "block_rotate_fp16/block_rotate_fp16_double_buffer.cpp": ("block_rotate_fp16", "a2a3", block_rotate),
    JIT + "matmul_swizzle/matmul_custom_pto.cpp": ("matmul_kernel_ABt", "a2a3", matmul_transposed),
    JIT + "fast_hadamard/standard/fast_hadamard.cpp": ("call_kernel", "a2a3", hadamard),
    JIT + "layernorm/kernel_layernorm.cpp": ("layernorm_fp16", "a2a3", layer_norm),
    JIT + "fast_hadamard/fuse_int4_dynamic_quant/traffic_copy.cpp": ("call_traffic_copy_kernel", "a2a3", traffic_copy),
    JIT + "fast_hadamard/fuse_int8_quant/quantize.cpp": ("call_quantize_kernel", "a2a3", quantize),
    JIT + "fast_inverse/kernel_tri_inv_rec_unroll.cpp": ("tri_inv_rec_unroll_fp16", "a2a3", inverse_jit),
    "demos/torch_jit/add/add_custom.cpp": ("add_custom", "a2a3", demo_add),
    "demos/baseline/gemm_basic/csrc/kernel/gemm_basic_custom.cpp": ("gemm_basic_custom", "a2a3", demo_gemm),
    "demos/torch_jit/flash_atten/fa_kernel.cpp": ("call_kernel", "a2a3", demo_flash_attention),
    JIT + "swiglu/swiglu.cpp": ("swiglu_fp16", "a2a3", swiglu),
}
