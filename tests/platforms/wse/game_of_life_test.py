"""The public cellular automaton game-of-life (wse.md 10.27): four data tasks and six local tasks a PE, handshakes by block
and unblock. Random boards are exact on both generations, in both structures and in any step order; the expected boards come
from NumPy. With pe.picker=lowest_id data tasks run over the relay of the generation before, and cells are wrong."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SIZES = [(12, 12), (4, 4), (2, 2), (5, 9), (9, 4), (16, 3), (3, 16), (7, 8)]  # columns, rows
GENERATIONS = 20


def evolve(board):
    """All generations of a board, each from the sums over the eight neighbours; beyond the rim everything is dead."""
    states = [board]
    for _ in range(GENERATIONS - 1):
        padded = np.pad(states[-1], 1)
        height, width = board.shape
        neighbours = sum(padded[1 + dy:1 + dy + height, 1 + dx:1 + dx + width]
                         for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dx, dy) != (0, 0))
        states.append(((neighbours == 3) | ((neighbours == 2) & (states[-1] == 1))).astype(np.uint32))
    return np.stack(states, axis=-1)


class Life:
    def __init__(self, executable, folder):
        self.executable = executable
        self.folder = folder
        self.layout = pathlib.Path(__file__).parent / "programs/game_of_life/layout.json"

    def run(self, board, preset, *options):
        """Exit code, all states (None without), and the report without what the wall clock says."""
        paths = [self.folder / name for name in ("board.npy", "states.npy", "report.json")]
        for path in paths:
            path.unlink(missing_ok=True)
        np.save(paths[0], board)
        height, width = board.shape
        result = subprocess.run(
            [self.executable, str(self.layout), "--quiet", "--preset", preset, "--param", f"W={width}", "--param", f"H={height}",
             "--param", f"GENERATIONS={GENERATIONS}", "--input", f"board={paths[0]}", "--output", f"states={paths[1]}",
             "--report", str(paths[2]), *options], capture_output=True, text=True, check=False, timeout=600)
        report = json.loads(paths[2].read_text()) if paths[2].exists() else {}
        for key in ("wall", "run", "structure"):
            report.pop(key, None)
        return result, np.load(paths[1]) if paths[1].exists() else None, report


def main():
    with tempfile.TemporaryDirectory() as name:
        life = Life(sys.argv[1], pathlib.Path(name))
        wrong = {}
        for seed, (width, height) in enumerate(SIZES):
            board = np.random.default_rng(seed).integers(0, 2, (height, width), dtype=np.uint32)
            expected = evolve(board)
            for preset in ("wse2", "wse3"):
                what = f"{width} x {height}, seed {seed}, {preset}"
                result, states, report = life.run(board, preset, "--structure", "modules")
                assert result.returncode == 0, f"{what}: exit code {result.returncode}\n{result.stderr}"
                assert np.array_equal(states, expected), f"{what}: {np.count_nonzero(states != expected)} wrong cells"
                for options in (["dense"], ["dense", "--shuffle-step-order", "--seed", "1"],
                                ["modules", "--shuffle-step-order", "--seed", "2"]):
                    again = life.run(board, preset, "--structure", *options)[2]
                    assert again == report, f"{what}: {' '.join(options)} gives another report"
                result, states, _ = life.run(board, preset, "--set", "pe.picker=lowest_id")
                cells = "stuck" if result.returncode else np.count_nonzero(states != expected)
                wrong.setdefault(preset, []).append(cells)
        print(f"wrong cells with the lowest id first: {wrong}")
        for preset, cells in wrong.items():
            assert any(cells), f"{preset}: the lowest id first is right, too; this test shows nothing"


main()
