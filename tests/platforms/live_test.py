"""The live view (--serve): only with its token; pause, step, run to a cycle; what a place waits for; the recording; the
same digest as without it. In headless Chromium, where that is installed, the page shows the run.

live_test.py BIN EXAMPLES"""
import contextlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TIMEOUT = 60


class Run:
    def __init__(self, bin_folder, machine, program, options, report):
        self.process = subprocess.Popen([bin_folder / f"{machine}_platform", program, "--quiet", "--serve", "0",
                                         "--report", report, *options], stderr=subprocess.PIPE, text=True)
        line = self.process.stderr.readline()
        found = re.fullmatch(r"live view: (http://127\.0\.0\.1:\d+)/\?token=([0-9a-f]{32})\n", line)
        assert found, line
        self.base, self.token = found[1], found[2]

    def get(self, path, token=None, headers=None, **query):
        query["token"] = self.token if token is None else token
        text = "&".join(f"{key}={value}" for key, value in query.items())
        request = urllib.request.Request(f"{self.base}{path}?{text}", headers=headers or {})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
            return reply.read().decode()

    def data(self, path, **query):
        return json.loads(self.get(path, **query))

    def refuses(self, status, path, **more):
        try:
            self.get(path, **more)
        except urllib.error.HTTPError as error:
            assert error.code == status, (path, error.code)
            return
        raise AssertionError(f"{path} {more} is answered")

    def do(self, what, state, **query):
        """Gives a command and waits until the run is in a state."""
        self.data("/do", what=what, **query)
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            answer = self.data("/state")
            if answer["state"] == state:
                return answer
            time.sleep(0.02)
        raise AssertionError(f"not {state} after {what}: {answer['state']}")

    def close(self):
        self.data("/do", what="close")
        assert self.process.wait(TIMEOUT) == 0


@contextlib.contextmanager
def running(bin_folder, machine, program, options, report):
    run = Run(bin_folder, machine, program, options, report)
    try:
        yield run
    finally:
        run.process.kill()
        run.process.wait()
        run.process.stderr.close()


def check_access(run):
    assert "<canvas" in run.get("/")
    run.refuses(403, "/", token="")
    run.refuses(403, "/state", token="0" * 32)
    run.refuses(403, "/state", headers={"Host": "example.org"})
    run.refuses(404, "/etc/passwd")
    run.refuses(404, "/do", what="rm")
    run.refuses(404, "/place", cell=10 ** 9)


def check_run(run, quantities):
    first = run.data("/state")
    assert first["state"] == "paused" and first["now"] == 0, first
    assert [q["name"] for q in first["quantities"]] == quantities, first["quantities"]
    second = run.do("step", "paused")
    assert second["now"] > 0, second
    third = run.do("until", "paused", n=second["now"] + 20)
    assert third["now"] >= second["now"] + 20, third
    over = run.do("go", "over")
    assert over["how"], over
    for state in (third, over):
        assert len(state["values"]) == len(quantities)
        assert all(len(v) == state["squares"][0] * state["squares"][1] for v in state["values"])
    assert all(sum(late) >= sum(early) for late, early in zip(over["values"], third["values"]))
    frames = over["frames"]
    assert frames == sorted(frames) and len(frames) > 2 and frames[-1] == over["now"], frames
    recorded = run.data("/state", frame=len(frames) // 2)
    assert recorded["cycle"] == frames[len(frames) // 2] and recorded["now"] == over["now"]
    return over


def check_place(run):
    """A tile that waits is described with its line, as by --why."""
    run.do("until", "paused", n=62)
    places = [run.data("/place", cell=cell) for cell in range(12)]  # 4 x 3 tiles
    assert places[5]["name"] == "tile (1, 1)" and places[5]["cycle"] >= 62, places[5]
    lines = [line for place in places for line in place["lines"]]
    assert any(" waits for " in line and "gemv.tasm:" in line for line in lines), lines


def check_browser(run):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        print("no Chromium is installed: the page is not looked at")
        return
    with tempfile.TemporaryDirectory() as folder:
        shown = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}",
                                "--virtual-time-budget=3000", "--dump-dom", f"{run.base}/?token={run.token}"],
                               capture_output=True, text=True, timeout=TIMEOUT).stdout
    assert re.search(r'<b id="status">cycle [\d,.]+: over', shown), shown
    assert re.search(r'<option[^>]*>waits</option>', shown), shown


def main():
    bin_folder, examples = map(pathlib.Path, sys.argv[1:])
    runs = [("wse", "gemv_stream/layout.json", [], ["busy", "waits", "links"], True),
            ("wse", "exchange/layout.json", ["--structure", "dense", "--param", "W=300"], ["busy", "waits", "links"], False),
            ("ascend", "ascend/vector_add.pto", ["--param", "TILES=2"], ["busy", "waits"], False),
            ("numesh", "numesh/tour.json", [], ["phase", "written", "read"], False)]
    with tempfile.TemporaryDirectory() as folder:
        report, plain = (str(pathlib.Path(folder) / name) for name in ("live.json", "plain.json"))
        for machine, program, options, quantities, with_places in runs:
            with running(bin_folder, machine, examples / program, options, report) as run:
                check_access(run)
                over = check_run(run, quantities)
                assert (over["block"] > 1) == ("W=300" in options), over["block"]
                if with_places:
                    check_browser(run)
                run.close()
            subprocess.run([bin_folder / f"{machine}_platform", examples / program, "--quiet", "--report", plain, *options],
                           check=True)
            digests = [json.loads(pathlib.Path(file).read_text())["digest"] for file in (report, plain)]
            assert digests[0] == digests[1], (program, digests)
            if with_places:
                with running(bin_folder, machine, examples / program, options, report) as run:
                    check_place(run)
                    run.close()


if __name__ == "__main__":
    main()
