# SPDX-License-Identifier: Apache-2.0
"""The Slurm job of docs/checkpoints.md, as it stands there: it is preempted, put back into the queue, and ends as if it had not been.

preempted_job_test.py WSE_PLATFORM ROOT"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

EXECUTABLE, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "tests/support"))
import slurm  # noqa: E402 pylint: disable=wrong-import-position


class PreemptedJob(slurm.Daemons, unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)

    def report(self, folder):
        report = json.loads((folder / "r.json").read_text())
        for part in ("run", "wall", "structure"):
            report.pop(part)
        return report, report.pop("checkpoint", None)

    @staticmethod
    def seconds_of_run_in(folder):
        """Processor time of the run there; 0: there is none."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if (process / "comm").read_text().strip() == EXECUTABLE.name[:15] and (process / "cwd").readlink() == folder:
                    return int((process / "stat").read_text().rpartition(")")[2].split()[11]) / os.sysconf("SC_CLK_TCK")
            except OSError:
                continue  # it has ended
        return 0

    def test_the_job_of_the_page(self):
        environment = self.start_slurm()
        environment["PATH"] = f"{EXECUTABLE.parent}:{environment['PATH']}"

        def slurm_says(*command):
            return subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True, check=True, timeout=60).stdout
        page = (ROOT / "docs/checkpoints.md").read_text()
        script = next(block for block in re.findall(r"```\n(.*?)```", page, re.S) if "#SBATCH" in block)
        job, plain = self.work / "job", self.work / "plain"
        layout = json.loads((ROOT / "examples/stream_rows/layout.json").read_text())
        layout["params"].update(W=24, H=16, B=400000)  # some seconds
        for folder in (job, plain):
            folder.mkdir()
            (folder / "layout.json").write_text(json.dumps(layout))
        (job / "job.sh").write_text(script)
        number = slurm_says("sbatch", "--parsable", "--chdir", job, "--output", "log", job / "job.sh").strip()

        def state():
            return re.search(r"JobState=(\w+)", slurm_says("scontrol", "show", "job", number))[1]
        self.wait_for(lambda: state() == "RUNNING")
        self.wait_for(lambda: self.seconds_of_run_in(job) > 1.5)  # it is past its begin, also on a slow machine
        slurm_says("scontrol", "requeue", number)
        self.wait_for(lambda: state() == "PENDING")
        self.assertTrue((job / "run.state").exists(), f"the preempted run has saved no state: {(job / 'log').read_text()}")
        slurm_says("scontrol", "update", f"JobId={number}", "StartTime=now")
        self.wait_for(lambda: state() not in ("PENDING", "RUNNING", "COMPLETING"), 120)
        self.assertEqual(state(), "COMPLETED", (job / "log").read_text())
        subprocess.run([EXECUTABLE, "layout.json", "--report", "r.json", "--quiet"], cwd=plain, env=os.environ, check=True)
        found, restored = self.report(job)
        expected, _ = self.report(plain)
        self.assertGreater(restored["restored_from_cycle"], 0)
        self.assertEqual(found, expected)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
