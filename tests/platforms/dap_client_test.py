"""A public client of the Debug Adapter Protocol completes a session (dap_client.js). The client comes from npm: the test is skipped
where npm is missing or reaches no registry.

    dap_client_test.py TESSERA ROOT
"""
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
CLIENT = "@vscode/debugadapter-testsupport@1.68.0"


def installed_client(folder):
    """Whether npm has put the client into `folder`."""
    try:
        npm = subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--prefix", folder, CLIENT], timeout=300,
                             capture_output=True, text=True, check=False)
    except (FileNotFoundError, subprocess.TimeoutExpired) as error:
        print(f"skipped: {error}")
        return False
    if npm.returncode:
        print(f"skipped: npm does not install {CLIENT}: {npm.stderr[-400:]}")
    return npm.returncode == 0


def main():
    tessera, root = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        if not installed_client(folder):
            return SKIPPED
        script = root / "tests/platforms/dap_client.js"
        environment = {**os.environ, "NODE_PATH": str(pathlib.Path(folder) / "node_modules")}
        return subprocess.run(["node", script, tessera, root], env=environment, timeout=600, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
