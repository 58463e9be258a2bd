# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one node, and other programs that live as long as a test."""
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Daemons:
    """For a test case that has a folder, `work`."""

    def wait_for(self, is_there, seconds=60):
        deadline = time.monotonic() + seconds
        while not is_there():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def start(self, *command, **keywords):
        log = open(self.work / f"{Path(command[0]).name}.log", "w", encoding="utf-8")  # pylint: disable=consider-using-with
        process = subprocess.Popen([str(word) for word in command], stdout=log, stderr=subprocess.STDOUT, **keywords)

        def end():
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            log.close()
        self.addCleanup(end)
        return process

    def start_slurm(self):
        """A Slurm with one node, all of it in the folder of the test. The environment of its clients."""
        missing = [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if shutil.which(name) is None]
        if missing or os.geteuid() != 0:
            self.skipTest(f"a Slurm of its own needs root, and these packages: slurm-wlm, munge (missing: {', '.join(missing) or 'root'})")
        work, host = self.work, socket.gethostname().split(".")[0]
        self.work.chmod(0o755)
        (work / "munge.key").write_bytes(os.urandom(1024))
        (work / "munge.key").chmod(0o600)
        self.start("munged", "--foreground", "--force", f"--socket={work}/munge.socket", f"--key-file={work}/munge.key",
                   f"--pid-file={work}/munge.pid", f"--log-file={work}/munge.log", f"--seed-file={work}/munge.seed")
        self.wait_for((work / "munge.socket").exists)
        for folder in ("state", "spool"):
            (work / folder).mkdir()
        (work / "slurm.conf").write_text(f"""
ClusterName=tessera
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={work}/munge.socket
CredType=cred/munge
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
StateSaveLocation={work}/state
SlurmdSpoolDir={work}/spool
SlurmctldPidFile={work}/slurmctld.pid
SlurmdPidFile={work}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""", encoding="utf-8")
        environment = dict(os.environ, SLURM_CONF=str(work / "slurm.conf"))
        self.start("slurmctld", "-D", "-c", "-f", work / "slurm.conf", env=environment)
        self.start("slurmd", "-D", "-f", work / "slurm.conf", "-N", host, env=environment)

        def is_idle():
            asked = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, capture_output=True, text=True, check=False, timeout=600)
            return asked.stdout.strip() == "idle"
        try:
            self.wait_for(is_idle, 45)
        except AssertionError:
            logs = "".join((work / f"{name}.log").read_text()[-1500:] for name in ("slurmctld", "slurmd"))
            self.skipTest(f"Slurm does not start here: {logs}")
        return environment
