"""Pages of --live-page in headless Chromium: values against the report, keys, sizes, names for screen readers, and axe-core where
it is installed (`npm install axe-core` beside AXE, or anywhere above the working folder). Skipped without Chromium.

live_page_test.py BIN EXAMPLES [FOLDER]     FOLDER: keeps the pages, and screenshots of them"""
import contextlib
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).resolve().parents[1] / "support")]
import browser  # noqa: E402 pylint: disable=wrong-import-position
import share  # noqa: E402 pylint: disable=wrong-import-position

SKIPPED = 77
SIZES = (390, 760, 1024, 1440, 2560)
AXE_STATES = []  # that were asked for
PAGES = {
    "gemv": ("wse", "csl/gemv/layout.csl", ["--params", "M:64,N:64,width:8,height:8", "--launch", "compute"]),
    "stream": ("wse", "gemv_stream/layout.json", ["--param", "M=96", "--param", "N=64"]),
    "cores": ("ascend", "ascend/vector_add.pto", ["--param", "TILES=2"]),
    "ragged": ("wse", "exchange/layout.json", ["--structure", "dense", "--param", "W=257", "--param", "H=130"]),
    "mesh": ("numesh", "numesh/tour.json", []),
}


def make(bin_folder, examples, folder, name):
    """The page of a run, and its report with the counters of all places; the digest is that of a run without the page."""
    machine, program, options = PAGES[name]
    page, report, plain = (folder / f"{name}{ending}" for ending in (".html", ".json", ".plain.json"))
    command = [bin_folder / f"{machine}_platform", examples / program, "--quiet", *options]
    subprocess.run([*command, "--live-page", page, "--report", report, "--report-detail"], check=True)
    subprocess.run([*command, "--report", plain], check=True)
    with_page, without = (json.loads(path.read_text(encoding="utf-8")) for path in (report, plain))
    assert with_page["digest"] == without["digest"] and with_page["cycles"] == without["cycles"], name
    return page, with_page


@contextlib.contextmanager
def opened(page, fragment=""):
    with contextlib.closing(browser.Browser(f"file://{page}#{fragment}")) as tab:
        tab.command("Runtime.enable")
        tab.wait_for("document.body.dataset.ready === '1'")
        yield tab


def check_values(tab, report):
    """What the page says of places over the whole run are the counters of the report; of a block, their mean."""
    cycles = report["cycles"]
    by_place = {tuple(row["tile"]): row for row in report["tiles"]}
    block, columns, rows = tab.value("[ui.run.block, ui.run.gridColumns, ui.run.gridRows]")
    assert tab.value("ui.run.total") == cycles, (tab.value("ui.run.total"), cycles)
    tab.value("showSpan('all'); seek(ui.run.total)")
    chance = random.Random(7)
    for n in range(40):
        at = (columns - 1, rows - 1) if n == 0 else (chance.randrange(columns), chance.randrange(rows))
        x0, y0 = at[0] // block * block, at[1] // block * block
        cells = [by_place[x, y] for x in range(x0, min(x0 + block, columns)) for y in range(y0, min(y0 + block, rows))]
        mean = lambda key: sum(row.get(key, 0) for row in cells) / len(cells)
        links = [mean(f"hops_{way}") / cycles for way in ("east", "west", "north", "south")]
        waits = sum(mean(key) for key in cells[0] if key.startswith("wait_")) / cycles
        cell = at[1] * columns + at[0]
        busy, waited, link = tab.value(f"['busy', 'waits', 'links'].map(q => ui.run.value(ui.run.squareOf({cell}), ui.run.last, 'all', q, 'all'))")
        for name, expected, found in (("busy", mean("busy_issue_cycles") / cycles, busy), ("waits", waits, waited), ("links", max(links), link)):
            assert abs(expected - found) < 2e-4, (at, name, expected, found)
        tab.value(f"ui.hover = {cell}; drawMap(); drawTooltip()")
        tip = tab.value("document.getElementById('tip').innerText").replace("\n", " ")
        if tab.value(f"hasProgram({cell})"):
            assert f"busy {tab.value(f'percent({busy})')} waits {tab.value(f'percent({waited})')} busiest link {link:.2f}" in tip, (tip, busy, waited, link)
    tab.value("ui.hover = null; showTable(true)")
    first = tab.value("[...document.querySelectorAll('#tableview tbody tr')].map(r => [...r.cells].map(c => c.innerText))")[0]
    best = max(tab.value("[...ui.run.values(ui.run.last, 'all', 'busy', 'all')]"))
    assert first[1] == tab.value(f"percent({best})"), (first, best)
    tab.value("showTable(false); showSpan('interval')")


def check_intervals(tab, bin_folder, examples, name, folder):
    """The sum of the intervals up to a cycle is what a run has counted that --max-cycles ends there."""
    machine, program, options = PAGES[name]
    end = tab.value("ui.run.ends[ui.run.last >> 1]")
    report = folder / f"{name}.cut.json"
    subprocess.run([bin_folder / f"{machine}_platform", examples / program, "--quiet", *options, "--max-cycles", str(end), "--report", report, "--report-detail"],
                   check=False, stderr=subprocess.DEVNULL)
    cut = json.loads(report.read_text(encoding="utf-8"))
    tab.value(f"showSpan('all'); seek({end} - 1)")
    columns, block = tab.value("[ui.run.gridColumns, ui.run.block]")
    if block > 1:
        return
    for row in cut["tiles"]:
        cell = row["tile"][1] * columns + row["tile"][0]
        busy = tab.value(f"ui.run.added(['busy'], 0, interval(), {cell})")
        assert busy == row["busy_issue_cycles"], (row["tile"], end, busy, row["busy_issue_cycles"])


def check_colors(tab):
    """Pixels of the map have the color of the value."""
    tab.value("zoomFit(); showScale('run'); showSpan('all'); ui.arrows = false; ui.hover = ui.cursor = null; ui.selected = 0; drawMap()")
    count = tab.value("ui.run.squares")
    step = max(1, count // 20)
    for square in range(step // 2, count, step):  # beside the outline of the selection, which is wider than a small square
        if not tab.value(f"ui.run.inside[{square}]"):
            continue
        wanted = tab.value(f"colorOfSquare({square})")
        found = tab.value(f"(() => {{ const [x, y] = cornerOf({square}), s = shown.side, g = mapCanvas.getContext('2d'), d = devicePixelRatio;"
                          " return [...g.getImageData((x + s * .5) * d, (y + s * (s > 40 ? .25 : .5)) * d, 1, 1).data].slice(0, 3); })()")
        assert max(abs(a - b) for a, b in zip(wanted, found)) <= 3, (square, wanted, found)
    tab.value("ui.arrows = true; showSpan('interval')")


def press_until(tab, key, expression):
    """A busy browser may lose a key: a user presses it again."""
    tab.press(key)
    tab.wait_for(expression, again=lambda: tab.press(key))


def check_keys(tab):
    """Every key of the dialog does what it says, and nothing needs a pointer."""
    state = lambda expression: tab.value(expression)
    tab.value("document.activeElement.blur(); seek(Math.floor(ui.run.total / 2))")
    for key, expression in ((",", "ui.cycle"), (".", "ui.cycle"), ("[", "ui.cycle"), ("]", "ui.cycle"), ("n", "ui.cycle"), ("p", "ui.cycle"),
                            ("d", "theme()"), ("d", "theme()"), ("t", "ui.table"), ("t", "ui.table")):
        before = state(expression)
        tab.press(key)
        # A place whose events were not recorded has no next one.
        stays = key in "np" and not tab.value("eventsOfPlace().length")
        assert stays or state(expression) != before, (key, before)
    if tab.value("isMap()"):
        for key, quantity in (("w", "waits"), ("k", "links"), ("b", "busy")):
            if tab.value(f"'{quantity}' in QUANTITIES[ui.run.kind]"):
                tab.press(key)
                assert state("ui.quantity") == quantity, key
        tab.press("+")
        assert state("ui.zoom.k") > 1
        tab.press("-")
        tab.press("0")
        assert state("ui.zoom.k") == 1
        if tab.value("!document.getElementById('links').hidden"):
            before = state("ui.arrows")
            tab.press("l")
            assert state("ui.arrows") != before
            tab.press("l")
        tab.value("select(0); document.getElementById('stage').focus()")
        tab.press("ArrowRight")
        assert state("ui.cursor") == 1 and state("ui.selected") == 0, "the cursor selects nothing"
        assert state("document.getElementById('read').textContent").startswith(state("nameOf(1)")), "the live region does not say the place"
        tab.press("ArrowDown", shift=True)
        tab.press("ArrowUp", shift=True)
        assert state("ui.cursor") == 1
        tab.press("Enter")
        assert state("ui.selected") == 1
    for key, dialog in (("?", "keys"), ("g", "goto")):
        press_until(tab, key, f"document.getElementById('{dialog}').open")
        press_until(tab, "Escape", f"!document.getElementById('{dialog}').open")
    press_until(tab, "g", "document.activeElement.id === 'gotoat'")
    tab.value("document.getElementById('gotoat').value = '0, 0'")
    press_until(tab, "Enter", "ui.selected === 0 && !document.getElementById('goto').open")
    tab.value("document.activeElement.blur()")
    tab.press(" ")
    assert state("ui.playing")
    tab.press(" ")
    assert not state("ui.playing")
    tab.wait_for("location.hash.includes('place=0,0')")


def check_hover(tab):
    """Hover never changes the panel."""
    before = tab.value("document.getElementById('right').innerText")
    tab.move("#stage", 0.5, 0.5)
    tab.move("#stage", 0.4, 0.6)
    assert tab.value("document.getElementById('right').innerText") == before


def check_sizes(tab, name, folder):
    for width in SIZES:
        for theme in ("light", "dark"):
            tab.resize(width, 844 if width < 800 else 900)
            tab.value(f"showTheme('{theme}', false)")
            time.sleep(0.15)
            room, used = tab.value("[innerWidth, document.documentElement.scrollWidth]")
            assert used <= room, (name, width, used)
            check_room(tab, (name, width))
            small = tab.value("[...document.querySelectorAll('button,select,input:not([type=range])')].filter(b => { const r = b.getBoundingClientRect();"
                              " return r.width > 0 && r.height < 24; }).map(b => b.textContent || b.id)")
            assert not small, (name, width, small)
            cut = tab.value("[...document.querySelectorAll('.legend .key')].filter(k => k.getBoundingClientRect().right > innerWidth - 8).map(k => k.textContent)")
            assert not cut, (name, width, "words of the legend are cut", cut)
            out = tab.value("[...document.querySelectorAll('.bar button, .bar select')].filter(b => b.getBoundingClientRect().right > innerWidth).map(b => b.textContent)")
            assert not out, (name, width, "buttons are out of sight", out)
            if folder:
                tab.picture(folder / f"{name}_{width}_{theme}.png")
    tab.value("showTheme('light', false)")
    tab.resize(1440, 900)


def check_room(tab, what):
    """While the whole machine is shown, no button lies on a place; the head is one row."""
    tab.value("zoomFit(); drawMap()")
    if tab.value("isMap() && !ui.table"):
        hidden = tab.value("""(() => {
            const all = stage.getBoundingClientRect(), buttons = $("zoom").getBoundingClientRect();
            return shown.x + shown.side * shown.columns > buttons.left - all.left && shown.y + shown.side * shown.rows > buttons.top - all.top;
        })()""")
        assert not hidden, what
    tops = tab.value("""[...document.querySelector("header").children].filter(e => e.offsetParent && !e.classList.contains("grow"))
        .map(e => e.getBoundingClientRect()).map(r => r.top + r.height / 2)""")
    assert max(tops) - min(tops) < 12, (what, tops)


def check_names(tab):
    """Map, time, and the selected place have names, and the timeline says what goes on."""
    tree = tab.command("Accessibility.getFullAXTree")["nodes"]
    names = {node.get("name", {}).get("value", "") for node in tree}
    for wanted in ("Map of the machine", "Cycle", "The selected place", "The whole machine"):
        assert wanted in names, (wanted, sorted(names))


def axe_file():
    for folder in (os.environ.get("AXE"), *map(str, pathlib.Path.cwd().parents), str(pathlib.Path.home())):
        path = pathlib.Path(folder or "/nowhere") / "node_modules/axe-core/axe.min.js"
        if path.exists():
            return path
    return None


def check_axe(tab, name):
    path = axe_file()
    if path is None:
        return False
    tab.value(path.read_text(encoding="utf-8") + "; 0")
    for theme in ("light", "dark"):
        for width, table in ((1440, "false"), (1440, "true"), (390, "false")):
            tab.resize(width, 900)
            tab.value(f"showTheme('{theme}', false); showTable({table})")
            tab.value("window.found = null; axe.run().then(r => { window.found = r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200),"
                      " v.nodes[0].failureSummary]); })")
            found = tab.wait_for("window.found && [window.found]")[0]
            assert not found, (name, theme, width, table, found)
            AXE_STATES.append((name, theme, width, table))
    tab.value("showTheme('light', false); showTable(false)")
    tab.resize(1440, 900)
    return True


# A recording of many squares and intervals, as readFrames() answers it.
RECORDING = """(() => {
    const keys = ["busy", "wait:wavelet", "wait:room", "east"], squares = 300;
    const about = { kind: "fabric", grid: [20, 15], used: [0, 0, 20, 15], layers: keys.map(key => ({ key, name: key })) };
    let seed = 7;
    const random = most => (seed = seed * 48271 % 2147483647) % most, values = () => Uint16Array.from({ length: squares }, () => random(1000));
    const head = (begin, count, generation) => ({ generation, begin: 100 * begin, closed: 100 * (begin + count), block: 1, columns: 20, rows: 15,
        layers: keys, scale: keys.map(() => 4), cycles: Array.from({ length: count }, (_, f) => 100 * (begin + f + 1)) });
    const run = new Recording(about), kept = keys.map(() => []);
    const add = (begin, count, generation) => {
        kept.forEach(layer => { layer.length = begin; for (let f = 0; f < count; f++) layer.push(values()); });
        run.add({ head: head(begin, count, generation), layer: (l, f) => kept[l][begin + f] });
    };
    const check = what => {
        for (let n = 0; n < 60; n++) {
            const to = random(run.ends.length), from = n % 3 ? 0 : random(to + 1), asked = n % 2 ? ["busy"] : keys.slice(1, 3);
            const found = run.addedOfAll(asked, from, to), at = random(squares);
            let wanted = 0;
            for (const key of asked) for (let f = from; f <= to; f++) wanted += kept[keys.indexOf(key)][f][at] / 4;
            if (found[at] !== wanted || run.added(asked, from, to, at) !== wanted) return `${what}: ${asked} of ${from} to ${to} in ${at}: ${found[at]}, not ${wanted}`;
        }
        return "";
    };
    add(0, 70, 1);
    const said = [check("as it came")];
    for (const [begin, more] of [[69, 12], [64, 40], [47, 3], [16, 90], [15, 1], [0, 33]]) {
        add(begin, more, 1);  // the last interval had not ended, or the host began to look back
        said.push(check(`again from ${begin} on, ${more} intervals`));
    }
    add(0, 20, 2);  // neighbours have become one
    said.push(check("another generation"));
    return said.filter(Boolean).join("; ");
})()"""


def check_recordings(folder, bin_folder, examples):
    """Sums up to an interval are kept: they are those of the intervals, also after intervals have been replaced. A scrub lays the page out
    for its picture only, and the panel stays where it was scrolled to."""
    page, _ = make(bin_folder, examples, folder, "ragged")
    with opened(page) as tab:
        assert not tab.value(RECORDING), tab.value(RECORDING)
        tab.command("Performance.enable")
        layouts = lambda: next(m["value"] for m in tab.command("Performance.getMetrics")["metrics"] if m["name"] == "LayoutCount")
        tab.resize(1440, 500)
        tab.value("document.getElementById('right').scrollTop = 60")
        before, scrubs = layouts(), 40
        tab.value(f"""(() => {{ let n = 0; window.isDone = false;
            const next = () => {{ if (n++ === {scrubs}) return window.isDone = true; seek(n * ui.run.total / {scrubs}); return requestAnimationFrame(() => setTimeout(next)); }};
            next(); }})()""")
        tab.wait_for("window.isDone")
        assert layouts() - before <= 3 * scrubs, f"{scrubs} scrubs: {layouts() - before} layouts"
        assert tab.value("document.getElementById('right').scrollTop") == 60


def check_queues(tab, bin_folder, examples, name):
    """What lay in the input queues is what the debugger says."""
    (_, program, options), selected = PAGES[name], tab.value("ui.selected")
    full = tab.value("""(() => {
        const found = [];
        for (const end of ui.run.ends) {
            seek(end - 1);
            for (const cell of ui.sentences.cells) {
                const queue = queuesOf(cell)?.queues.find(other => other.filled > 1);
                if (queue) found.push([end - 1, xOf(cell) - ui.run.about.used[0], yOf(cell) - ui.run.about.used[1], cell, queue]);
            }
        }
        return found;
    })()""")
    assert len(full) > 3, (name, full)
    command = [sys.executable, examples.parent / "scripts/tessera.py", "debug", examples / program, "--quiet", *options, "--batch"]
    shown = sorted(random.Random(3).sample(full, 3), key=lambda entry: entry[0])
    for cycle, x, y, _, _ in shown:
        command += ["-ex", f"until {cycle}", "-ex", f"pe {x},{y}", "-ex", "info queues"]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True,
                          env={**os.environ, "TESSERA_BIN": str(bin_folder)}).stdout.split("(tessera) info queues\n")[1:]
    for (cycle, x, y, cell, queue), text in zip(shown, said):
        line = next(line for line in text.splitlines() if line.startswith(f"{queue['name']}: input queue {queue['number']},"))
        assert f"= {queue['filled']} wavelet" in line and queue["first"] in line, (name, cycle, x, y, queue, line)
        tab.value(f"seek({cycle}); select({cell})")
        assert f"{queue['filled']} of {queue['places']} places taken, the oldest {queue['first']}" in tab.value(
            "[...document.querySelectorAll('#right .slots')].map(s => s.title).join('; ')"), (name, cycle, cell, queue)
    tab.value(f"select({selected})")


def check_errors(tab):
    assert not tab.value("window.errors"), tab.value("window.errors")


def main():
    if browser.executable() is None:
        print("no Chromium is installed")
        return SKIPPED
    bin_folder, examples = map(pathlib.Path, sys.argv[1:3])
    kept = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    with tempfile.TemporaryDirectory() as temporary:
        folder = kept or pathlib.Path(temporary)
        with_axe = True
        for name in share.part(PAGES, 2):  # a page of each machine
            page, report = make(bin_folder, examples, folder, name)
            with opened(page) as tab:
                tab.value("window.errors = null; addEventListener('error', e => { window.errors = String(e.message); })")
                if "tiles" in report:
                    check_values(tab, report)
                    check_intervals(tab, bin_folder, examples, name, folder)
                    check_colors(tab)
                if name in ("gemv", "stream"):
                    check_queues(tab, bin_folder, examples, name)
                if tab.value("ui.run.block || 1") == 1:  # the cursor goes by squares
                    check_keys(tab)
                check_hover(tab)
                check_names(tab)
                with_axe = check_axe(tab, name) and with_axe
                check_sizes(tab, name, kept)
                check_errors(tab)
        check_recordings(folder, bin_folder, examples)
        print(f"axe-core: {len(AXE_STATES)} states" if with_axe else "axe-core is not installed: not asked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
