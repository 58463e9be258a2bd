import numpy as np
from host import Machine

N, WIDTH = 8, 2
BLOCK = N // WIDTH


def to_pes(cube):
    """[y, x, z] of complex numbers to what the PEs hold: z slowest, x fastest."""
    parts = cube.reshape(WIDTH, BLOCK, WIDTH, BLOCK, N).transpose(0, 2, 4, 1, 3)
    return parts.astype(np.complex64).reshape(WIDTH, WIDTH, -1).view(np.float32)


def from_pes(values):
    parts = np.ascontiguousarray(values).view(np.complex64).reshape(WIDTH, WIDTH, N, BLOCK, BLOCK)
    return parts.transpose(0, 3, 1, 4, 2).reshape(N, N, N)


random = np.random.default_rng(4)
cube = random.random((N, N, N)) + 1j * random.random((N, N, N))
angles = np.exp(1j * np.pi * np.arange(N // 2) / (N // 2)).astype(np.complex64).view(np.float32)

with Machine(WIDTH, WIDTH) as machine:
    machine.put("twiddle_array", np.broadcast_to(angles, (WIDTH, WIDTH, N)))

    def transformed(values, function, *arguments):
        machine.put("X", to_pes(values))
        machine.launch(function, *map(np.int16, arguments))
        assert machine.get("fft_time", 2, np.uint32)[0, 0, 0] > 1000
        return from_pes(machine.get("X", 2 * BLOCK * BLOCK * N, np.float32))

    for norm, name in enumerate(("backward", "ortho", "forward")):
        for found, exact in ((transformed(cube, "csfftExecC2C", norm, 0), np.fft.fftn(cube, norm=name)),
                             (transformed(cube, "csfftExecC2C", norm, 1), np.fft.ifftn(cube, norm=name)),
                             (transformed(cube.real, "csfftExecR2C", norm), np.fft.fftn(cube.real, norm=name)),
                             (transformed(cube.real, "csfftExecC2R", norm), np.fft.ifftn(cube.real, norm=name))):
            np.testing.assert_allclose(found, exact, rtol=0, atol=1e-6 * np.abs(exact).max())
