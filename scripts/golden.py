#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Timing goldens: what a run took, kept as text, so that no cycle moves unnoticed (docs/timing-goldens.md).

    scripts/golden.sh check [NAME ..]                     compare with what the goldens say
    scripts/golden.sh update [NAME ..] --reason TEXT      rewrite those that changed, print what changed
    scripts/golden.sh add LAYOUT [--preset wse2] [--param W=8 ..] [--name NAME]     LAYOUT: or a kernel, FILE.pto,
                                                          or a program in CSL, FILE.csl --launch FUNCTION
    scripts/golden.sh remove NAME .. --reason TEXT
    scripts/golden.sh log                                 does the CHANGELOG.md of the goldens have every change?

With --dir FOLDER the goldens and their CHANGELOG.md are yours. Exit code 1: something differs; 2: wrong arguments.
"""
import startup  # isort: skip
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

from files import write_text

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHIPPED = ROOT / "tests" / "golden"
HEAD = "# A timing golden: what a run took. Rewrite it with scripts/golden.sh update (docs/timing-goldens.md).\n"
REPEATED = ("set", "param", "launch", "input")  # settings that may occur several times
SETTINGS = ("layout", "preset", "config", "structure", "seed", *REPEATED)
SECTION = "## Timing"
INTRODUCTION = """\
What moved cycles, newest first: golden, cycles, and the fingerprint of its values. `scripts/golden.sh` writes this list;
`scripts/golden.sh log`, one of the tests of Tessera, holds it against the goldens.
"""
MENTION = re.compile(r"`([^`\s]+)` (?:(\d+) -> )?(?:(\d+) `([0-9a-f]{10})`|(removed))")


class Problem(Exception):
    """Something the user has to put right; exit code 2."""


class Golden:
    """A golden: what is run (settings), what that took (metrics), and why it is as it is (reason)."""

    def __init__(self, path, settings, reason="", metrics=None):
        self.path = path
        self.name = path.stem
        self.settings = settings
        self.reason = reason
        self.metrics = metrics or {}

    @staticmethod
    def read(path):
        golden = Golden(path, {})
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            key, _, value = line.partition(" ")
            value = value.strip()
            if not value:
                raise Problem(f"{path}:{number}: expected a name and a value, found '{line}'")
            if key == "reason":
                golden.reason = value
            elif key in REPEATED:
                golden.settings.setdefault(key, []).append(value)
            elif key in SETTINGS:
                golden.settings[key] = value
            elif key == "digest" or value.isdecimal():
                golden.metrics[key] = value if key == "digest" else int(value)
            else:
                raise Problem(f"{path}:{number}: expected a number or one of {', '.join(SETTINGS)}; found '{line}'")
        if "layout" not in golden.settings or "cycles" not in golden.metrics:
            raise Problem(f"{path}: a golden has a layout and cycles; write it with scripts/golden.sh add")
        return golden

    def lines(self):
        """All but the reason, in the order of the file."""
        pairs = []
        for key in SETTINGS:
            values = self.settings.get(key, [])
            pairs += [(key, value) for value in (values if key in REPEATED else [values] if values else [])]
        values = [(key, value) for key, value in self.metrics.items()]
        return [[f"{key:<20} {value}" for key, value in part] for part in (pairs, values)]

    def fingerprint(self):
        """Stands for everything but the reason."""
        return hashlib.sha256("\n".join(sum(self.lines(), [])).encode()).hexdigest()[:10]

    def write(self):
        settings, metrics = self.lines()
        text = "\n".join([*settings, f"{'reason':<20} {self.reason}", "", *metrics])
        write_text(self.path, HEAD + text + "\n")

    def executable(self, platform):
        """wse_platform runs layouts; kernels run on ascend_platform, which lies beside it."""
        return str(pathlib.Path(platform).with_name("ascend_platform")) if self.settings["layout"].endswith(".pto") else platform

    def arguments(self):
        """Arguments of the executable. Paths in a golden are relative to its folder."""
        here = self.path.parent
        result = [os.path.normpath(here / self.settings["layout"])]
        for key in ("preset", "structure", "seed"):
            if key in self.settings:
                result += [f"--{key}", self.settings[key]]
        if "config" in self.settings:
            result += ["--config", str(here / self.settings["config"])]
        for key in ("set", "param", "launch"):
            result += [f"--{key}={value}" for value in self.settings.get(key, [])]
        for value in self.settings.get("input", []):
            name, _, file = value.partition("=")
            result.append(f"--input={name}={here / file}")
        return result

    def run(self, platform, *options):
        """The metrics of a run: cycles, digest, and the counters that are not 0."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.json"
            command = [self.executable(platform), *self.arguments(), "--quiet", "--report", str(report), *options]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise Problem(f"{self.name}: {' '.join(command)}\nended with exit code {result.returncode}\n"
                              f"{result.stdout}{result.stderr}")
            values = json.loads(report.read_text())
        counters = {name: counter["value"] for name, counter in values["counters"].items() if counter["value"]}
        return {"cycles": values["cycles"], "digest": values["digest"], **counters}

    def differences(self, metrics):
        """(metric, old, new) for each that differs; 0 stands for a counter that is not there."""
        names = [*metrics, *(name for name in self.metrics if name not in metrics)]
        pairs = [(name, self.metrics.get(name, 0), metrics.get(name, 0)) for name in names]
        return [pair for pair in pairs if pair[1] != pair[2]]


class Change:
    """A reason, and what it did to goldens: name to (old cycles, new cycles or None, fingerprint)."""

    def __init__(self, reason):
        self.reason = reason
        self.mentions = {}

    def add(self, name, old, new, fingerprint):
        before = self.mentions.get(name)
        self.mentions[name] = (before[0] if before else old, new, fingerprint)

    def text(self):
        parts = []
        for name, (old, new, fingerprint) in sorted(self.mentions.items()):
            cycles = "removed" if new is None else f"{new} `{fingerprint}`"
            parts.append(f"`{name}` {cycles}" if old is None else f"`{name}` {old} -> {cycles}")
        whole = ", ".join(part.replace(" ", "\xa0") for part in parts)  # a line ends between two goldens
        lines = textwrap.wrap(whole, 118, break_long_words=False, break_on_hyphens=False)
        return "\n".join([f"- {self.reason}", *[f"  {line}" for line in lines]]).replace("\xa0", " ")


class Log:
    """The section "Timing" of a CHANGELOG.md."""

    def __init__(self, path):
        self.path = path
        text = path.read_text() if path.exists() else "# Changelog\n"
        before, found, rest = (text + "\n").partition(f"\n{SECTION}\n")
        self.before = before.rstrip("\n") + "\n"
        section, following, after = rest.partition("\n## ") if found else ("", "", "")
        self.after = following + after.rstrip("\n") + "\n" if following else ""
        self.changes = []
        for item in re.split(r"^- ", section, flags=re.MULTILINE)[1:]:
            reason, _, mentions = item.partition("\n")
            change = Change(reason.strip())
            for name, old, new, fingerprint, _ in MENTION.findall(" ".join(mentions.split())):
                change.add(name, int(old) if old else None, int(new) if new else None, fingerprint)
            self.changes.append(change)

    def latest(self):
        """Name to (reason, fingerprint) of the newest change that mentions it; fingerprint '' if it was removed."""
        result = {}
        for change in self.changes:
            for name, (_, _, fingerprint) in change.mentions.items():
                result.setdefault(name, (change.reason, fingerprint))
        return result

    def complaint(self, golden, latest):
        """What is wrong with the newest line about a golden; '' if nothing is. `latest` is that of this log."""
        reason, fingerprint = latest.get(golden.name, ("", ""))
        if not fingerprint:
            return f"{golden.name} is not there; write goldens with scripts/golden.sh add"
        if fingerprint != golden.fingerprint():
            return (f"{golden.name} has fingerprint {fingerprint} there, its file has {golden.fingerprint()}; change goldens with "
                    "scripts/golden.sh update --reason TEXT")
        if reason != golden.reason:
            return f"{golden.name}: its file gives another reason, '{golden.reason}'"
        return ""

    def record(self, reason, mentions):
        """Writes changes (name, old, new, fingerprint) to the file; those of the newest reason join it."""
        if not self.changes or self.changes[0].reason != reason:
            self.changes.insert(0, Change(reason))
        for mention in mentions:
            self.changes[0].add(*mention)
        items = "\n".join(change.text() for change in self.changes)
        write_text(self.path, f"{self.before}\n{SECTION}\n\n{INTRODUCTION}\n{items}\n{self.after}")


def log_of(folder):
    return Log(folder / "CHANGELOG.md")


def read_goldens(folder, names=()):
    paths = [folder / f"{name}.golden" for name in names] or sorted(folder.glob("*.golden"))
    missing = [path.stem for path in paths if not path.exists()]
    if missing or not paths:
        known = ", ".join(path.stem for path in sorted(folder.glob("*.golden")))
        raise Problem(f"{folder}: no golden {', '.join(missing)}; there are: {known or 'none'}")
    return [Golden.read(path) for path in paths]


def run_all(goldens, platform, both=False):
    """(golden, metrics, structure) of each, in order; `both`: once in each, unless the golden has one of its own."""
    runs = []
    for golden in goldens:
        runs += [(golden, structure) for structure in (("modules", "dense") if both and "structure" not in golden.settings else ("",))]

    def metrics(run):
        golden, structure = run
        return golden.run(platform, *(["--structure", structure] if structure else []))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [(golden, values, structure) for (golden, structure), values in zip(runs, pool.map(metrics, runs))]


def delta_table(changes):
    """Lines of a table: (golden, structure, [(metric, old, new)]). The structure is a column if one is given."""
    rows = [("golden", "structure", "metric", "old", "new", "delta", "%")]
    for golden, structure, differences in changes:
        for metric, old, new in differences:
            if metric == "digest":
                rows.append((golden.name, structure, metric, old, new, "", ""))
                continue
            percent = f"{100 * (new - old) / old:+.2f}" if old else ""
            rows.append((golden.name, structure, metric, str(old), str(new), f"{new - old:+d}", percent))
    if not any(structure for _, structure, _ in changes):
        rows = [row[:1] + row[2:] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def check(arguments):
    goldens = read_goldens(arguments.dir, arguments.names)
    runs = run_all(goldens, arguments.platform, arguments.both)
    changes = [(golden, structure, golden.differences(metrics)) for golden, metrics, structure in runs]
    changes = [change for change in changes if change[2]]
    if not changes:
        print(f"{len(goldens)} as before" if len(goldens) > 1 else "as before")
        return 0
    print("\n".join(delta_table(changes)))
    print("\nIf this change is meant: scripts/golden.sh update --reason TEXT (docs/timing-goldens.md)")
    return 1


def update(arguments):
    goldens = read_goldens(arguments.dir, arguments.names)
    entries = log_of(arguments.dir)
    latest = entries.latest()
    changes = []
    for golden, metrics, _ in run_all(goldens, arguments.platform):
        differences, complaint = golden.differences(metrics), entries.complaint(golden, latest)
        if differences or complaint:
            changes.append((golden, metrics, differences, complaint))
    if not changes:
        print(f"{len(goldens)} as before; nothing to write")
        return 0
    moved = [(golden, "", differences) for golden, _, differences, _ in changes if differences]
    said = [f"{entries.path}: {complaint}" for *_, complaint in changes if complaint]
    print("\n".join([*(delta_table(moved) if moved else []), *said]))
    if not arguments.reason:
        print("\nNothing was written: say why with --reason TEXT")
        return 1
    mentions = []
    for golden, metrics, _, _ in changes:
        old = golden.metrics["cycles"] if golden.name in latest else None
        golden.metrics, golden.reason = metrics, arguments.reason
        golden.write()
        mentions.append((golden.name, old, metrics["cycles"], golden.fingerprint()))
    entries.record(arguments.reason, mentions)
    print(f"\n{len(changes)} of {len(goldens)} rewritten, and CHANGELOG.md")
    return 0


def default_name(layout, preset):
    """examples/reduce_chain/layout.json on wse2: reduce_chain.wse2; examples/pe_loops/f32.json: pe_loops.f32.wse2."""
    layout = layout.resolve()
    stem = [] if layout.stem == "layout" else [layout.stem]  # a kernel gives its own name
    return ".".join([layout.parent.name, *stem, preset])


def add(arguments):
    folder = arguments.dir

    def relative(path):
        if not pathlib.Path(path).is_file():
            raise Problem(f"{path}: no such file")
        return os.path.relpath(os.path.realpath(path), os.path.realpath(folder))

    settings = {"layout": relative(arguments.layout)}
    if arguments.config:
        settings["config"] = relative(arguments.config)
    else:
        settings["preset"] = arguments.preset
    settings["seed"] = str(arguments.seed)
    settings.update({key: value for key in ("structure", "set", "param", "launch") if (value := getattr(arguments, key))})
    for value in arguments.input:
        name, _, file = value.partition("=")
        settings.setdefault("input", []).append(f"{name}={relative(file)}")
    machine = pathlib.Path(arguments.config).stem if arguments.config else arguments.preset
    name = arguments.name or default_name(pathlib.Path(arguments.layout), machine)
    if not re.fullmatch(r"[\w.-]+", name):
        raise Problem(f"--name: a golden is called by letters, digits, '_', '.' and '-', found '{name}'")

    golden = Golden(folder / f"{name}.golden", settings, arguments.reason)
    if golden.path.exists():
        raise Problem(f"{golden.path} exists; rewrite it with update, or give another --name")
    folder.mkdir(parents=True, exist_ok=True)
    golden.metrics = golden.run(arguments.platform)
    golden.write()
    log_of(folder).record(arguments.reason, [(name, None, golden.metrics["cycles"], golden.fingerprint())])
    print(f"{name}: {golden.metrics['cycles']} cycles, digest {golden.metrics['digest']}")
    return 0


def remove(arguments):
    """Also of goldens that only the log knows any more."""
    entries = log_of(arguments.dir)
    known = {name for name, (_, fingerprint) in entries.latest().items() if fingerprint}
    lost = [name for name in arguments.names if name in known and not (arguments.dir / f"{name}.golden").exists()]
    names = [name for name in arguments.names if name not in lost]
    goldens = read_goldens(arguments.dir, names) if names else []
    for golden in goldens:
        golden.path.unlink()
    entries.record(arguments.reason, [*[(golden.name, golden.metrics["cycles"], None, "") for golden in goldens],
                                      *[(name, None, None, "") for name in lost]])
    return 0


def log(arguments):
    """Every golden is the one that the newest change that names it has written; none has gone unsaid."""
    entries = log_of(arguments.dir)
    latest = entries.latest()
    goldens = {golden.name: golden for golden in read_goldens(arguments.dir)}
    problems = [problem for golden in goldens.values() if (problem := entries.complaint(golden, latest))]
    for name, (_, fingerprint) in latest.items():
        if fingerprint and name not in goldens:
            problems.append(f"{name} is there but has no file; remove goldens with scripts/golden.sh remove --reason TEXT")
    print("\n".join(f"{entries.path}: {problem}" for problem in problems) or f"{len(goldens)} goldens, all accounted for")
    return 1 if problems else 0


def one_line(text):
    if not text.strip() or "\n" in text or "`" in text:
        raise argparse.ArgumentTypeError("a reason is one line of text without backticks")
    return text.strip()


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default=str(ROOT / "build/bin/wse_platform"), help="the executable")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    # Before the command or after it: the command's parser must not put its default over what stands before.
    parser.add_argument("--dir", type=pathlib.Path, default=SHIPPED, metavar="FOLDER", help="where the goldens are")
    common.add_argument("--dir", type=pathlib.Path, default=argparse.SUPPRESS, metavar="FOLDER", help="where the goldens are")

    def command(function, text, names=None):
        result = commands.add_parser(function.__name__, help=text, parents=[common])
        result.set_defaults(function=function)
        if names:
            result.add_argument("names", nargs=names, metavar="NAME", help="goldens; all if none is named")
        return result

    command(check, "compare runs with their goldens", "*").add_argument(
        "--both", action="store_true", help="in both structures, modules and dense")
    command(update, "rewrite goldens that changed", "*").add_argument("--reason", type=one_line, help="why they changed")
    command(remove, "delete goldens", "+").add_argument("--reason", type=one_line, required=True, help="why")
    command(log, "compare the goldens with CHANGELOG.md")
    new = command(add, "a golden of a layout")
    new.add_argument("layout", metavar="LAYOUT")
    new.add_argument("--name", help="of the golden (default: folder, layout and machine)")
    machine = new.add_mutually_exclusive_group()
    machine.add_argument("--preset", default="wse3")
    machine.add_argument("--config", metavar="FILE")
    new.add_argument("--structure", choices=("modules", "dense"))
    new.add_argument("--seed", type=int, default=1)
    for option, metavar in (("set", "KEY=VALUE"), ("param", "NAME=VALUE"), ("launch", "FUNCTION[:1,2]"), ("input", "NAME=FILE.npy")):
        new.add_argument(f"--{option}", action="append", default=[], metavar=metavar, help="as of wse_platform")
    new.add_argument("--reason", type=one_line, default="New goldens.", help="line for CHANGELOG.md")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    needed = arguments.function not in (log, remove)
    if needed and not (os.path.isfile(arguments.platform) and os.access(arguments.platform, os.X_OK)):
        raise Problem(f"no executable {arguments.platform}; build it or name it with --platform")
    return arguments.function(arguments)


if __name__ == "__main__":
    try:
        sys.exit(startup.run(main, "golden.py"))
    except Problem as problem:
        print(f"golden.py: {problem}", file=sys.stderr)
        sys.exit(startup.EXIT_USAGE)
