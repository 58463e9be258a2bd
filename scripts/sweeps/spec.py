"""What a sweep is: a program and axes, from a YAML file or the command line, and the points that they give."""
import itertools
import json
import re
import shutil
from pathlib import Path

from files import write_text
from sweeps.expression import BadSpec, evaluate
from sweeps.point import Point

ROOT = Path(__file__).resolve().parents[2]
KEYS = ("program", "platform", "preset", "params", "settings", "templates", "options", "axes", "columns", "plots", "roofline")
KINDS = {"params": "param", "settings": "set", "templates": "template"}
ROOFLINE = ("operations", "bytes", "peak", "bandwidth")
SCHEMAS = {"tessera-wse-layout-1": "wse", "tessera-numesh-program-1": "numesh"}
ENDINGS = {".pto": "ascend", ".vps": "vp", ".csl": "wse"}
# What belongs to a program that is a template: the files of these kinds in its folder.
PROGRAM_FILES = (".json", ".tasm", ".inc", ".pto", ".csl", ".vps", ".npy")
RANGE = re.compile(r"(-?\d+)\.\.(-?\d+)(?:\.\.(\d+))?$")


def values_of(given, axis):
    """[1, 2, 4] of a list, of "1,2,4", and of "1..4" (every number) or "1..9..2" (every second)."""
    if isinstance(given, str):
        given = given.split(",")
    if not isinstance(given, list):
        given = [given]
    values = []
    for value in given:
        span = RANGE.match(value) if isinstance(value, str) else None
        if span:
            values.extend(range(int(span[1]), int(span[2]) + 1, int(span[3] or 1)))
        elif isinstance(value, str):
            values.append(int(value) if re.fullmatch(r"-?\d+", value) else value)
        else:
            values.append(value)
    if not values:
        raise BadSpec(f"axis {axis}: has no values")
    return values


class Spec:
    def __init__(self, program):
        self.program = Path(program).resolve()
        self.platform = None
        self.fixed = {}  # axis -> value
        self.options = []
        self.axes = []  # each {axis: values}: those of one entry vary together
        self.columns, self.plots, self.roofline = {}, [], None

    def add(self, entry):
        """{axis: values}: values of several axes vary together. One value is a setting of all points."""
        entry = {axis: values_of(values, axis) for axis, values in entry.items()}
        for axis in entry:
            if axis != "preset" and axis.split(".")[0] not in ("param", "set", "template"):
                raise BadSpec(f"axis {axis}: expected param.NAME, set.KEY, template.NAME or preset")
        if len({len(values) for values in entry.values()}) != 1:
            raise BadSpec(f"axes {', '.join(entry)}: they vary together, so all need the same number of values")
        if all(len(values) == 1 for values in entry.values()):
            self.fixed.update((axis, values[0]) for axis, values in entry.items())
        else:
            self.axes.append(entry)

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
        except (ValueError, KeyError, TypeError):
            raise BadSpec(f"{self.program}: what runs it is unknown; name it with --platform") from None

    def points(self, out, folder=None):
        """Every combination of the axes, the last axis first."""
        if not self.program.is_file():
            raise BadSpec(f"{self.program}: there is no such program")
        executable = self.executable(folder)
        (out / "reports").mkdir(parents=True, exist_ok=True)
        points = []
        for choice in itertools.product(*[list(zip(*entry.values())) for entry in self.axes]):
            chosen = {axis: value for entry, values in zip(self.axes, choice) for axis, value in zip(entry, values)}
            points.append(self.point(chosen, out, executable))
        return points

    def point(self, chosen, out, executable):
        names = {short(axis): value for axis, value in {**self.fixed, **chosen}.items()}
        values = {axis: evaluate(value[1:], names, where=axis) if str(value).startswith("=") else value
                  for axis, value in {**self.fixed, **chosen}.items()}
        labels = {short(axis): values[axis] for axis in chosen}
        templates = {axis.partition(".")[2]: value for axis, value in values.items() if axis.startswith("template.")}
        command = [executable, str(self.instance(templates, out) if templates else self.program), "--quiet"]
        for axis, value in values.items():
            kind, _, name = axis.partition(".")
            if kind == "preset":
                command += ["--preset", str(value)]
            elif kind != "template":
                command += [f"--{kind}", f"{name}={value}"]
        return Point(labels, {short(axis): value for axis, value in values.items()}, command + self.options, out / "reports")

    def instance(self, templates, out):
        """The program and the files beside it, with values for ${NAME}."""
        folder = out / "programs" / "_".join(f"{name}={value}" for name, value in sorted(templates.items()))
        folder.mkdir(parents=True, exist_ok=True)
        unused = set(templates)
        for source in sorted(self.program.parent.iterdir()):
            if source.suffix not in PROGRAM_FILES or not source.is_file():
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
            if not (folder / source.name).exists() or (folder / source.name).read_text(encoding="utf-8") != text:
                write_text(folder / source.name, text)
        if unused:
            raise BadSpec(f"{self.program.parent}: no program has ${{{min(unused)}}}")
        return folder / self.program.name


def short(axis):
    """The name of an axis in tables and expressions: `W` of `param.W`, `fabric.hop_latency` of `set.fabric.hop_latency`."""
    return axis if axis == "preset" else axis.partition(".")[2]


def from_file(path):
    import yaml  # Debian: python3-yaml; the command line alone does without
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
    except yaml.YAMLError as error:
        raise BadSpec(f"{path}: {error}") from error
    if not isinstance(given, dict) or "program" not in given:
        raise BadSpec(f"{path}: expected a mapping with 'program' and 'axes'")
    unknown = sorted(set(given) - set(KEYS))
    if unknown:
        raise BadSpec(f"{path}: unknown key '{unknown[0]}'; known keys: {', '.join(KEYS)}")
    beside = path.parent / given["program"]
    spec = Spec(beside if beside.is_file() else given["program"])
    spec.platform = given.get("platform")
    spec.options = [str(word) for word in given.get("options", [])]
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
    spec.plots = given.get("plots", [])
    spec.roofline = given.get("roofline")
    if spec.roofline is not None and set(spec.roofline) != set(ROOFLINE):
        raise BadSpec(f"{path}: roofline needs {', '.join(ROOFLINE)}")
    return spec


def from_command_line(spec, options):
    """Adds what the options of sweep.py say."""
    given = [("param." + text if text else "", text) for text in options.param]
    given += [("set." + text, text) for text in options.set] + [("template." + text, text) for text in options.template]
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
