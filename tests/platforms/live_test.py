"""The live view (--serve): only with its token; pause, step, run to a cycle; what a place waits for; the recording; the stream of
states; the same digest as without it; strangers without the token. In headless Chromium, where that is installed, a click on the page answers
why a tile waits.

live_test.py BIN EXAMPLES"""
import array
import contextlib
import gzip
import json
import os
import pathlib
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import browser  # noqa: E402 pylint: disable=wrong-import-position

TIMEOUT = 600  # of what hangs
MOST_SECONDS_FOR_A_PLACE = 0.1  # of processor time


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

    def post(self, path, token=None, **query):
        """The token of a command stands in a header."""
        text = "&".join(f"{key}={value}" for key, value in query.items())
        request = urllib.request.Request(f"{self.base}{path}?{text}", data=b"", headers={"X-Tessera-Token": self.token if token is None else token})
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
            return reply.read().decode()

    def frames(self, **query):
        """The head of the recording, and {layer: values of all squares by interval}."""
        request = urllib.request.Request(f"{self.base}/frames?token={self.token}" + "".join(f"&{key}={value}" for key, value in query.items()))
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
            raw = gzip.decompress(reply.read())
        assert raw[:4] == b"TSR1", raw[:4]
        length = int.from_bytes(raw[4:8], "little")
        head, values = json.loads(raw[8:8 + length]), array.array("H", raw[8 + length:])
        squares, count = head["columns"] * head["rows"], len(head["cycles"])
        assert len(values) == squares * count * len(head["layers"]), head
        return head, {layer: [[v / head["scale"][n] for v in values[(n * count + f) * squares:(n * count + f + 1) * squares]] for f in range(count)]
                      for n, layer in enumerate(head["layers"])}

    def refuses(self, status, path, **more):
        try:
            self.get(path, **more)
        except urllib.error.HTTPError as error:
            assert error.code == status, (path, error.code)
            return
        raise AssertionError(f"{path} {more} is answered")

    def do(self, what, state, **query):
        """Gives a command and waits until the run is in a state."""
        self.post("/do", what=what, **query)
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            answer = self.data("/state")
            if answer["state"] == state:
                return answer
            time.sleep(0.02)
        raise AssertionError(f"not {state} after {what}: {answer['state']}")

    def used(self):
        """Seconds of processor time."""
        words = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")

    def connect(self):
        return socket.create_connection(("127.0.0.1", int(self.base.rsplit(":", 1)[1])), timeout=TIMEOUT)

    def descriptors(self):
        return len(list(pathlib.Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def close(self):
        self.post("/do", what="close")
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
    assert "<canvas" in run.get("/") and "token=" + run.token in run.get("/")
    assert "function" in run.get("/app.js") and "--accent" in run.get("/style.css")
    run.refuses(403, "/", token="")
    run.refuses(403, "/state", token="0" * 32)
    run.refuses(403, "/state", headers={"Host": "example.org"})
    run.refuses(404, "/etc/passwd")
    run.refuses(404, "/place", cell=10 ** 9)
    for number in ("abc", "-1", "", "1x", "99999999999999999999"):
        run.refuses(400, "/place", cell=number)
    run.refuses(400, "/frames", generation="0", **{"from": "1e9"})
    run.refuses(405, "/do", what="go")  # an address alone changes nothing
    for token, what, status in ((None, "rm", 404), (None, "until", 400), ("", "go", 403), ("0" * 32, "go", 403)):
        try:
            run.post("/do", token=token, what=what)
        except urllib.error.HTTPError as error:
            assert error.code == status, (what, error.code)
        else:
            raise AssertionError(f"{what} is carried out")
    with urllib.request.urlopen(f"{run.base}/?token={run.token}", timeout=TIMEOUT) as reply:
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"], reply.headers
        assert "unsafe" not in reply.headers["Content-Security-Policy"], reply.headers
    assert run.data("/state")["state"] == "paused", "a refused command was carried out"


def check_stream(run):
    """The state comes by itself after a command; one who listens and goes away harms nobody."""
    with urllib.request.urlopen(f"{run.base}/events?token={run.token}", timeout=TIMEOUT) as stream:
        assert stream.headers["Content-Type"] == "text/event-stream"
        cycles = []
        for line in stream:
            if not line.startswith(b"data: "):
                continue
            cycles.append(json.loads(line[6:])["cycle"])
            if len(cycles) > 1 and cycles[-1] > cycles[0]:
                break
            if len(cycles) == 1:
                run.post("/do", what="step")
    run.post("/do", what="step")


def check_strangers(run):
    """Who has no token can neither hold the server, nor keep others out, nor make it busy."""
    free = run.descriptors()
    with contextlib.ExitStack() as held:
        silent = [held.enter_context(run.connect()) for _ in range(200)]
        for number, connection in enumerate(silent):  # some begin a request
            with contextlib.suppress(OSError):
                connection.sendall(b"GET / HTTP/1.1\r\nX: " if number % 2 else b"")
        assert run.data("/state")["state"] == "paused"
        assert run.descriptors() <= free + 20, (free, run.descriptors())
        for connection in silent:  # each is closed by the server, though it stays silent
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(4096) == b""
    # Without a descriptor for the next connection the server waits.
    resource.prlimit(run.process.pid, resource.RLIMIT_NOFILE, (run.descriptors(), run.descriptors()))
    with contextlib.ExitStack() as held:
        for _ in range(10):
            held.enter_context(run.connect())
        begin = run.used()
        time.sleep(2)
        assert run.used() - begin < 0.5, "the server spins"


def check_means(run, has_program=lambda x, y: True, squares=()):
    """A square of a large machine is the mean of its cells; those at the edges have fewer. Cycles are the mean of the cells with a program,
    wavelets of all."""
    run.do("go", "over")
    about = run.data("/about")
    head, layers = run.frames()
    (columns, rows), block, across, down = about["grid"], head["block"], head["columns"], head["rows"]
    assert block > 1 and (columns % block or rows % block), about["grid"]
    keys, seen = [layer["key"] for layer in about["layers"]], 0
    for column, row in ((0, 0), (across // 2, 0), (across - 1, 0), (0, down - 1), (across - 1, down - 1), *squares):
        cells = [x + y * columns for y in range(row * block, min((row + 1) * block, rows))
                 for x in range(column * block, min((column + 1) * block, columns))]
        places = [run.data("/place", cell=cell) for cell in cells]
        programs = sum(has_program(cell % columns, cell // columns) for cell in cells)
        assert about.get("programs_in", [programs] * across * down)[column + row * across] == programs, (column, row, programs)
        for number, key in enumerate(keys):
            of = len(cells) if key in ("east", "west", "north", "south", "ramp") else max(1, programs)
            mean = sum(place["counts"][number] for place in places) / of
            shown = sum(values[column + row * across] for values in layers.get(key, []))
            assert abs(mean - shown) <= 0.02 + 2e-3 * mean, (column, row, key, mean, shown)
            seen += mean > 0
    assert seen > 10, seen


def check_gaps(bin_folder, report):
    """Squares with tiles that have a program beside tiles that have none."""
    program = pathlib.Path(__file__).parent / "wse/programs/gaps/layout.json"
    with running(bin_folder, "wse", program, ["--structure", "dense"], report) as run:
        check_means(run, lambda x, y: x in (0, 300) or (11 <= x < 16 and 3 <= y < 58), ((5, 1), (5, 10), (7, 28), (7, 29)))
        run.close()


def check_run(run, first_layer):
    first = run.data("/state")
    assert first["state"] == "paused" and first["cycle"] == 0, first
    assert first_layer in [layer["key"] for layer in run.data("/about")["layers"]]
    second = run.do("step", "paused")
    assert second["cycle"] > 0, second
    check_stream(run)
    third = run.do("until", "paused", n=run.data("/state")["cycle"] + 20)
    assert third["cycle"] >= second["cycle"] + 20, third
    _, early = run.frames()
    over = run.do("go", "over")
    assert over["how"] == "finished", over
    head, late = run.frames()
    assert head["cycles"] == sorted(head["cycles"]) and len(head["cycles"]) > 2 and head["cycles"][-1] > third["cycle"], head
    total = lambda layers: sum(map(sum, layers.get(first_layer, [])))
    assert total(late) > 0 and total(late) >= total(early), (total(late), total(early))
    assert run.data("/report")["status"] == "finished"
    middle = head["cycles"][len(head["cycles"]) // 2]
    assert run.frames(**{"from": middle, "generation": head["generation"]})[0]["begin"] >= middle


def check_place(run):
    """A tile that waits is described with its line, as by --why."""
    run.do("until", "paused", n=66)
    places = [run.data("/place", cell=cell) for cell in range(12)]  # 4 x 3 tiles
    assert places[5]["name"] == "tile (1, 1)" and places[5]["cycle"] >= 66, places[5]
    lines = [line for place in places for line, to in place["lines"]]
    assert any(to is not None and to != cell for cell, place in enumerate(places) for _, to in place["lines"]), "no wait leads to who has to end it"
    assert any(" waits for " in line and "gemv.tasm:" in line for line in lines), lines


def check_browser(bin_folder, examples, report):
    """"Why did tile (3, 2) wait at cycle 503?" by the buttons of the page and one click on its map: the words of --why."""
    if browser.executable() is None:
        print("no Chromium is installed: the page is not looked at")
        return
    program, options = examples / "gemv_stream/layout.json", ["--param", "M=96", "--param", "N=64"]
    with running(bin_folder, "wse", program, options, report) as run, contextlib.closing(browser.Browser(
            f"{run.base}/?token={run.token}")) as page:
        page.wait_for("document.body.dataset.ready === '1' && document.getElementById('state').innerText === 'paused'")
        assert page.value("[...document.querySelectorAll('#quant button')].map(b => b.innerText)") == ["Busy", "Waits", "Links"]
        page.value("document.getElementById('until').value = 503")
        page.click("#go")
        page.wait_for("ui.live.cycle === 503 && ui.live.state === 'paused' && ui.cycle === 503")
        x, y = page.value("(() => { const [x, y] = cornerOf(2 * ui.run.columns + 3), r = mapCanvas.getBoundingClientRect();"
                          " return [(x + shown.side / 2) / r.width, (y + shown.side / 2) / r.height]; })()")
        page.click("#stage", x, y)
        words = page.wait_for("ui.place && ui.place.name === 'tile (3, 2)' && document.getElementById('right').innerText")
        why = subprocess.run([bin_folder / "wse_platform", program, *options, "--why", "3,2@503"], capture_output=True, text=True, check=True)
        said = why.stdout.split("cycle 503, tile (3, 2)\n")[1].split("\n\n")[0].splitlines()
        assert words.startswith("tile (3, 2)") and "cycle 503" in words, words
        assert any(" waits for " in line or "has waited" in line for line in said), said
        for line in said:
            line = line.replace(f"{pathlib.Path(program).parent}/", "")  # the page shows names of files without folders
            assert line.strip() in words, f"{line}\n{words}"
        page.click("#run")
        page.wait_for("ui.live.state === 'over' && document.getElementById('state').innerText === 'finished'")
        page.value("seek(503)")
        assert page.value("document.getElementById('state').innerText") == "looking back"
        page.click("#close")
        assert run.process.wait(TIMEOUT) == 0


SAME_NAMES = {
    "layout.csl": """const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout { @set_rectangle(1, 1); @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) }); @export_name("both", fn() void); }
""",
    "pe.csl": """param memcpy_params: comptime_struct;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
const first = @import_module("a/part.csl");
const second = @import_module("b/part.csl");
fn both() void { first.add(); second.add(); sys_mod.unblock_cmd_stream(); }
comptime { @export_symbol(both); }
""",
    "a/part.csl": "var sum: i32 = 0;\nfn add() void { sum += 1; }\n",
    "b/part.csl": "// the other one\nvar sum: i32 = 0;\nfn add() void { sum += 1; }\n",
}


def check_same_names(bin_folder, folder, report):
    """Two files of a program have one name: a place leads to the text of its own."""
    for name, text in SAME_NAMES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with running(bin_folder, "wse", folder / "layout.csl", ["--launch", "both"], report) as run:
        texts = run.data("/about")["sources"]
        for part in ("a/part.csl", "b/part.csl"):
            assert [text for name, text in texts.items() if name.endswith(part)] == [SAME_NAMES[part]], (part, list(texts))
        if browser.executable() is not None:
            with contextlib.closing(browser.Browser(f"{run.base}/?token={run.token}")) as page:
                page.wait_for("document.body.dataset.ready === '1'")
                named = page.value("['b/part.csl:3 (fn add)', 'pe.csl:1', 'part.csl:1', 'c/part.csl:1'].map(placeInSource)")
                assert named[0][0].endswith("b/part.csl") and named[0][1] == 3 and named[1][0].endswith("pe.csl"), named
                assert named[2:] == [None, None], named
        run.close()


def check_whole_wafer(bin_folder, examples, report):
    """750 x 994 tiles: a place is described at once."""
    options = ["--structure", "dense", "--param", "W=750", "--param", "H=994", "--param", "ITER=1"]
    with running(bin_folder, "wse", examples / "exchange/layout.json", options, report) as run:
        run.data("/state")
        times = []
        for cell in (0, 3002, 745499, 370123, 1):
            begin = run.used()
            place = run.data("/place", cell=cell)
            times.append(run.used() - begin)
            assert place["name"] == f"tile ({cell % 750}, {cell // 750})" and len(place["lines"]) > 1, place
        print(f"750 x 994 tiles: a place is described in {1000 * min(times):.0f} to {1000 * max(times):.0f} ms")
        assert min(times) < MOST_SECONDS_FOR_A_PLACE, times


def main():
    bin_folder, examples = map(pathlib.Path, sys.argv[1:])
    runs = [("wse", "gemv_stream/layout.json", [], "busy", True),
            ("wse", "exchange/layout.json", ["--structure", "dense", "--param", "W=300"], "east", False),
            ("ascend", "ascend/vector_add.pto", ["--param", "TILES=2"], "busy", False),
            ("numesh", "numesh/tour.json", [], "written", False)]
    with tempfile.TemporaryDirectory() as folder:
        report, plain = (str(pathlib.Path(folder) / name) for name in ("live.json", "plain.json"))
        for machine, program, options, layer, with_places in runs:
            with running(bin_folder, machine, examples / program, options, report) as run:
                check_access(run)
                check_run(run, layer)
                run.close()
            subprocess.run([bin_folder / f"{machine}_platform", examples / program, "--quiet", "--report", plain, *options],
                           check=True)
            digests = [json.loads(pathlib.Path(file).read_text())["digest"] for file in (report, plain)]
            assert digests[0] == digests[1], (program, digests)
            if with_places:
                with running(bin_folder, machine, examples / program, options, report) as run:
                    check_place(run)
                    run.close()
        with running(bin_folder, "wse", examples / "gemv_stream/layout.json", [], report) as run:
            check_strangers(run)
        with running(bin_folder, "wse", examples / "exchange/layout.json", ["--structure", "dense", "--param", "W=301", "--param", "H=65"], report) as run:
            check_means(run)
            run.close()
        check_gaps(bin_folder, report)
        check_browser(bin_folder, examples, report)
        check_same_names(bin_folder, pathlib.Path(folder), report)
        check_whole_wafer(bin_folder, examples, report)


if __name__ == "__main__":
    main()
