"""Files that a run writes (docs/running.md#files-that-a-run-writes): whatever ends it, a file under its final name is whole,
the older one or the new one, and no input is overwritten. outputs_test.py WSE_PLATFORM"""
import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/wse_platform").resolve().parent
GEMV = ROOT / "examples/gemv_stream"
OLD = "an older file\n"
KILLS = 200
PAIRS = 40
# What a run without end does: a tile that jumps to itself.
SPIN = {"layout.json": json.dumps({"schema": "tessera-wse-layout-1", "grid": [1, 1],
                                   "tiles": [{"rect": [0, 0, 1, 1], "code": "spin.tasm"}], "host": [{"launch": "main"}]}),
        "spin.tasm": "fn main\nagain:\n  jmp again\n"}


def is_whole(path):
    """Whether a file is the older one, or one that a run has completed."""
    text = path.read_text(encoding="latin-1")
    if text == OLD:
        return True
    if path.suffix == ".json":
        return bool(json.loads(text))
    if path.suffix == ".svg":
        return text.rstrip().endswith("</svg>")
    if path.suffix == ".npy":
        return path.stat().st_size == 128 + 6 * 4
    return text.endswith("\n") and "#" in text  # VCD


class OutputsTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)

    def run_program(self, *arguments, program="wse_platform", layout=None, **keywords):
        command = [str(BIN / program), *([] if layout is False else [str(layout or GEMV / "layout.json")]), *map(str, arguments)]
        keywords.setdefault("stdout", subprocess.PIPE)
        return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False, timeout=600, **keywords)

    def test_a_bound_holds_up_to_the_last_cycle(self):
        """Also while the last words of a copy are under way: a run that is cut is none that ended well."""
        report = self.work / "r.json"
        command = ["--arch=wse3", "--params=width:4,height:4,M:32,N:32", "--launch=compute", f"--output=y={self.work / 'y.npy'}", f"--report={report}", "--quiet"]
        layout = ROOT / "examples/csl/gemv/layout.csl"
        self.assertEqual(self.run_program(*command, layout=layout).returncode, 0)
        whole = json.loads(report.read_text(encoding="utf-8"))
        bounds = {whole["cycles"] - 1, whole["cycles"] - 2, *random.Random(12).sample(range(1, whole["cycles"]), 12)}
        for bound in sorted(bounds):
            self.assertEqual(self.run_program(*command, f"--max-cycles={bound}", layout=layout).returncode, 4, f"{bound} of {whole['cycles']}")
            self.assertIn(f"stopped before cycle {bound}", json.loads(report.read_text(encoding="utf-8"))["message"])
        self.assertEqual(self.run_program(*command, f"--max-cycles={whole['cycles']}", layout=layout).returncode, 0)
        again = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual([whole[key] for key in ("cycles", "digest", "counters")], [again[key] for key in ("cycles", "digest", "counters")])

    def all_outputs(self, folder):
        """Options that write a file of every kind into `folder`, where older ones lie."""
        files = {"--report": "r.json", "--trace-perfetto": "t.json", "--vcd": "w.vcd", "--heatmap": "h.svg", "--output": "y.npy"}
        for name in files.values():
            (folder / name).write_text(OLD, encoding="utf-8")
        return [part for option, name in files.items()
                for part in (option, f"{'y=' if option == '--output' else ''}{folder / name}")]

    def temporaries(self, folder=None):
        return sorted((folder or self.work).glob("*.tmp-*"))

    def spin(self, *arguments, program="wse_platform", **keywords):
        for name, text in SPIN.items():
            (self.work / name).write_text(text, encoding="utf-8")
        command = [str(BIN / program), str(self.work / "layout.json"), *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **keywords)

    def wait_for(self, is_there):
        deadline = time.monotonic() + 600
        while not is_there():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def wait_until_caught(self, process, number, caught=True):
        """Until a process has a handler of its own for a signal, or has none any more."""
        def is_so():
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            mask = int(status.split("SigCgt:")[1].split()[0], 16)
            return bool(mask >> (number - 1) & 1) == caught
        self.wait_for(is_so)

    def wait_until_it_runs(self, process):
        """Until it has used more processor time than it needs to be built."""
        def is_so():
            words = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
            return int(words[11]) + int(words[12]) > os.sysconf("SC_CLK_TCK") / 4
        self.wait_for(is_so)

    # ---- what may end a run

    def test_kill_at_random_moments(self):
        options = self.all_outputs(self.work)
        begin = time.monotonic()
        self.assertEqual(self.run_program(*options, "--quiet").returncode, 0)
        whole_run = time.monotonic() - begin  # how long a run takes, as far as is known: other programs make it longer
        outputs = [path for path in self.work.iterdir() if not path.name.startswith(".")]
        moments = random.Random(21)
        killed = 0
        for i in range(KILLS):
            if i % 10 == 0:
                self.all_outputs(self.work)
            begin = time.monotonic()
            process = subprocess.Popen([BIN / "wse_platform", GEMV / "layout.json", *options, "--quiet"])
            try:
                process.wait(moments.uniform(0, 1.2 * whole_run))
                whole_run = min(whole_run, time.monotonic() - begin)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
            for path in outputs:
                self.assertTrue(is_whole(path), f"run {i}: {path.name}")
        self.assertGreater(killed, KILLS // 4)

    def test_two_runs_on_one_report_leave_one_whole_report(self):
        report = self.work / "r.json"
        for i in range(PAIRS):
            pair = [subprocess.Popen([BIN / "wse_platform", GEMV / "layout.json", "--quiet", "--report-detail", "--report", report,
                                      "--param", f"M={rows}"]) for rows in (6, 24)]
            self.assertEqual([one.wait(600) for one in pair], [0, 0])
            self.assertIn(json.loads(report.read_text())["run"]["params"]["M"], (6, 24), f"pair {i}")
        self.assertEqual(self.temporaries(), [])

    def test_a_full_disk(self):
        if os.geteuid() != 0:
            self.skipTest("only root can mount a small disk")
        disk = self.work / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False).returncode != 0:
            self.skipTest("mount is not allowed here")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        options = self.all_outputs(disk)
        done = self.run_program("--param", "W=16", "--param", "H=16", "--param", "M=32", "--param", "N=32", "--report-detail", *options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("could not be written to its end; is the disk full?", done.stderr)
        for path in disk.iterdir():
            self.assertTrue(path.suffix == ".npy" or is_whole(path), path.name)
        self.assertEqual(self.temporaries(disk), [])
        self.assertEqual((disk / "t.json").read_text(), OLD)

    def test_a_limit_of_file_sizes(self):
        report = self.work / "r.json"
        report.write_text(OLD, encoding="utf-8")
        for program, layout, options in (("wse_platform", None, []),
                                         ("numesh_platform", ROOT / "examples/numesh/two_phases.json", []),
                                         ("ascend_platform", ROOT / "examples/ascend/vector_add.pto", ["--param", "TILES=4"]),
                                         ("vp_platform", ROOT / "examples/vp/gemv.vps", [])):
            done = self.run_program("--quiet", "--report", report, *options, program=program, layout=layout,
                                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512)))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("r.json: could not be written to its end", done.stderr)
            self.assertEqual(report.read_text(), OLD)
        self.assertEqual(self.temporaries(), [])

    def test_a_full_standard_output(self):
        report = self.work / "r.json"
        for arguments in (["--report", report], ["--help"], ["--version"], ["--print-config"], ["--print-program"], ["--validate"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = self.run_program(*arguments, stdout=full)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("standard output: could not be written", done.stderr)
        self.assertEqual(json.loads(report.read_text())["status"], "finished")
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.assertEqual(self.run_program("--help", program="tessera_cslc", layout=False, stdout=full).returncode, 2)
        self.assertEqual(self.run_program("--report", "/dev/full").returncode, 2)

    def test_a_reader_that_ends_early(self):
        report = self.work / "r.json"
        with subprocess.Popen(["true"], stdin=subprocess.PIPE) as reader:
            reader.wait()
            done = self.run_program("--report", report, stdout=reader.stdin)
            reader.stdin.close()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(json.loads(report.read_text())["status"], "finished")

    def test_too_little_memory(self):
        limit = 400 << 20
        done = self.run_program("--param", "W=700", "--param", "H=900", "--param", "M=9000", "--param", "N=7000", "--quiet",
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("there is not enough memory", done.stderr)

    def test_signals_end_a_run_as_a_timeout_does(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            trace, report = self.work / "t.json", self.work / "r.json"
            process = self.spin("--report", report, "--trace-perfetto", trace)
            self.wait_for(self.temporaries)
            self.wait_until_it_runs(process)
            process.send_signal(number)
            _, errors = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 4, errors)
            result = json.loads(report.read_text())
            self.assertEqual(result["status"], "could_not_finish")
            self.assertIn(f"stopped by {number.name}", result["message"])
            self.assertGreater(result["cycles"], 0)
            self.assertTrue(json.loads(trace.read_text()))
            self.assertEqual(self.temporaries(), [])
            for path in (trace, report):
                path.unlink()

    def test_a_signal_ends_a_host_script(self):
        for name, text in SPIN.items():
            (self.work / name).write_text(text, encoding="utf-8")
        (self.work / "s.vps").write_text("device wse layout.json\nwrite slot[0].function fn.main\nwrite doorbell[0] 1\nwait irq\n", encoding="utf-8")
        process = subprocess.Popen([BIN / "vp_platform", self.work / "s.vps", "--report", self.work / "r.json"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.wait_until_caught(process, signal.SIGTERM)
        self.wait_until_it_runs(process)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=600)
        self.assertEqual(process.returncode, 4, errors)
        self.assertIn("stopped by SIGTERM", json.loads((self.work / "r.json").read_text())["message"])

    def test_a_second_signal_ends_at_once(self):
        os.mkfifo(self.work / "r.json")  # without a reader the report waits for one
        process = self.spin("--report", self.work / "r.json")
        self.wait_until_caught(process, signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        self.wait_until_caught(process, signal.SIGTERM, False)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=600)
        self.assertEqual(process.returncode, -signal.SIGTERM)

    def test_an_ignored_signal_stays_ignored(self):
        process = self.spin("--max-cycles", 3_000_000, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=600)
        self.assertIn("--max-cycles", errors)

    # ---- what may not be written, and how

    def test_no_input_is_overwritten(self):
        shutil.copytree(GEMV, self.work / "g")
        layout, code = self.work / "g/layout.json", self.work / "g/gemv.tasm"
        link, other = self.work / "link.svg", self.work / "other.svg"
        os.link(code, link)
        other.symlink_to(code)
        before = code.read_bytes(), layout.read_bytes()
        for option, path in (("--heatmap", code), ("--heatmap", link), ("--heatmap", other), ("--report", layout), ("--report", code),
                             ("--trace-perfetto", code), ("--output", f"y={code}"), ("--print-log", link)):
            done = self.run_program(option, path, layout=layout)
            self.assertEqual(done.returncode, 2, (option, path))
            self.assertRegex(done.stderr, "is a file that this run reads|is also the file of")
            self.assertEqual((code.read_bytes(), layout.read_bytes()), before)
        self.assertEqual(self.temporaries(self.work / "g"), [])

    def test_a_new_file_with_two_names_is_one_file(self):
        """Neither of two outputs replaces the other one, however its place is written."""
        (self.work / "link.json").symlink_to("new.json")
        (self.work / "folder").mkdir()
        for other in ("./new.json", "folder/../new.json", self.work / "new.json", "link.json", "./link.json"):
            done = self.run_program("--quiet", "--report", "new.json", "--trace-perfetto", other, cwd=self.work)
            self.assertEqual(done.returncode, 2, other)
            self.assertIn("is also the file of --report", done.stderr)
            self.assertFalse((self.work / "new.json").exists())

    def test_files_without_an_end_are_refused(self):
        for arguments in (["/dev/zero"], [GEMV / "layout.json", "--config", "/dev/zero"]):
            done = self.run_program(*arguments, layout=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("/dev/zero: the", done.stderr)
            self.assertIn("has more than 512 MiB, or no end", done.stderr)

    def test_arrays_that_a_layout_names_are_inputs(self):
        layout = json.loads((GEMV / "layout.json").read_text())
        self.assertEqual(self.run_program("--quiet", "--output", f"y={self.work / 'y.npy'}").returncode, 0)
        layout["host"][-1]["check"] = {"name": "y", "expect": "y.npy", "rtol": 1e-5, "atol": 1e-5}
        shutil.copy(GEMV / "gemv.tasm", self.work)
        (self.work / "layout.json").write_text(json.dumps(layout), encoding="utf-8")
        before = (self.work / "y.npy").read_bytes()
        done = self.run_program("--output", f"y={self.work / 'y.npy'}", layout=self.work / "layout.json")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("y.npy: is a file that this run reads", done.stderr)
        self.assertEqual((self.work / "y.npy").read_bytes(), before)

    def test_devices_and_pipes_are_written_as_they_are(self):
        done = self.run_program("--quiet", "--report", "/dev/stdout")
        self.assertEqual(json.loads(done.stdout)["status"], "finished")
        self.assertEqual(self.run_program("--quiet", "--report", "/dev/null").returncode, 0)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        log = self.work / "log"
        with open(log, "w", encoding="utf-8") as out:
            out.write("before\n")
            out.flush()
            self.assertEqual(self.run_program("--report", "/dev/stdout", stdout=out).returncode, 0)
        self.assertRegex(log.read_text(), r"(?s)^before\n\{.*\}\nfinished after .*checks")
        pipe, got = self.work / "pipe", []
        os.mkfifo(pipe)
        reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
        reader.start()
        self.assertEqual(self.run_program("--quiet", "--report", pipe).returncode, 0)
        reader.join(60)
        self.assertEqual(json.loads(got[0])["status"], "finished")
        done = self.run_program("--report", self.work)
        self.assertEqual((done.returncode, "Is a directory" in done.stderr), (2, True), done.stderr)

    def test_links_and_permissions_stay(self):
        target, link = self.work / "target.json", self.work / "r.json"
        target.write_text(OLD, encoding="utf-8")
        target.chmod(0o640)
        link.symlink_to("target.json")
        self.assertEqual(self.run_program("--quiet", "--report", link).returncode, 0)
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(target.read_text())["status"], "finished")
        self.assertEqual(stat.S_IMODE(target.stat().st_mode), 0o640)

    def test_a_compiled_program_stays_whole(self):
        source, out = ROOT / "examples/csl/gemv", self.work / "out"
        arguments = (source / "commands.sh").read_text().splitlines()[0].replace(" -o out", f" -o {out}").split()[1:]
        command = [BIN / "tessera_cslc", *(source / word if word == "layout.csl" else word for word in arguments)]
        subprocess.run(command, check=True, capture_output=True)
        before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        done = subprocess.run(command, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)), capture_output=True, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual({path: path.read_bytes() for path in out.rglob("*") if path.is_file()}, before)
        moments = random.Random(22)
        for _ in range(20):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            try:
                process.wait(moments.uniform(0, 0.2))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            self.assertEqual({path: path.read_bytes() for path in before}, before)


if __name__ == "__main__":
    unittest.main()
