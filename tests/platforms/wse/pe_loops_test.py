"""examples/pe_loops: every kernel gives its result on both generations, and the checks of the layouts notice one that does
nothing."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

KERNELS = {"layout.json": 10, "f32.json": 3, "forms.json": 4, "overlap.json": 3, "matrix.json": 2}
SMALL = {"layout.json": 8, "f32.json": 5, "forms.json": 256, "overlap.json": 3, "matrix.json": 4}  # N
VARIANTS = {"layout.json": [["STRIDE=3"], ["GAP=4"]], "f32.json": [["SHIFT=0"]], "matrix.json": [["ROWS=8", "N=12"]]}


def run(executable, layout, preset, params):
    command = [executable, str(layout), "--preset", preset, "--quiet"]
    command += [f"--param={param}" for param in params]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def without_kernels(source, folder):
    """A copy of the example whose programs end at once."""
    copy = shutil.copytree(source, folder / "nothing")
    for program in copy.glob("*.tasm"):
        text = program.read_text()
        assert text.count("\nfn main\n") == 1, program
        program.write_text(text.replace("\nfn main\n", "\nfn main\n    ret\n"))
    return copy


def main():
    executable, example = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        nothing = without_kernels(example, pathlib.Path(folder))
        for layout, count in KERNELS.items():
            for kernel in range(count):
                params = [f"KERNEL={kernel}", f"N={SMALL[layout]}"]
                for preset in ("wse2", "wse3"):
                    for variant in [[], *VARIANTS.get(layout, [])]:
                        result = run(executable, example / layout, preset, params + variant)
                        assert result.returncode == 0, f"{layout} {preset} {params + variant}\n{result.stderr}"
                result = run(executable, nothing / layout, "wse3", params)
                assert result.returncode == 1, f"{layout} {params}: nothing was done and no check failed"
            result = run(executable, example / layout, "wse3", [f"KERNEL={count}"])
            assert result.returncode == 4, f"{layout} has more kernels than this test knows"
            print(f"{layout}: {count} kernels")


main()
