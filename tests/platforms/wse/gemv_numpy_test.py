"""examples/gemv_stream against NumPy, with random inputs, on grids of several shapes and both presets."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

GRIDS = [(1, 1, 5, 7), (4, 3, 6, 8), (16, 16, 64, 48), (32, 8, 24, 96)]  # W, H, M, N


def run(executable, layout, preset, grid, seed):
    width, height, rows, columns = grid
    rng = np.random.default_rng(seed)
    arrays = {
        "A": rng.uniform(0.1, 1, (rows, columns)).astype(np.float32),
        "x": rng.uniform(0.1, 1, columns).astype(np.float32),
        "b": rng.uniform(0.1, 1, rows).astype(np.float32),
    }
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [executable, layout, "--preset", preset, "--quiet", f"--output=y={folder / 'y.npy'}"]
        for name, value in zip("WHMN", grid):
            command.append(f"--param={name}={value}")
        for name, array in arrays.items():
            np.save(folder / f"{name}.npy", array)
            command.append(f"--input={name}={folder / name}.npy")
        subprocess.run(command, check=True)
        y = np.load(folder / "y.npy")
    assert y.dtype == np.float32 and y.shape == (rows,)
    np.testing.assert_allclose(y, arrays["A"] @ arrays["x"] + arrays["b"], rtol=1e-5)


def main():
    executable, layout = sys.argv[1:]
    for preset in ("wse2", "wse3"):
        for seed, grid in enumerate(GRIDS):
            run(executable, layout, preset, grid, seed)
            print(f"{preset} {grid}: equal")


main()
