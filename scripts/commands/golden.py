# SPDX-License-Identifier: Apache-2.0
"""tessera golden: what a program of your own took, kept in a file, and what moved since then (docs/command.md#goldens-of-your-own-programs).

Works without a checkout of Tessera. A golden is a JSON file beside your program; it has the command, what the run was given, and what it gave.
"""
import concurrent.futures
import contextlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from commands.programs import Problem, executable, platform_of
from files import write_text

SCHEMA = "tessera-golden-1"
ENDING = ".golden.json"
WINDOWS = 16          # digests of beginnings of a run that a golden has
MOST_SHOWN = 12
MOST_SECONDS = 20     # a run that takes longer has no digests of its beginnings


@contextlib.contextmanager
def without_logs():
    """Removes the logs that a host program leaves in the working directory, unless they were there before."""
    logs = [path for path in map(Path, ("sim.log", "sim_stats.json", "simfab_traces")) if not path.exists()]
    try:
        yield
    finally:
        for path in logs:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def run(program, options, more=()):
    """The report of a run. A host program runs under cs_python and its platform gets the options from the environment."""
    name = platform_of(program)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        extra = [f"--report={report}", "--quiet", *more]
        environment = dict(os.environ)
        command = [executable(name), program, *options]
        if name == "cs_python":
            environment["TESSERA_OPTIONS"] = " ".join(filter(None, [environment.get("TESSERA_OPTIONS", ""), f"--report={report}", *more]))
        else:
            command += extra
        with without_logs() if name == "cs_python" else contextlib.nullcontext():
            result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, stdin=subprocess.DEVNULL)
        if not report.exists():
            raise Problem(f"{' '.join([Path(command[0]).name, *command[1:]])} ended with exit code {result.returncode} and no report\n"
                          f"{(result.stdout + result.stderr).strip()}")
        values = json.loads(report.read_text(encoding="utf-8"))
        stale = re.search(r"tessera: warning: (.* was compiled before .*)", result.stderr)
        if stale:
            raise Problem(stale[1])
        if result.returncode != 0 and not more:
            raise Problem(f"{' '.join([Path(command[0]).name, *command[1:]])} ended with exit code {result.returncode}: "
                          f"{values.get('message') or result.stderr.strip()}")
        return values


def part_of(place):
    """The task, function, pipe or phase of a source line: "task on_x" of "pe.csl:59 (task on_x)"."""
    named = re.search(r"\(((?:task|fn) [^)]*)\)", place)
    return named[1] if named else re.sub(r":\d+.*", "", place)


PIPES = {"vec": "V", "mac": "M", "fixpipe": "FIX", "mte1": "MTE1", "mte2": "MTE2", "mte3": "MTE3", "scalar": "S"}


def busy_pipes(report):
    """Cycles in which each pipe of AI cores was busy, added over the cores, from the times of the profile: {"pipe V of AIV": 1720}. The lines
    of such a report are those that waited."""
    if not report.get("time_ns") or not isinstance(report.get("profile"), dict):
        return {}
    cycles_a_us = 1000 * report["cycles"] / report["time_ns"]
    found = {}
    for key, us in report["profile"].items():
        named = re.fullmatch(r"(ai[cv])_([a-z0-9]+)_time_us", key)
        if named and named[2] in PIPES:
            cores = report["profile"].get(f"{named[1]}_cores", 1)
            found[f"pipe {PIPES[named[2]]} of {named[1].upper()}"] = round(us * cycles_a_us * cores)
    return found


def parts_of(report):
    """What each part of the program took, in cycles added over all places: {"task on_x": {"busy": .., "wavelet": ..}}."""
    parts = {}

    def add(line, key, cycles):
        place, thread = line["place"], line.get("thread", "")
        part = parts.setdefault(part_of(place) if "(" in place else thread or place, {})
        part[key] = part.get(key, 0) + cycles
    waits = report.get("waits", {})
    for line in waits.get("lines", []):
        add(line, line["reason"], line["cycles"])
    for line in waits.get("busy_lines", []):
        add(line, "busy", line["busy"])
    for pipe, busy in busy_pipes(report).items():
        if busy:
            parts.setdefault(pipe, {})["busy"] = busy
    for phase in report.get("phases", []) if isinstance(report.get("phases"), list) else []:
        parts[f"phase {phase.get('name', len(parts))}"] = {key: value for key, value in phase.items() if isinstance(value, int)}
    return parts


def gave(report):
    counters = {name: counter["value"] for name, counter in report["counters"].items() if counter["value"]}
    return {"cycles": report["cycles"], "digest": report["digest"], "counters": counters, "parts": parts_of(report)}


def files_of(report):
    """{file: digest} of what was run; of a compiled folder the CSL files of which it was made."""
    try:
        compiled = json.loads((Path(report["program"]) / "tessera.json").read_text(encoding="utf-8"))
    except OSError:
        return report["run"].get("files", {})
    return {source["file"]: source["digest"] for source in compiled["sources"] if not source["file"].startswith("<")}


def given(report):
    run_ = report["run"]
    return {"version": run_.get("version"), "commit": run_.get("commit"), "preset": report.get("preset"), "config": run_.get("config_digest"),
            "program": run_.get("program_digest"), "settings": run_.get("settings", {}), "options": run_.get("options", {}), "params": run_.get("params", {}),
            "files": files_of(report), "inputs": run_.get("inputs", {})}


def digest_until(program, options, cycle):
    """The digest of all that happens before a cycle."""
    return run(program, options, [f"--max-cycles={cycle}"])["digest"]


def beginnings(program, options, report):
    """{cycle: digest} of equal windows, so that a later run can be told where it begins to differ."""
    if platform_of(program) in ("cs_python", "vp_platform") or report["wall"]["run_s"] > MOST_SECONDS / WINDOWS:
        return {}
    cycles = sorted({report["cycles"] * i // WINDOWS for i in range(1, WINDOWS)} - {0})
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(map(str, cycles), pool.map(lambda cycle: digest_until(program, options, cycle), cycles)))


def first_difference(golden, program, options):
    """The window in which two runs differ first, in words."""
    windows = sorted((int(cycle), digest) for cycle, digest in (golden["gave"].get("beginnings") or {}).items())
    if not windows:
        return ""
    low, high = -1, len(windows)  # equal up to low, different from high on
    while high - low > 1:
        middle = (low + high) // 2
        cycle, digest = windows[middle]
        if digest_until(program, options, cycle) == digest:
            low = middle
        else:
            high = middle
    begin = windows[low][0] if low >= 0 else 0
    end = windows[high][0] if high < len(windows) else golden["gave"]["cycles"]
    return f"the runs are equal up to cycle {begin:,}; the first difference is before cycle {end:,}"


def moved(name, before, after):
    text = f"{name} {before:,} -> {after:,}"
    return text + (f" ({100 * (after - before) / before:+.1f} %)" if before else "")


def part_lines(before, after):
    """What moved in each part of the program, most cycles first."""
    changes = []
    for part in {**before, **after}:
        a, b = before.get(part, {}), after.get(part, {})
        keys = [key for key in {**a, **b} if a.get(key, 0) != b.get(key, 0)]
        size = sum(abs(b.get(key, 0) - a.get(key, 0)) for key in keys)
        if keys:
            keys.sort(key=lambda key: -abs(b.get(key, 0) - a.get(key, 0)))
            changes.append((size, f"  {part}: " + ", ".join(moved(key, a.get(key, 0), b.get(key, 0)) for key in keys[:4])))
    changes.sort(key=lambda change: -change[0])
    lines = [text for _, text in changes[:MOST_SHOWN]]
    return lines + ([f"  and {len(changes) - MOST_SHOWN} parts more"] if len(changes) > MOST_SHOWN else [])


def given_lines(before, after):
    """What the runs were given that differs: settings, files, version."""
    lines = []
    for key in {**before, **after}:
        a, b = before.get(key), after.get(key)
        if a == b or key not in before:  # a golden of an older version lacks what it did not know
            continue
        if isinstance(a, dict) and isinstance(b, dict):
            for name in sorted({**a, **b}):
                if a.get(name) != b.get(name):
                    what = "file" if key == "files" else key.rstrip("s")
                    lines.append(f"  {what} {name}: {a.get(name, '(absent)')} -> {b.get(name, '(absent)')}")
        else:
            lines.append(f"  {key}: {a} -> {b}")
    return lines


def compare(golden, report, program, options):
    """Lines that say what moved; none: nothing has."""
    before, after = golden["gave"], gave(report)
    if (before["cycles"], before["digest"]) == (after["cycles"], after["digest"]):
        return []
    lines = [moved("cycles", before["cycles"], after["cycles"]) if before["cycles"] != after["cycles"]
             else f"{after['cycles']:,} cycles as before, but events have moved (digest {before['digest']} -> {after['digest']})"]
    parts = part_lines(before["parts"], after["parts"])
    lines += ["by task, pipe or phase, in cycles of all places:", *parts] if parts else []
    counters = [f"  {moved(name, before['counters'].get(name, 0), after['counters'].get(name, 0))}"
                for name in {**before["counters"], **after["counters"]}
                if before["counters"].get(name, 0) != after["counters"].get(name, 0)]
    lines += ["counters:", *counters[:MOST_SHOWN]] if counters else []
    where = first_difference(golden, program, options)
    lines += [where] if where else []
    causes = given_lines(golden["given"], given(report))
    lines += ["what the run was given differs:", *causes] if causes else ["what the run was given is the same"]
    return lines


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool)


def all_of(kind):
    """Whether all values of a mapping are of a kind."""
    return lambda value: isinstance(value, dict) and all(map(kind, value.values()))


def is_text(value):
    return isinstance(value, str)


# What a golden has: (members on the way, whether the value has the right form, in words).
FORM = [
    (("program",), is_text, "a text"),
    (("ran_in",), lambda value: value is None or is_text(value), "a text"),
    (("options",), lambda value: isinstance(value, list) and all(map(is_text, value)), "a list of texts"),
    (("given",), lambda value: isinstance(value, dict) and {"version", "commit", "preset"} <= set(value), "a mapping with version, commit and preset"),
    (("gave",), lambda value: isinstance(value, dict), "a mapping"),
    (("gave", "cycles"), is_count, "a number of cycles"),
    (("gave", "digest"), is_text, "a text"),
    (("gave", "counters"), all_of(is_count), "a mapping to numbers"),
    (("gave", "parts"), all_of(all_of(is_count)), "a mapping to mappings to numbers"),
    (("gave", "beginnings"), lambda value: value is None or all_of(is_text)(value) and all(cycle.isdecimal() for cycle in value), "a mapping from cycles to digests"),
]


def check_form(golden, path):
    """A golden that somebody has edited."""
    for names, is_right, form in FORM:
        value = golden
        for name in names:
            value = value.get(name)
        if not is_right(value):
            raise Problem(f"{path}: {'.'.join(names)}: expected {form}; `tessera golden add` makes the file anew")


def read(path):
    try:
        golden = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise Problem(f"{path}: cannot be read as a golden: {getattr(error, 'strerror', None) or error}; `tessera golden add` makes the file anew") from error
    if not isinstance(golden, dict) or golden.get("schema") != SCHEMA:
        raise Problem(f"{path}: is no golden (schema {SCHEMA})")
    check_form(golden, path)
    return golden


def goldens(arguments):
    folder = arguments.dir.absolute()  # runs may happen elsewhere
    paths = [folder / f"{name}{ENDING}" for name in arguments.names] or sorted(folder.glob(f"*{ENDING}"))
    missing = [path for path in paths if not path.exists()]
    if missing or not paths:
        known = ", ".join(path.name.removesuffix(ENDING) for path in sorted(arguments.dir.glob(f"*{ENDING}")))
        what = ", ".join(path.name.removesuffix(ENDING) for path in missing)
        there_are = f"no golden {what}; there are: {known}" if known else "no goldens"
        raise Problem(f"{arguments.dir}: {there_are}; `tessera golden add PROGRAM` makes one")
    return paths


@contextlib.contextmanager
def where_it_ran(golden, path):
    """In the folder in which the golden was added, so that its options name the same files; answers its program. Paths in
    a golden are relative to its own folder. One of an earlier version runs where this command does."""
    program, before = os.path.realpath(path.parent / golden["program"]), os.getcwd()
    folder = os.path.realpath(path.parent / golden["ran_in"]) if golden.get("ran_in") is not None else before
    try:
        os.chdir(folder)
    except OSError as error:
        raise Problem(f"{path}: ran_in: {folder}: {error.strerror}") from error
    try:
        yield os.path.relpath(program)
    finally:
        os.chdir(before)


def name_for(program, options):
    stem = Path(program).stem
    folder = Path(program).resolve().parent.name
    preset = next((options[i + 1] for i, option in enumerate(options[:-1]) if option == "--preset"), "")
    preset = next((option.partition("=")[2] for option in options if option.startswith("--preset=")), preset)
    return ".".join(filter(None, [folder, "" if stem in ("layout", "run") else stem, preset]))


def record(path, program, options):
    report = run(program, options)
    folder = os.path.realpath(path.parent)
    golden = {"schema": SCHEMA, "program": os.path.relpath(os.path.realpath(program), folder),
              "ran_in": os.path.relpath(os.getcwd(), folder), "options": options,
              "given": given(report), "gave": {**gave(report), "beginnings": beginnings(program, options, report)}}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(golden, indent=1) + "\n")
    return golden


def add(arguments):
    name = arguments.name or name_for(arguments.program, arguments.of_platform)
    if not re.fullmatch(r"[\w.-]+", name):
        raise Problem(f"--name: a golden is called by letters, digits, '_', '.' and '-', found '{name}'")
    path = arguments.dir / f"{name}{ENDING}"
    if path.exists():
        raise Problem(f"{path} exists; --name NAME makes another golden, and `tessera golden update {name}` writes this one anew")
    golden = record(path, arguments.program, arguments.of_platform)
    print(f"{path}: {golden['gave']['cycles']:,} cycles, digest {golden['gave']['digest']}")
    return 0


def check(arguments):
    """All of them, also if one cannot run. Exit code 1: something moved; 2: something cannot run."""
    status, equal = 0, 0
    for path in goldens(arguments):
        name = path.name.removesuffix(ENDING)
        try:
            golden = read(path)
            with where_it_ran(golden, path) as program:
                lines = compare(golden, run(program, golden["options"]), program, golden["options"])
        except Problem as problem:
            print(f"{name}: cannot run: {problem}")
            status = 2
            continue
        if lines:
            print("\n".join([f"{name}: {lines[0]}", *(f"  {line}" for line in lines[1:])]))
            status = max(status, 1)
        else:
            equal += 1
    print(f"{equal} as before")
    if status == 1:
        print("If this is meant: tessera golden update")
    return status


def update(arguments):
    for path in goldens(arguments):
        golden = read(path)
        before = golden["gave"]["cycles"]
        with where_it_ran(golden, path) as program:
            golden = record(path, program, golden["options"])
        print(f"{path.name.removesuffix(ENDING)}: {moved('cycles', before, golden['gave']['cycles'])}")
    return 0


def show(arguments):
    for path in goldens(arguments):
        golden = read(path)
        gave_ = golden["gave"]
        print(f"{path.name.removesuffix(ENDING)}: {gave_['cycles']:,} cycles, digest {gave_['digest']}")
        with where_it_ran(golden, path) as program:
            print(f"  in {os.getcwd()}: tessera run {' '.join([program, *golden['options']])}")
        print(f"  version {golden['given']['version']}, commit {golden['given']['commit']}, preset {golden['given']['preset']}")
        for part, values in sorted(gave_["parts"].items(), key=lambda item: -sum(item[1].values()))[:MOST_SHOWN]:
            print(f"  {part}: " + ", ".join(f"{key} {value:,}" for key, value in values.items()))
    return 0


def add_to(commands):
    parser = commands.add_parser("golden", help="what a program of yours takes, kept in a file, and what moved since then")
    actions = parser.add_subparsers(required=True, metavar="ACTION")

    def action(name, call, text, names):
        made = actions.add_parser(name, help=text, description=text)
        made.add_argument("--dir", type=Path, default=Path("goldens"), metavar="FOLDER", help="where goldens are (goldens)")
        if names:
            made.add_argument("names", nargs="*", metavar="NAME", help="goldens; all if none is named")
        made.set_defaults(call=call)
        return made

    made = action("add", add, "records what a program takes", False)
    made.add_argument("--name", help="of the golden (default: folder, program and preset)")
    made.add_argument("program", metavar="PROGRAM", help="options of its platform follow after --")
    action("check", check, "runs programs again and says what moved; exit code 1: something did, 2: one cannot run", True)
    action("update", update, "records anew what programs take", True)
    action("show", show, "prints what goldens have", True)
