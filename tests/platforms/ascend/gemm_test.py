"""examples/ascend/gemm.pto computes A * B, on both profiles and in both structures, against NumPy.

gemm_test.py EXECUTABLE SOURCES"""
import pathlib
import subprocess
import sys
import tempfile

import numpy

PARAMETERS = [f"--param={value}" for value in ("M=256", "N=512", "K=512", "GM=2", "GN=2")] + ["--set=launch.clusters=4"]


def main():
    executable, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    numbers = numpy.random.default_rng(1)
    a = numbers.integers(-4, 5, (256, 512)).astype(numpy.float16)
    b = numbers.integers(-4, 5, (512, 512)).astype(numpy.float16)
    expected = a.astype(numpy.float32) @ b.astype(numpy.float32)  # sums of small integers: exact in any order
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        numpy.save(folder / "a.npy", a)
        numpy.save(folder / "b.npy", b)
        for preset, structure in (("a2a3", "dense"), ("a5", "modules")):
            command = [executable, str(sources / "examples" / "ascend" / "gemm.pto"), "--quiet", "--preset", preset, "--structure", structure,
                       f"--input=a_gm={folder / 'a.npy'}", f"--input=b_gm={folder / 'b.npy'}", f"--output=c_gm={folder / 'c.npy'}", *PARAMETERS]
            subprocess.run(command, check=True)
            found = numpy.load(folder / "c.npy").reshape(expected.shape)
            assert numpy.array_equal(found, expected), f"{preset}: {numpy.count_nonzero(found != expected)} values differ"
    print("gemm.pto agrees with NumPy")


main()
