"""Kernels in C++ compile and start in a moment, and run about as fast as PTO text. CPU time, with bounds several times what an
idle computer takes, so that a busy one does not matter."""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(sys.argv[2]) / "scripts"))
from bench_clusters import Bench  # noqa: E402


def check(what, found, bound):
    print(f"{what}: {found:.3g}, at most {bound}")
    assert found <= bound, f"{what}: {found:.3g}, expected at most {bound}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(pathlib.Path(sys.argv[1]).parent, folder, quick=False)
        first, next_ = bench.compilation()
        check("seconds for the first run of a kernel of 200 lines", first, 5)
        check("seconds for the next run", next_, 0.2)
        text, cpp = bench.softmax()
        check("time of a kernel in C++ over that of the same kernel in PTO text", cpp / text, 2)


if __name__ == "__main__":
    main()
