"""A breakpoint on a line is hit as often as coverage counts the line: every line with code of layouts in tile assembly, of CSL programs and
of programs with a host.

    debug_hits_test.py WSE_PLATFORM ROOT [all | FOLDER ..]

`all`: all programs of examples/csl and tests/scenario/csl. FOLDER: programs with layout.csl and run.py as those of tests/scenario/csl.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

from debug_session import BIN, GEMV, ROOT, counted, counts_in, dap, hits_at_end, hits_of, set_counters

ARMS = ["tests/platforms/wse/programs/arms/layout.csl", "--launch", "go"]
LAYOUTS = {
    "gemv.csl": GEMV,
    "plain code": [*GEMV, "--csl-code", "plain"],
    "best code": [*GEMV, "--csl-code", "best"],
    **{f"arms, {code} code": [*ARMS, "--csl-code", code] for code in ("vendor", "plain", "best")},
    "gemv": ["examples/gemv_stream/layout.json"],
    "exchange": ["examples/exchange/layout.json", "--param", "ITER=2"],
    "reduce": ["examples/reduce_chain/layout.json"],
    "pe_loops": ["examples/pe_loops/layout.json"],
}
SCENARIOS = ROOT / "tests/scenario/csl"
FEW = ("control_flow", "data_tasks", "calls_in_a_cycle", "arrays")


def differing(hits, executions):
    return {f"{source}:{line}": (hits.get((source, line)), executions.get((source, line)))
            for source, line in {*hits, *executions} if hits.get((source, line)) != executions.get((source, line))}


class Attached:
    """A host program whose runs a debugger attends, one after the other."""

    def __init__(self, folder, arch, code, work):
        self.work = pathlib.Path(work)
        # By the names that the compiler has been given: it was started in this folder.
        self.lines = {(str(file.relative_to(folder)), line) for file in folder.glob("**/*.csl")
                      for line in range(1, len(file.read_text().splitlines()) + 1)}
        line = re.search(r"^// cslc: *(.*)$", (folder / "layout.csl").read_text(), re.M)
        out = self.work / "out"
        subprocess.run([str(BIN / "tessera_cslc"), "layout.csl", *shlex.split(line[1] if line else ""), "--arch=" + arch, "--csl-code=" + code,
                        "-o", str(out)], cwd=folder, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        self.socket, self.info = self.work / "d.sock", self.work / "run.info"
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCENARIOS), str(ROOT / "python")]), "TESSERA_BIN": str(BIN),
                       "TESSERA_OPTIONS": f"--debug={self.socket} --coverage {self.info}"}
        self.host = subprocess.Popen([sys.executable, "-B", str(folder / "run.py"), str(out), arch], cwd=work, env=environment,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def runs(self):
        """(hits, executions) of each run."""
        while self.host.poll() is None:
            if not self.socket.exists():
                time.sleep(0.01)
                continue
            client = None
            try:
                client = dap.Client.connect(self.socket, 0.2)
                client.request("initialize")
            except (OSError, dap.Gone):  # of a run that has just ended
                if client is not None:
                    client.close()
                continue
            yield self.attend(client), self.executions()
        _, said = self.host.communicate()
        assert self.host.returncode == 0, said

    def attend(self, client):
        client.request("attach")
        answers = set_counters(client, self.lines)
        lines = {at for at, answer in answers.items() if answer["verified"] and answer["line"] == at[1]}
        for source in {source for source, _ in self.lines}:
            client.request("setBreakpoints", source={"path": source}, breakpoints=[])
        set_counters(client, lines)
        client.request("configurationDone")
        return hits_at_end(client, lines)

    def executions(self):
        while not self.info.exists():
            time.sleep(0.01)
        counts = counts_in(self.info)
        self.info.unlink()  # the next run writes one of its own, later than the debugger has gone
        return counts


class Hits(unittest.TestCase):
    def test_layouts(self):
        for name, program in LAYOUTS.items():
            for structure in ("modules", "dense"):
                with self.subTest(name, structure=structure):
                    executions = counted(program)
                    self.assertEqual(differing(hits_of(program, executions, "--structure", structure), executions), {})

    def test_arms(self):
        """An arm counts for those who take it alone, also where the other arm goes on in the middle of code that follows it directly."""
        for code in ("vendor", "plain", "best"):
            counts = {line: count for (_, line), count in counted([*ARMS, "--csl-code", code]).items()}
            with self.subTest(code):
                self.assertEqual({line: counts[line] for line in (18, 19, 21, 23)}, {18: 1, 19: 1, 21: 2, 23: 3})

    def test_host_programs(self):
        folders = FOLDERS or [SCENARIOS / name for name in FEW]
        for folder in folders:
            for arch, code in (("wse3", "best"), ("wse2", "plain"), ("wse2", "vendor")):
                if re.search("_sdk_0_|_wse2$", folder.name) and arch == "wse3":  # SDK 0.4 to 0.9 had WSE-2 alone
                    continue
                with self.subTest(folder.name, arch=arch, code=code), tempfile.TemporaryDirectory() as work:
                    runs = 0
                    for hits, executions in Attached(folder, arch, code, work).runs():
                        self.assertEqual(differing(hits, executions), {})
                        runs += 1
                    sets_options = "TESSERA_OPTIONS" in (folder / "run.py").read_text()
                    self.assertTrue(runs > 0 or sets_options)


FOLDERS = [pathlib.Path(folder).resolve() for folder in sys.argv[3:]]
if sys.argv[3:] == ["all"]:
    FOLDERS = sorted(file.parent for file in SCENARIOS.glob("*/run.py"))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
