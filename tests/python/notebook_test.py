#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/notebooks: their cells run, in order, and are kept without outputs. With nbclient and ipykernel (Debian:
python3-nbclient, python3-ipykernel) a Jupyter kernel runs them too."""
import contextlib
import io
import json
import os
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDY = ROOT / "examples/notebooks/study.ipynb"
MOST_BYTES = 20_000


def run_here(notebook, folder):
    """What the cells print."""
    names, text = {"__name__": "__main__"}, io.StringIO()
    before = os.getcwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(text):
            for cell in notebook["cells"]:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), cell["id"], "exec"), names)  # pylint: disable=exec-used
    finally:
        os.chdir(before)
    return text.getvalue()


def run_in_jupyter(path, folder):
    import nbclient  # pylint: disable=import-outside-toplevel
    import nbformat  # pylint: disable=import-outside-toplevel
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(folder)}}).execute()
    return "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))


def has_jupyter():
    try:
        import ipykernel  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        import nbclient  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
        import nbformat  # noqa: F401 pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return False
    return True


class Notebooks(unittest.TestCase):
    def setUp(self):
        os.environ.setdefault("MPLBACKEND", "agg")
        os.environ.setdefault("MPLCONFIGDIR", tempfile.mkdtemp())

    def check_study(self, printed):
        for words in ("1421 cycles", "bank_conflict", "gemv.tasm:51 (task on_x)", "PAD, LOOP    686 cycles", "best: 4 x 4, LOOP=1"):
            self.assertIn(words, printed)

    def test_study(self):
        notebook = json.loads(STUDY.read_text(encoding="utf-8"))
        self.assertLess(STUDY.stat().st_size, MOST_BYTES)
        self.assertFalse([cell for cell in notebook["cells"] if cell.get("outputs")], "the notebook is kept without outputs")
        self.check_study(run_here(notebook, STUDY.parent))

    @unittest.skipUnless(has_jupyter(), "nbclient and ipykernel are not installed: no Jupyter kernel runs the notebook")
    def test_study_in_jupyter(self):
        self.check_study(run_in_jupyter(STUDY, STUDY.parent))


if __name__ == "__main__":
    unittest.main()
