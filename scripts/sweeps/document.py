# SPDX-License-Identifier: Apache-2.0
"""A sweep as a YAML file: read, and checked for its form before anything is made of it."""
import math
import stat

from sweeps.expression import BadSpec, is_number, parse

KEYS = ("program", "platform", "preset", "params", "settings", "templates", "defines", "options", "axes", "columns", "plots", "roofline", "warm")
PLATFORMS = ("wse", "ascend", "numesh", "vp")
ROOFLINE = ("operations", "bytes", "peak", "bandwidth")
PLOT = ("x", "y", "by", "log", "name")
LONGEST = 1 << 20  # bytes of a file
# A run whose options have one of these never ends by itself, leaves its report elsewhere, or prints something and is no run.
OWN_OPTIONS = ("--serve", "--debug", "--report", "--validate", "--print-config", "--print-program", "--print-schema", "--driver-header", "--completion",
               "--man", "--help", "--version")
KINDS = {dict: "a mapping", list: "a list", str: "a text", type(None): "nothing", bool: "true or false"}


def kind_of(value):
    """What a value is, in words. Its contents may be endless."""
    return KINDS.get(type(value), f"a {type(value).__name__}")


def expect(value, kind, where):
    if not isinstance(value, kind):
        raise BadSpec(f"{where}: expected {KINDS[kind]}, found {kind_of(value)}")
    return value


def check_text(text, where):
    """A text that becomes part of a command and of a file."""
    if any(ord(character) < 32 or 0xD800 <= ord(character) < 0xE000 for character in text):
        raise BadSpec(f"{where}: the text has characters that cannot stand in a command")
    return text


def scalar(value, where):
    """One value of an axis, as it stands in a command."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return check_text(value, where)
    if not is_number(value):
        raise BadSpec(f"{where}: a value is a number or a text, found {kind_of(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadSpec(f"{where}: {value} is no finite number")
    if isinstance(value, int) and value.bit_length() > 64:
        raise BadSpec(f"{where}: a whole number has at most 64 bits")
    return value


def _mapping(value, where):
    for key in expect(value, dict, where):
        check_text(expect(key, str, f"{where}: a name"), where)
    return value


def _list(value, where):
    return expect(value, list, where)


def _check_plot(plot, where):
    _mapping(plot, where)
    unknown = sorted(set(plot) - set(PLOT))
    if unknown:
        raise BadSpec(f"{where}: unknown key '{unknown[0]}'; known keys: {', '.join(PLOT)}")
    for key in ("x", "y"):
        if key not in plot:
            raise BadSpec(f"{where}: '{key}' is missing")
    for key in ("x", "y", "name"):
        check_text(expect(plot.get(key, ""), str, f"{where}, {key}"), where)
    by = plot.get("by", [])
    for name in by if isinstance(by, list) else [by]:
        expect(name, str, f"{where}, by")
    if plot.get("log", "x") not in ("x", "y", "xy"):
        raise BadSpec(f"{where}, log: expected x, y or xy")


def _check_roofline(roofline, where):
    if set(_mapping(roofline, where)) != set(ROOFLINE):
        raise BadSpec(f"{where}: needs {', '.join(ROOFLINE)}")
    for name, text in roofline.items():
        parse(text, f"{where}.{name}")


def check_form(given, path):
    """Refuses what has not the form of a sweep."""
    if not isinstance(given, dict) or "program" not in given:
        raise BadSpec(f"{path}: expected a mapping with 'program' and 'axes'")
    unknown = sorted(str(key) for key in set(given) - set(KEYS))
    if unknown:
        raise BadSpec(f"{path}: unknown key '{unknown[0]}'; known keys: {', '.join(KEYS)}")
    check_text(expect(given["program"], str, f"{path}: program"), f"{path}: program")
    if given.get("platform", PLATFORMS[0]) not in PLATFORMS:
        raise BadSpec(f"{path}: platform: expected {', '.join(PLATFORMS)}")
    for key in ("params", "settings", "templates", "defines", "columns"):
        _mapping(given.get(key, {}), f"{path}: {key}")
    for name, text in given.get("columns", {}).items():
        parse(text, f"column {name}")
    for number, word in enumerate(_list(given.get("options", []), f"{path}: options"), 1):
        scalar(word, f"{path}: options, number {number}")
    axes = given.get("axes", [])
    for entry in [axes] if isinstance(axes, dict) else _list(axes, f"{path}: axes"):
        if not _mapping(entry, f"{path}: axes") and entry is not axes:
            raise BadSpec(f"{path}: axes: an entry has no axis")
    for number, plot in enumerate(_list(given.get("plots", []), f"{path}: plots"), 1):
        _check_plot(plot, f"{path}: plots, number {number}")
    if "warm" in given:
        check_warm(given["warm"], f"{path}: warm")
    if "roofline" in given:
        _check_roofline(given["roofline"], f"{path}: roofline")


def check_warm(warm, where):
    if set(_mapping(warm, where)) != {"cycle"}:
        raise BadSpec(f"{where}: needs 'cycle' and nothing else")
    cycle = warm["cycle"]
    if isinstance(cycle, bool) or not isinstance(cycle, int) or not 0 < cycle < 1 << 63:
        raise BadSpec(f"{where}: cycle: expected a number of cycles above 0")


def check_options(options):
    for word in options:
        if word.partition("=")[0] in OWN_OPTIONS:
            raise BadSpec(f"option {word}: it cannot be used in a sweep, whose runs end by themselves and leave a report each")


def read(path):
    """The contents of a file, with the form of a sweep."""
    try:
        import yaml  # the command line alone does without
    except ImportError as error:
        raise BadSpec("a sweep in a file needs PyYAML (Debian: python3-yaml)") from error

    class Loader(yaml.SafeLoader):
        """Of two equal keys PyYAML would take the second."""

    def mapping(loader, node):
        seen = set()
        for key, value in node.value if isinstance(node, yaml.MappingNode) else []:
            name = key.value if isinstance(key, yaml.ScalarNode) else ""
            if name in seen and name:
                raise BadSpec(f"{path}:{key.start_mark.line + 1}: '{name}' is given twice")
            if name == "<<" and not isinstance(value, yaml.MappingNode):  # a few lines of them are millions of keys
                raise BadSpec(f"{path}:{key.start_mark.line + 1}: '<<' takes one mapping")
            seen.add(name)
        yield from yaml.SafeLoader.construct_yaml_map(loader, node)

    Loader.add_constructor("tag:yaml.org,2002:map", mapping)
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise BadSpec(f"{path}: is no file")
    if status.st_size > LONGEST:
        raise BadSpec(f"{path}: is too long for a sweep ({status.st_size} bytes, at most {LONGEST})")
    try:
        given = yaml.load(path.read_text(encoding="utf-8"), Loader)  # a SafeLoader
    except (yaml.YAMLError, ValueError) as error:
        raise BadSpec(f"{path}: {error}") from error
    except RecursionError as error:
        raise BadSpec(f"{path}: is nested too deeply") from error
    check_form(given, path)
    return given
