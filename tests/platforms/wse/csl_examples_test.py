"""The programs of examples/csl with their host programs and commands, on both generations in all styles of code."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

executable, examples = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
environment = {**os.environ, "PATH": f"{executable.parent.parent / 'sdk' / 'bin'}:{os.environ['PATH']}"}
folders = sorted(path.parent for path in examples.glob("csl/*/commands.sh"))
assert len(folders) > 2, folders
for folder in folders:
    for arch in ("wse2", "wse3"):
        for code in ("vendor", "best", "plain"):
            with tempfile.TemporaryDirectory() as name:
                copy = pathlib.Path(shutil.copytree(folder, pathlib.Path(name) / folder.name))
                script = (copy / "commands.sh").read_text()
                assert script.count("--arch=wse3") == 1
                script = script.replace("--arch=wse3", f"--arch={arch} --csl-code={code}")
                result = subprocess.run(["bash", "-e"], input=script, cwd=copy, env=environment, capture_output=True, text=True, check=False)
                what = f"{folder.name}, {arch}, --csl-code={code}: {result.stdout}{result.stderr}"
                assert result.returncode == 0 and result.stdout.endswith("SUCCESS\n"), what
print(f"{len(folders)} programs, each on two generations in three styles of code")
