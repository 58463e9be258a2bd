"""Compares what tessera_cslc makes of CSL programs with what the second evaluator makes of them (csl.md 4, 5, 7).

    compare.py CSLC LIBRARY FOLDER...         every layout.csl below the folders, for both generations
    compare.py CSLC LIBRARY --corpus FOLDER   the command lines of the shell scripts in a checkout

The arguments of a program of ours follow `// cslc:` in its layout. A line `// not in the second evaluator: WHAT` leaves one out that
uses what the second evaluator does not have.
"""
import copy
import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
from program import Program  # noqa: E402
from syntax import CslError  # noqa: E402

sys.setrecursionlimit(20000)
COMPARED = ("tasks", "queues", "colors", "exports", "start", "dsrs", "teardown_handlers", "empty_queue_handlers", "configuration",
            "file", "params")


def numbers(texts):
    return [(n, int(v, 0)) for text in texts for n, v in (p.split(":") for p in text.split(",") if p)]


def options(arguments):
    """The options of the vendor's command line that an evaluation depends on."""
    found, rest = {}, iter(arguments)
    for argument in rest:
        if argument.startswith("-"):
            name, has_value, value = argument.partition("=")
            takes_value = name not in ("--memcpy", "--verbose", "-g0", "--warnings-as-errors", "--out-routes")
            found.setdefault(name, []).append(value if has_value or not takes_value else next(rest))
        else:
            found.setdefault("file", []).append(argument)
    return found


def second(folder, arguments, library):
    given = options(arguments)

    def pair(name):
        return tuple(map(int, given[name][0].split(","))) if name in given else (0, 0)
    program = Program(Path(folder) / given["file"][0], given.get("--arch", ["wse2"])[0], library, numbers(given.get("--params", [])),
                      numbers(given.get("--colors", [])), pair("--fabric-dims"), pair("--fabric-offsets"),
                      [Path(folder) / p for p in given.get("--import-path", [])], given.get("--fp16-format", ["f16"])[0])
    return program.evaluate_codes()


def first(cslc, folder, arguments):
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([str(cslc), *arguments, "-o", out, "--print-layout"], cwd=folder, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise CslError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def normal(value, folder, key=""):
    """Without the order of declarations, the numbers of instances and `const` of pointers; equal elements are written once."""
    if isinstance(value, dict):
        return {k: normal(v, folder, k) for k, v in value.items()}
    if isinstance(value, list):
        return sorted((normal(v, folder) for v in value), key=json.dumps)
    if isinstance(value, str):
        if key == "file" and not value.startswith("<"):
            return str((Path(folder) / value).resolve())
        value = re.sub(r"\{([^{},]+)(, \1)+\}", r"{\1 ..}", re.sub(r"&[^ ,}&]*#\d+\.", "&", value))
        return re.sub(r"const |(?<=module )[^ ,}]*/|#\d+", "", value)
    return value


def differences(ours, theirs, folder):
    for key in ("arch", "width", "height"):
        if ours[key] != theirs[key]:
            yield f"{key}: {ours[key]} here, {theirs[key]} by tessera_cslc"
    a, b = normal(ours["exports"], folder), normal(theirs["exports"], folder)
    if a != b:
        yield f"exports:\n  {a}\n  {b}"
    seen = set()
    for one, other in zip(ours["pes"], theirs["pes"]):
        place = f"PE ({one['x']}, {one['y']})"
        if normal(one["colors"], folder) != normal(other["colors"], folder):
            yield f"{place}: colors\n  {one['colors']}\n  {other['colors']}"
        if (one["code"] < 0) != (other["code"] < 0):
            yield f"{place}: one has code"
        if min(one["code"], other["code"]) < 0 or (one["code"], other["code"]) in seen:
            continue
        seen.add((one["code"], other["code"]))
        for key in COMPARED:
            a, b = normal({key: ours["codes"][one["code"]][key]}, folder), normal({key: theirs["codes"][other["code"]][key]}, folder)
            if a != b:
                yield f"{place}: {key}\n  {a[key]}\n  {b[key]}"


def compare(cslc, library, folder, arguments):
    """What differs, as text; nothing if the two agree."""
    try:
        found = list(differences(second(folder, arguments, library), first(cslc, folder, arguments), folder))
    except CslError as error:
        found = [str(error)]
    return "\n".join(found[:8])


def programs(folder):
    """(folder, arguments) of the layouts below a folder that name their command line."""
    for layout in sorted(Path(folder).rglob("layout.csl")):
        text = layout.read_text()
        match = re.search(r"^// cslc: *(.*)$", text, re.M)
        if match and not re.search(r"^// not in the second evaluator: \S", text, re.M):
            yield layout.parent, ["layout.csl", *shlex.split(match[1])]


def command_lines(folder):
    """(folder, arguments) of the compilations in the shell scripts of a checkout, without their output folders."""
    for script in sorted(folder.rglob("*.sh")):
        for line in script.read_text().replace("\\\n", " ").splitlines():
            if line.strip().startswith("cslc "):
                arguments = shlex.split(line, comments=True)[1:]
                yield script.parent, [a for a, before in zip(arguments, [""] + arguments)
                                      if before != "-o" and a != "-o" and not a.startswith("-o=")]


def leaves(value, path=()):
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], path + (key,))
    elif path[-1] not in ("x", "y", "code"):
        yield path


def check_that_changes_show(cslc, folder, arguments):
    """A changed value anywhere in the result is a difference."""
    result = first(cslc, folder, arguments)
    paths = [p for p in leaves(result) if p[0] != "codes" or p[2] in COMPARED]
    for path in paths:
        changed = holder = copy.deepcopy(result)
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = f"not {holder[path[-1]]}"
        assert list(differences(result, changed, folder)), path
    assert len(paths) > 60, len(paths)


def main():
    cslc, library, *folders = sys.argv[1:]
    cslc = Path(cslc).resolve()
    if folders[0] == "--corpus":
        jobs = list(command_lines(Path(folders[1])))
    else:
        jobs = [(place, [*line, "--arch=" + arch]) for f in folders for place, line in programs(f) for arch in ("wse2", "wse3")
                if not re.search("_sdk_0_|_wse2$", place.name) or arch == "wse2"]  # SDK 0.4 to 0.9 had WSE-2 alone
        check_that_changes_show(cslc, *next(job for job in jobs if job[0].name == "row_sum"))
    failures = 0
    for place, arguments in jobs:
        problem = compare(cslc, library, place, arguments)
        failures += bool(problem)
        if problem:
            print(f"{place}: {' '.join(arguments)}\n{problem}\n")
    print(f"{len(jobs) - failures} of {len(jobs)} programs are the same in both evaluators")
    return failures > 0 or len(jobs) < 20


if __name__ == "__main__":
    sys.exit(main())
