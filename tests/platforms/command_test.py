"""The command tessera (docs/command.md): run, compile, golden, info, diff, from a folder that is no checkout.

    command_test.py WSE_PLATFORM ROOT
"""
import argparse
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import numpy as np

BIN = pathlib.Path(sys.argv[1]).resolve().parent
ROOT = pathlib.Path(sys.argv[2]).resolve()
ABSENT = object()
sys.path.insert(0, str(ROOT / "scripts"))
from commands import show  # noqa: E402
from commands.programs import Problem  # noqa: E402

GEMV = ["--params", "width:4,height:4,M:32,N:32", "--launch", "compute"]


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        shutil.copytree(ROOT / "examples/csl/gemv", self.work / "gemv")

    def test_every_command_answers_help(self):
        for word in (line.split()[0] for line in self.tessera("--help").split("positional arguments:")[1].splitlines() if re.match("    [a-z]", line)):
            for option in ("--help", "-h"):
                self.assertIn("usage: ", self.tessera(word, option), word)

    def test_show(self):
        """A report in words and as a picture: its numbers are those of the report; what it cannot show is refused with what there is."""
        report = self.work / "r.json"
        self.tessera("run", str(ROOT / "examples/exchange/layout.json"), "--param", "W=5", "--param", "H=3", "--quiet", "--report", str(report))
        words = self.tessera("show", "r.json")
        result = json.loads(report.read_text(encoding="utf-8"))
        self.assertIn(f"{result['cycles']:,} cycles", words)
        self.assertIn(result["digest"], words)
        self.assertIn(f"{100 * result['waits']['busy'] / (15 * result['cycles']):5.1f} %  busy", words)
        self.assertIn("--report-detail", self.tessera("show", "r.json", "--svg", "r.svg", expect=2))
        self.assertIn("add --svg", self.tessera("show", "r.json", "--of", "waits", expect=2))
        self.tessera("run", str(ROOT / "examples/exchange/layout.json"), "--param", "W=5", "--param", "H=3", "--quiet", "--report", str(report), "--report-detail")
        (self.work / "edited.json").write_text(json.dumps({**result, "cycles": "many"}), encoding="utf-8")
        self.assertIn("edited.json: has not the form of a report: its 'cycles' are no whole number", self.tessera("show", "edited.json", expect=2))
        self.assertIn("nowhere: no goldens; `tessera golden add", self.tessera("golden", "check", "--dir", "nowhere", expect=2))
        for what in ("busy", "waits", "wait:wavelet", "links", "tasks_started"):
            self.tessera("show", "r.json", "--of", what, "--svg", "r.svg", "--html", "r.html")
            root = ElementTree.parse(self.work / "r.svg").getroot()
            titles = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
            self.assertEqual(sum(text.startswith("tile (") for text in titles), 15, what)
            self.assertIn(result["digest"], (self.work / "r.svg").read_text(encoding="utf-8"))
        tiles = json.loads(report.read_text(encoding="utf-8"))["tiles"]
        self.tessera("show", "r.json", "--of", "waits", "--svg", "r.svg")
        picture = (self.work / "r.svg").read_text(encoding="utf-8")
        worst = max(tiles, key=lambda tile: sum(value for key, value in tile.items() if key.startswith("wait_")))
        share = 100 * sum(value for key, value in worst.items() if key.startswith("wait_")) / result["cycles"]
        self.assertIn(f"{share:.1f}".rstrip("0").rstrip(".") + " %", picture)
        self.assertIn("'hopes' is nothing that the report has of a tile", self.tessera("show", "r.json", "--of", "hopes", "--svg", "r.svg", expect=2))
        (self.work / "none.json").write_text("{}", encoding="utf-8")
        self.assertIn("is no report", self.tessera("show", "none.json", expect=2))
        self.check_edited_reports(report)

    def check_edited_reports(self, report):
        """One sentence for each report that lacks a member or has something else there; a report is not overwritten with its picture."""
        whole = json.loads(report.read_text(encoding="utf-8"))
        before = report.read_bytes()
        (self.work / "link.html").symlink_to(report)
        for options in (["--svg", "r.json"], ["--html", "./r.json"], ["--html", "link.html"], ["--svg", "a.svg", "--html", "./a.svg"]):
            self.assertIn("is also the file of", self.tessera("show", "r.json", *options, expect=2))
        self.assertEqual(report.read_bytes(), before)
        places = [("program",), ("digest",), ("run",), ("waits", "reasons", "wavelet"), ("waits", "lines"), ("waits", "lines", 0, "reason"),
                  ("waits", "lines", 0, "cycles"), ("tiles", 0, "busy_issue_cycles"), ("tiles", 0, "tile"), ("tiles", 0), ("cycles",)]
        for *path, last in places:
            for value in (None, "x", {"a": 1}, 10**400, ABSENT):
                edited = copy.deepcopy(whole)
                at = edited
                for key in path:
                    at = at[key]
                if value is ABSENT:
                    del at[last]
                else:
                    at[last] = value
                file = self.work / "edited.json"
                file.write_text(json.dumps(edited), encoding="utf-8")
                arguments = argparse.Namespace(report=str(file), svg=str(self.work / "e.svg"), html=None, of=None, open=False)
                try:
                    self.assertEqual(show.show(arguments), 0)
                except Problem as problem:
                    self.assertEqual(str(problem).count("\n"), 0, (path, last, value, problem))
        self.assertIn("has not the form of a report", self.tessera("show", "edited.json", expect=2))
        (self.work / "edited.json").write_text(json.dumps({**whole, "cycles": 10**400, "time_ns": 10**400}), encoding="utf-8")
        self.assertIn("cycles", self.tessera("diff", "r.json", "edited.json", expect=1))

    def test_a_damaged_checkpoint_is_no_checkpoint(self):
        """What is in a state is said of whole files only."""
        self.tessera("run", str(ROOT / "examples/exchange/layout.json"), "--quiet", "--checkpoint", "s", "--checkpoint-at", "50")
        self.assertIn("cycle: 50", self.tessera("checkpoint", "s"))
        whole = (self.work / "s").read_bytes()
        middle = len(whole) // 2
        for damaged in (whole[:200], whole[:-1], whole + b"\0", whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:],
                        whole[:60] + bytes([whole[60] ^ 4]) + whole[61:], whole[:18] + b"\xff" * 8 + whole[26:]):
            (self.work / "d").write_bytes(damaged)
            self.assertRegex(self.tessera("checkpoint", "d", expect=2), "damaged|format")
        self.assertIn("no file", self.tessera("checkpoint", "/dev/zero", expect=2))
        self.assertIn("cannot be read", self.tessera("checkpoint", "nowhere", expect=2))

    def start(self, *words, cwd=None):
        command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), *words]
        return subprocess.run(command, cwd=cwd or self.work, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                              env={**os.environ, "TESSERA_BIN": str(BIN)})

    def tessera(self, *words, expect=0, cwd=None):
        result = self.start(*words, cwd=cwd)
        self.assertEqual(result.returncode, expect, f"{words}\n{result.stdout}{result.stderr}")
        return result.stdout + result.stderr

    def test_run_finds_the_platform(self):
        self.assertIn("finished after", self.tessera("run", "gemv/layout.csl", *GEMV))
        self.assertIn("expected .csl", self.tessera("run", "gemv/hops.svg", expect=2))
        self.assertIn("does_not", self.tessera("run", "does_not.json", expect=2))
        self.tessera("run", "gemv/layout.csl", "--wrong-option", expect=2)

    def test_info_names_executables_and_cites(self):
        said = self.tessera("info")
        self.assertIn(f"{BIN}/wse_platform\n  wse_platform ", said)
        self.assertIn("@software{tessera,", self.tessera("info", "--cite"))

    def test_a_golden_says_what_moved(self):
        self.assertIn("cycles, digest", self.tessera("golden", "add", "gemv/layout.csl", "--", *GEMV))
        self.assertIn("1 as before", self.tessera("golden", "check"))
        self.assertIn("exists", self.tessera("golden", "add", "gemv/layout.csl", "--", *GEMV, expect=2))
        self.assertIn("task on_x: ", self.tessera("golden", "show", "gemv"))
        code = self.work / "gemv/pe.csl"
        text = code.read_text(encoding="utf-8")
        code.write_text(text.replace("left -= 1;", "left -= 1; y[0] += 0.0;"), encoding="utf-8")
        said = self.tessera("golden", "check", expect=1)
        for part in ("gemv: cycles ", "    task on_x: busy ", "the runs are equal up to cycle ", "file pe.csl: ", "0 as before"):
            self.assertIn(part, said)
        self.assertNotIn("task done", said, "this task has not moved")
        page = (ROOT / "docs/command.md").read_text(encoding="utf-8")
        self.assertIn(re.sub(r"[0-9a-f]{16}", "D", said), re.sub(r"[0-9a-f]{16}", "D", page), "docs/command.md shows what is said")
        self.tessera("golden", "update")
        self.assertIn("1 as before", self.tessera("golden", "check"))

    def test_a_golden_names_a_task_that_only_worked_more(self):
        code = self.work / "gemv/pe.csl"
        text = code.read_text(encoding="utf-8")
        self.tessera("golden", "add", "gemv/layout.csl", "--", *GEMV)
        code.write_text(text.replace("left -= 1;", "left -= 1; if (left == 0) { y[0] = 2.0; }"), encoding="utf-8")
        self.assertIn("    task on_x: busy ", self.tessera("golden", "check", expect=1))

    def test_a_golden_of_a_host_program_wants_a_folder_of_today(self):
        folder = self.work / "gemv"
        words = ["--arch=wse3", "layout.csl", "--fabric-dims=11,6", "--fabric-offsets=4,1", "--params=width:4,height:4,M:32,N:32", "-o", "out", "--memcpy",
                 "--channels=1"]
        cslc = BIN.parent / "sdk/bin/cslc"

        def compile_():
            subprocess.run([str(cslc), *words], cwd=folder, check=True, capture_output=True)
        compile_()
        add = ["golden", "add", "gemv/run.py", "--name", "host", "--", "--name", "gemv/out"]
        self.tessera(*add)
        self.assertEqual([path.name for path in self.work.iterdir() if path.name.startswith("sim")], [], "logs of the run")
        self.assertIn("1 as before", self.tessera("golden", "check"))
        code = folder / "pe.csl"
        code.write_text(code.read_text(encoding="utf-8").replace("left -= 1;", "left -= 1; y[0] += 0.0;"), encoding="utf-8")
        self.assertIn("gemv/out was compiled before pe.csl was changed", self.tessera("golden", "check", expect=2))
        compile_()
        said = self.tessera("golden", "check", expect=1)
        for part in ("    task on_x: busy ", "file pe.csl: "):
            self.assertIn(part, said)
        self.assertNotIn(".elf", said)

    def test_a_golden_of_a_kernel_has_the_busy_cycles_of_its_pipes(self):
        self.tessera("golden", "add", str(ROOT / "examples/ascend/vector_add.pto"), "--name", "add", "--", "--param", "TILES=8")
        shown = self.tessera("golden", "show", "add")
        for pipe in ("V", "MTE2", "MTE3"):
            self.assertRegex(shown, rf"pipe {pipe} of AIV: .*busy [1-9]")

    def test_a_setting_that_differs_is_named(self):
        self.tessera("golden", "add", "--name", "slow", "gemv/layout.csl", "--", *GEMV)
        path = self.work / "goldens/slow.golden.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"compute"', '"compute",\n"--set",\n"fabric.hop_latency=4"'), encoding="utf-8")
        self.assertIn("setting fabric.hop_latency: (absent) -> ", self.tessera("golden", "check", expect=1))

    def test_an_option_that_differs_is_named(self):
        self.tessera("golden", "add", "--name", "style", "gemv/layout.csl", "--", *GEMV)
        path = self.work / "goldens/style.golden.json"
        path.write_text(path.read_text(encoding="utf-8").replace('"compute"', '"compute",\n"--csl-code",\n"plain"'), encoding="utf-8")
        self.assertIn("option csl-code: (absent) -> ['plain']", self.tessera("golden", "check", expect=1))

    def test_a_golden_runs_where_it_was_added(self):
        layout = ROOT / "examples/gemv_stream/layout.json"
        np.save(self.work / "x.npy", np.ones(24, "f4"))
        sizes = [f"--param={name}={value}" for name, value in zip("MNWH", (24, 24, 2, 2))]
        self.tessera("golden", "add", str(layout), "--name", "x", "--", *sizes, "--input", "x=x.npy")
        elsewhere = self.work / "elsewhere"
        elsewhere.mkdir()
        self.assertIn("1 as before", self.tessera("golden", "check", "--dir", "../goldens", cwd=elsewhere))
        self.assertIn("x: ", self.tessera("golden", "update", "--dir", "../goldens", cwd=elsewhere))
        self.assertIn(f"in {self.work.resolve()}: tessera run ", self.tessera("golden", "show"))
        (self.work / "goldens/x.golden.json").write_text("{", encoding="utf-8")
        self.assertIn("cannot be read as a golden", self.tessera("golden", "check", expect=2))

    def test_a_golden_that_was_edited_is_refused(self):
        self.tessera("golden", "add", "--name", "g", "gemv/layout.csl", "--", *GEMV)
        path = self.work / "goldens/g.golden.json"
        whole = json.loads(path.read_text(encoding="utf-8"))
        places = [(name,) for name in whole if name != "schema"] + [("gave", name) for name in whole["gave"]]
        for *way, last in places:
            for wrong in (3.5, [3], {"a": [1]}):
                edited = json.loads(json.dumps(whole))
                inner = edited[way[0]] if way else edited
                inner[last] = wrong
                path.write_text(json.dumps(edited), encoding="utf-8")
                for action, code in (("check", 2), ("show", 2)):
                    self.assertIn(": expected ", self.tessera("golden", action, expect=code), (way, last, wrong))

    def test_one_that_cannot_run_hides_no_other(self):
        shutil.copytree(self.work / "gemv", self.work / "other")
        for folder in ("gemv", "other"):
            self.tessera("golden", "add", f"{folder}/layout.csl", "--", *GEMV)
        (self.work / "gemv/pe.csl").write_text("wrong", encoding="utf-8")
        said = self.tessera("golden", "check", expect=2)
        self.assertIn("gemv: cannot run: ", said)
        self.assertIn("1 as before", said)

    def test_diff_finds_equal_reports_equal(self):
        self.tessera("run", "gemv/layout.csl", *GEMV, "--quiet", "--report", "a.json")
        self.assertIn("results are equal", self.tessera("diff", "a.json", "a.json"))

    def test_diff_names_the_option_that_differs(self):
        for name, more in (("a", []), ("b", ["--max-cycles", "50"])):
            self.tessera("run", "gemv/layout.csl", *GEMV, *more, "--quiet", "--report", f"{name}.json", expect=4 if more else 0)
        said = self.tessera("diff", "a.json", "b.json", expect=1)
        self.assertRegex(said, r"inputs differ\n  options.max-cycles.0 +\(absent\) -> 50")
        self.assertNotIn("command lines", said)

    def test_a_file_that_an_option_names_is_its_digest(self):
        """A report must be the same on another computer."""
        np.save(self.work / "x.npy", np.zeros(512, np.float32))
        arguments = ["x=x.npy", "y=f32[512]", "ALPHA=2", "N=512"]
        self.tessera("run", str(ROOT / "examples/ascend/cpp/axpy.cpp"), *(word for value in arguments for word in ("--arg", value)), "--quiet", "--report", "a.json")
        options = json.loads((self.work / "a.json").read_text(encoding="utf-8"))["run"]["options"]
        self.assertRegex(options["arg"][0], "^x=[0-9a-f]{16}$")
        self.assertEqual(options["arg"][1:], arguments[1:])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
