# SPDX-License-Identifier: Apache-2.0
"""What a sweep is: a program and axes, from a YAML file or the command line, and the points that they give."""
import hashlib
import itertools
import json
import math
import os
import re
import shutil
from pathlib import Path

from files import write_text
from sweeps import document
from sweeps.expression import BadSpec, check_constant, evaluate
from sweeps.point import Point

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"params": "param", "settings": "set", "templates": "template", "defines": "define"}
# Options that may be axes: what a run that goes on from a saved state may change (docs/checkpoints.md).
FREE_OPTIONS = ("max-cycles", "threads", "skew")
# A state has counted what was announced for so many cycles, so a run that goes on does not end within them.
ANNOUNCED_AHEAD = 64
SCHEMAS = {"tessera-wse-layout-1": "wse", "tessera-numesh-program-1": "numesh"}
ENDINGS = {".pto": "ascend", ".cpp": "ascend", ".vps": "vp", ".csl": "wse"}
# What belongs to a program that is a template: the files of these kinds in its folder.
PROGRAM_FILES = (".json", ".tasm", ".inc", ".pto", ".csl", ".vps", ".npy", ".cpp", ".h", ".hpp")
RANGE = re.compile(r"(-?\d{1,18})\.\.(-?\d{1,18})(?:\.\.(\d{1,18}))?")
MOST_POINTS = 100_000
# Columns of the table that every point has.
OWN_COLUMNS = ("status", "exit_code", "cycles", "time_ns", "digest", "checks_passed", "checks", "report")


def span_of(text, axis):
    """1..9..2 as a range; None: the text is none."""
    span = RANGE.fullmatch(text)
    if span is None:
        return None
    step = int(span[3]) if span[3] else 1
    if step == 0:
        raise BadSpec(f"axis {axis}: {text} has a step of 0")
    values = range(int(span[1]), int(span[2]) + 1, step)
    if not values:
        raise BadSpec(f"axis {axis}: {text} has no values")
    if len(values) > MOST_POINTS:
        raise BadSpec(f"axis {axis}: {text} has more than {MOST_POINTS} values")
    return values


def values_of(given, axis):
    """[1, 2, 4] of a list, of "1,2,4", and of "1..4" (every number) or "1..9..2" (every second)."""
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list):
        given = [given]
    values = []
    for value in given:
        value = document.scalar(value, f"axis {axis}")
        if isinstance(value, str):
            span = span_of(value, axis)
            values.extend(span or [int(value) if re.fullmatch(r"-?\d{1,18}", value) else value])
        else:
            values.append(value)
    if not values:
        raise BadSpec(f"axis {axis}: has no values")
    return values


class Spec:
    def __init__(self, program):
        self.program = resolved(Path(program))
        self.platform = None
        self.fixed = {}  # axis -> value
        self.options = []
        self.axes = []  # each {axis: values}: those of one entry vary together
        self.columns, self.plots, self.roofline = {}, [], None
        self.warm = None  # {"cycle": N}: points that differ in free options only begin with a saved state

    def add(self, entry):
        """{axis: values}: values of several axes vary together. One value is a setting of all points."""
        for axis in entry:
            kind, dot, name = axis.partition(".")
            if kind == "option" and name not in FREE_OPTIONS:
                raise BadSpec(f"axis {axis}: options that may be axes are {', '.join(FREE_OPTIONS)}")
            if axis != "preset" and (kind not in (*KINDS.values(), "option") or not dot or not name):
                raise BadSpec(f"axis {axis}: expected param.NAME, set.KEY, template.NAME, define.NAME, option.NAME or preset")
            if axis in self.names():
                raise BadSpec(f"axis {axis}: is given twice")
            for other in [*self.names(), *entry]:
                if other != axis and short(other) == short(axis):
                    raise BadSpec(f"axes {other} and {axis}: they would have the same name in the table and in expressions")
        entry = {axis: values_of(values, axis) for axis, values in entry.items()}
        if len({len(values) for values in entry.values()}) != 1:
            raise BadSpec(f"axes {', '.join(entry)}: they vary together, so all need the same number of values")
        if all(len(values) == 1 for values in entry.values()):
            self.fixed.update((axis, values[0]) for axis, values in entry.items())
        else:
            for axis in entry:
                if short(axis) in OWN_COLUMNS:
                    raise BadSpec(f"axis {axis}: the table has a column '{short(axis)}' of its own")
            self.axes.append(entry)

    def names(self):
        """The axes so far, also those with one value."""
        return [*self.fixed, *(axis for entry in self.axes for axis in entry)]

    def executable(self, folder):
        name = f"{self.platform or self.guessed_platform()}_platform"
        folders = [folder] if folder else [ROOT / "build/bin", ROOT.parent.parent / "bin"]
        for place in folders:
            if (place / name).is_file():
                return str((place / name).resolve())
        found = shutil.which(name)
        if found is None or folder:
            raise BadSpec(f"{name} is not in {' or '.join(map(str, folders))}; build it, or name its folder with --bin")
        return found

    def guessed_platform(self):
        if self.program.suffix in ENDINGS:
            return ENDINGS[self.program.suffix]
        try:
            return SCHEMAS[json.loads(self.program.read_text(encoding="utf-8"))["schema"]]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BadSpec(f"{self.program}: what runs it is unknown; name it with --platform") from None

    def points(self, out, folder=None):
        """Every combination of the axes, the last axis first."""
        if not self.program.is_file():
            raise BadSpec(f"{self.program}: there is no such program")
        document.check_options(self.options)
        if self.warm and (self.platform or self.guessed_platform()) not in ("wse", "numesh", "ascend"):
            raise BadSpec("warm: only runs of wse_platform, numesh_platform and ascend_platform can be saved")
        if self.warm and self.program.suffix == ".cpp":
            raise BadSpec("warm: a kernel in C++ runs on native stacks, which cannot be saved")
        if self.warm and not any(axis.startswith("option.") for entry in self.axes for axis in entry):
            raise BadSpec("warm: points that differ in parameters, settings, presets, templates or macros have no beginning in common; "
                          f"an axis has to be option.NAME, with one of {', '.join(FREE_OPTIONS)}")
        count = math.prod(len(next(iter(entry.values()))) for entry in self.axes)
        if count > MOST_POINTS:
            raise BadSpec(f"the sweep has {count} points, more than {MOST_POINTS}")
        executable = self.executable(folder)
        refuse_links(out)
        (out / "reports").mkdir(parents=True, exist_ok=True)
        points = []
        for choice in itertools.product(*[list(zip(*entry.values())) for entry in self.axes]):
            chosen = {axis: value for entry, values in zip(self.axes, choice) for axis, value in zip(entry, values)}
            points.append(self.point(chosen, out, executable))
        runs = {}
        for point in points:
            other = runs.setdefault(point.report, point)
            if other is not point:
                raise BadSpec(f"the points {other.name()} and {point.name()} are the same run: an axis has a value twice")
        return points

    def point(self, chosen, out, executable):
        names = {short(axis): value for axis, value in {**self.fixed, **chosen}.items()}
        values = {axis: value_at_point(value, names, axis) for axis, value in {**self.fixed, **chosen}.items()}
        labels = {short(axis): values[axis] for axis in chosen}
        templates, defines = ({axis.partition(".")[2]: value for axis, value in values.items() if axis.startswith(kind)}
                              for kind in ("template.", "define."))
        command = [executable, str(self.instance(templates, defines, out) if templates or defines else self.program), "--quiet"]
        for axis, value in values.items():
            kind, _, name = axis.partition(".")
            if kind == "preset":
                command += ["--preset", str(value)]
            elif kind not in ("template", "define", "option"):
                command += [f"--{kind}", f"{name}={value}"]
        command += self.options
        free = [word for axis, value in values.items() if axis.startswith("option.") for word in (f"--{axis[7:]}", str(value))]
        warm = self.warm_point(command, out) if self.warm else None
        least = self.warm["cycle"] + ANNOUNCED_AHEAD if self.warm else 0
        for end in (value for axis, value in values.items() if warm and axis == "option.max-cycles"):
            if not isinstance(end, int) or end < least:
                raise BadSpec(f"option.max-cycles: {end} is not a number of {least} or more, {ANNOUNCED_AHEAD} cycles after the warm-up")
        restore = ["--restore", warm.state] if warm else []
        return Point(labels, {short(axis): value for axis, value in values.items()}, command + restore + free, out / "reports", warm)

    def warm_point(self, command, out):
        """The run that saves the state with which points of this command begin."""
        for option in ("--checkpoint", "--checkpoint-at", "--checkpoint-every", "--checkpoint-on-stop", "--restore", "--max-cycles"):
            if any(word.partition("=")[0] == option for word in command):
                raise BadSpec(f"warm: the sweep saves and restores by itself; leave {option} out, or make option.max-cycles an axis")
        cycle = str(self.warm["cycle"])
        name = hashlib.sha256(json.dumps([command, cycle]).encode()).hexdigest()[:12]
        (out / "warm").mkdir(exist_ok=True)
        state = str(out / "warm" / f"{name}.state")
        saving = ["--checkpoint", state, "--checkpoint-at", cycle, "--max-cycles", str(self.warm["cycle"] + ANNOUNCED_AHEAD)]
        warm = Point({"warm-up to cycle": cycle}, {}, command + saving, out / "warm")
        warm.state = state
        return warm

    def instance(self, templates, defines, out):
        """The program and the files beside it, with values for ${NAME} and, at the top of a kernel in C++, for its macros."""
        if defines and self.program.suffix != ".cpp":
            raise BadSpec(f"{self.program}: only a kernel in C++ has macros (define.{min(defines)})")
        folder = out / "programs" / folder_of({**templates, **defines})
        folder.mkdir(parents=True, exist_ok=True)
        unused, unknown = set(templates), set(defines)
        for source in sorted(self.program.parent.iterdir()):
            if (source.suffix not in PROGRAM_FILES and source != self.program) or not source.is_file():
                continue
            try:
                text = source.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                shutil.copyfile(source, folder / source.name)
                continue
            for name, value in templates.items():
                if f"${{{name}}}" in text:
                    unused.discard(name)
                    text = text.replace(f"${{{name}}}", str(value))
            unknown -= set(re.findall(r"\w+", text)) if source.suffix in (".cpp", ".h", ".hpp") else set()
            if source == self.program and defines:
                head = "".join(f"#define {name} {value}\n" for name, value in defines.items())
                text = f'{head}#line 1 "{source.name}"\n{text}'
            if not (folder / source.name).exists() or (folder / source.name).read_text(encoding="utf-8") != text:
                write_text(folder / source.name, text)
        if unused:
            raise BadSpec(f"{self.program.parent}: no program has ${{{min(unused)}}}")
        if unknown:
            raise BadSpec(f"{self.program.parent}: no program has the macro {min(unknown)}")
        return folder / self.program.name


def short(axis):
    """The name of an axis in tables and expressions: `W` of `param.W`, `fabric.hop_latency` of `set.fabric.hop_latency`."""
    return axis if axis == "preset" else axis.partition(".")[2]


def resolved(path):
    try:
        return path.resolve()
    except RuntimeError as error:  # a loop of links
        raise BadSpec(str(error)) from error
    except ValueError as error:
        raise BadSpec(f"a path: {error}") from error


def refuse_links(out):
    """A sweep writes into its folder and nowhere else."""
    for folder, folders, files in os.walk(out):
        for path in (Path(folder) / name for name in (*folders, *files)):
            if path.is_symlink() and not Path(os.path.realpath(path)).is_relative_to(out):
                raise BadSpec(f"{path}: is a link that leads out of the folder of the sweep")


def value_at_point(value, names, axis):
    """An expression has a number at every point."""
    if not str(value).startswith("="):
        return value
    found = evaluate(value[1:], names, where=axis)
    if found == "":
        raise BadSpec(f"{axis}: '{value}' divides by zero")
    return document.scalar(found, axis)


def folder_of(templates):
    """A name of one folder for these values: the values, where they and their names are plain, otherwise a digest beside them."""
    name = "_".join(f"{name}={value}" for name, value in sorted(templates.items()))
    if len(name) <= 100 and all(re.fullmatch(r"\w+", key) and re.fullmatch(r"[A-Za-z0-9.+-]+", str(value))
                                for key, value in templates.items()):
        return name
    digest = hashlib.sha256(json.dumps({key: str(value) for key, value in templates.items()}, sort_keys=True).encode()).hexdigest()
    return re.sub(r"[^A-Za-z0-9=+-]+", "_", name)[:60] + "_" + digest[:12]


def from_file(path):
    given = document.read(path)
    beside = path.parent / given["program"]
    spec = Spec(beside if beside.is_file() else given["program"])
    spec.platform = given.get("platform")
    spec.options = [str(document.scalar(word, "options")) for word in given.get("options", [])]
    for key, value in given.items():  # the first axis varies slowest
        if key == "preset":
            spec.add({"preset": value})
        elif key in KINDS:
            for name, values in value.items():
                spec.add({f"{KINDS[key]}.{name}": values})
        elif key == "axes":
            for entry in [{axis: values} for axis, values in value.items()] if isinstance(value, dict) else value:
                spec.add(entry)
    spec.columns = given.get("columns", {})
    for name in spec.columns:
        if name in OWN_COLUMNS or name in map(short, spec.names()):
            raise BadSpec(f"{path}: columns: the table has a column '{name}' already")
        check_constant(spec.columns[name], f"column {name}")
    spec.plots = given.get("plots", [])
    spec.roofline = given.get("roofline")
    spec.warm = given.get("warm")
    return spec


def from_command_line(spec, options):
    """Adds what the options of sweep.py say."""
    given = [("param." + text if text else "", text) for text in options.param]
    given += [("set." + text, text) for text in options.set] + [("template." + text, text) for text in options.template]
    given += [("define." + text, text) for text in options.define]
    for axis, text in given:
        name, equal, values = axis.partition("=")
        if not equal or not values:
            raise BadSpec(f"'{text}' has not the form NAME=VALUES")
        spec.add({name: values})
    if options.preset:
        spec.add({"preset": options.preset})
    spec.options += options.option
    spec.platform = options.platform or spec.platform
    for text in options.plot:
        parts = text.split(":")
        if len(parts) not in (2, 3):
            raise BadSpec(f"--plot {text}: has not the form X:Y[:BY]")
        spec.plots.append(dict(zip(("x", "y", "by"), parts)))
    return spec
