"""A debugger that is another process: at a socket, in an editor (`tessera dap`), beside a host program (docs/debugger.md).

    debug_attach_test.py WSE_PLATFORM ROOT
"""
import os
import pathlib
import socket
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from debug_session import BIN, GEMV, ROOT, Session, command_of, dap


class Socket(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "d.sock"

    def start(self):
        return subprocess.Popen(command_of(GEMV, f"--debug={self.path}"), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_only_this_user_and_a_client_that_goes(self):
        run = self.start()
        client = Session.connect(self.path, 60)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        client.request("initialize")
        client.request("attach")
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "done"}])
        client.request("configurationDone")
        client.wait_for("stopped")
        client.close()
        said = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, said)
        self.assertIn(f"debugger: tessera attach {self.path}", said[1])
        self.assertFalse(self.path.exists())

    def test_the_second_client_gets_the_run(self):
        run = self.start()
        first = Session.connect(self.path, 60)
        first.request("initialize")
        first.close()
        second = Session.connect(self.path)
        second.request("initialize")
        second.request("attach", stopOnEntry=True)
        second.request("configurationDone")
        second.wait_for("stopped")
        second.request("disconnect", terminateDebuggee=True)
        second.close()
        self.assertIn("ended by the debugger", run.communicate(timeout=120)[1])
        self.assertEqual(run.returncode, 4)

    def test_a_client_may_ask_for_long_after_the_run(self):
        run = self.start()
        client = Session.connect(self.path, 60)
        client.request("initialize")
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "compute", "hitCondition": ">1000"}])
        client.request("attach")
        client.request("configurationDone")
        client.wait_for("terminated")
        for _ in range(5):  # longer than a client that says nothing is waited for
            time.sleep(0.8)
            self.assertIn(" hits", client.request("evaluate", expression="info breakpoints", context="repl")["result"])
        self.assertIsNone(run.poll())
        client.close()
        self.assertEqual(run.wait(60), 0)
        run.communicate()

    def test_a_path_that_is_taken(self):
        self.path.write_text("a file")
        run = self.start()
        self.assertIn("no socket", run.communicate(timeout=120)[1])
        self.assertEqual(run.returncode, 2)
        self.path.unlink()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.close()  # as a killed run leaves it
        run = self.start()
        client = Session.connect(self.path, 60)
        client.request("disconnect")
        client.close()
        run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0)

    def test_what_cannot_be_together(self):
        for options, word in ((["--debug=stdio", "--threads=4"], "--debug"), (["--debug=/tmp/" + "a" * 200], "107 characters")):
            result = subprocess.run(command_of(GEMV, *options), cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(word, result.stderr)
        result = subprocess.run([str(BIN / "vp_platform"), "--debug=stdio", "x.vps"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("vp_platform has no debugger", result.stderr)


class Editor(unittest.TestCase):
    """tessera dap: what an editor starts."""

    def test_a_session(self):
        client = dap.Client.start([sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "dap"], cwd=ROOT,
                                  env={**os.environ, "TESSERA_BIN": str(BIN)})
        self.assertTrue(client.request("initialize", adapterID="tessera")["supportsFunctionBreakpoints"])
        with self.assertRaises(dap.Refused):
            client.request("launch")
        client.request("launch", program=GEMV[0], args=GEMV[1:], pes="(1..2,1)")
        client.wait_for("initialized")
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "reduce", "condition": "pe=(2,1)"}])
        client.request("setExceptionBreakpoints", filters=[])
        client.request("configurationDone")
        stop = client.wait_for("stopped")[0]["body"]
        self.assertIn("PE (2, 1)", stop["text"])
        self.assertEqual([t["name"] for t in client.request("threads")["threads"]], ["PE (1, 1)", "PE (2, 1)"])
        frame = client.request("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
        self.assertTrue(frame["source"]["path"].endswith("examples/csl/gemv/pe.csl"))
        client.request("continue", threadId=stop["threadId"])
        _, before = client.wait_for("exited")
        self.assertIn("digest", "".join(e["body"]["output"] for e in before if e["event"] == "output"))
        self.assertEqual(client.wait_for("terminated")[1], [])
        with self.assertRaisesRegex(dap.Refused, "the run is over"):
            client.request("threads")
        client.request("disconnect")
        self.assertEqual(client.close(), 0)

    def test_what_a_host_program_prints_comes_before_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BIN / "tessera_cslc", "--arch=wse3", ROOT / "examples/csl/gemv/layout.csl", "--fabric-dims=11,5",
                            "--fabric-offsets=4,1", "--params=width:4,height:3,M:12,N:16", "-o", "out", "--memcpy", "--channels=1"],
                           cwd=folder, check=True, stderr=subprocess.DEVNULL)
            client = dap.Client.start([sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "dap"], cwd=folder,
                                      env={**os.environ, "TESSERA_BIN": str(BIN)})
            client.request("initialize", adapterID="tessera")
            client.request("launch", host=str(ROOT / "examples/csl/gemv/run.py"), args=["--name", "out"], cwd=folder)
            client.request("configurationDone")
            events = client.wait_for("terminated")[1]
            self.assertIn(("output", "SUCCESS\n"), [(e["event"], e["body"].get("output")) for e in events])
            self.assertEqual([e["body"] for e in events if e["event"] == "exited"], [{"exitCode": 0}])
            client.request("disconnect")
            self.assertEqual(client.close(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
