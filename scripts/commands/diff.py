# SPDX-License-Identifier: Apache-2.0
"""tessera diff: what differs between the reports of two runs (docs/report-and-traces.md#two-reports)."""
import contextlib
import json

from commands.reports import read

# Beside `run`: what a report says of what a run was given.
GIVEN = ("platform", "preset", "program", "structure")
# What two equal runs may have different.
IGNORED = ("run.argv", "run.threads", "run.ranks", "wall", "checkpoint")
# Of every place of the machine: after what the whole machine did.
PLACES = ("tiles.", "cores.", "nodes.", "waits.links.", "waits.waiting_links.")
MOST_LINES = 40
MOST_WIDTH = 60
ABSENT = object()


# What tells the members of a list apart, whatever their order; the first that fits. Other lists are compared by position.
IDENTITIES = (("tile", "direction"), ("tile",), ("core",), ("node",), ("name",), ("place", "reason", "what", "thread"), ("place", "reason", "what"),
              ("place", "reason"))


def label(value):
    """A place of a program without its folder, so that two checkouts have the same lines."""
    if isinstance(value, list):
        return "(" + ", ".join(map(str, value)) + ")"
    return value.rpartition("/")[2] if isinstance(value, str) else str(value)


def named(members):
    """[(name, member)] of a list."""
    for keys in IDENTITIES:
        if all(isinstance(member, dict) and all(key in member for key in keys) for member in members):
            names = [" ".join(filter(None, (label(member[key]) for key in keys))) for member in members]
            if len(set(names)) == len(names):
                return [(name, {key: value for key, value in member.items() if key not in keys}) for name, member in zip(names, members)]
    return list(enumerate(members))


def flat(value, path=""):
    """{"counters.hops": 12, ..}: every number and text of a report by its path."""
    if path in IGNORED:
        return {}
    if isinstance(value, dict):
        if set(value) == {"value", "unit", "description"}:  # a counter
            return {path: value["value"]}
        members = value.items()
    elif isinstance(value, list):
        members = named(value)
    else:
        return {path: value}
    return {key: leaf for name, member in members for key, leaf in flat(member, f"{path}.{name}" if path else str(name)).items()}


def differences(before, after):
    """{"inputs": [(path, before, after)], "results": ..}"""
    before, after = flat(before), flat(after)
    found = {"inputs": [], "results": []}
    for path in {**before, **after}:
        values = before.get(path, ABSENT), after.get(path, ABSENT)
        if values[0] != values[1]:
            is_given = path.startswith("run.") or path in GIVEN
            found["inputs" if is_given else "results"].append((path.removeprefix("run."), *values))
    found["results"].sort(key=lambda row: row[0].startswith(PLACES))
    return found


def shown(value):
    if value is ABSENT:
        return "(absent)"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return value if isinstance(value, str) and value else json.dumps(value)


def line(path, before, after, width):
    text = f"  {path:<{width}}  {shown(before)} -> {shown(after)}"
    numbers = [isinstance(value, (int, float)) and not isinstance(value, bool) for value in (before, after)]
    if all(numbers) and before:
        with contextlib.suppress(OverflowError):  # a report that was edited may have numbers beyond any float
            text += f"  ({(after - before) / abs(before):+.1%})"
    return text


def say_commands(before, after):
    """Which outputs a run writes is in the command line only."""
    commands = [" ".join(map(str, report.get("run", {}).get("argv") or [])) for report in (before, after)]
    if commands[0] != commands[1]:
        print("command lines")
        print("\n".join(f"  {command}" for command in commands))


def diff(arguments):
    before, after = read(arguments.a), read(arguments.b)
    found = differences(before, after)
    if arguments.json:
        print(json.dumps({part: [dict(path=path, **{name: value for name, value in (("a", a), ("b", b)) if value is not ABSENT})
                                 for path, a, b in rows] for part, rows in found.items()}, indent=2))
    else:
        for part, rows in found.items():
            print(f"{part} differ" if rows else f"{part} are equal")
            width = min(max((len(path) for path, _, _ in rows[:MOST_LINES]), default=0), MOST_WIDTH)
            for row in rows[:MOST_LINES]:
                print(line(*row, width))
            if len(rows) > MOST_LINES:
                print(f"  and {len(rows) - MOST_LINES} more; --json has all")
        if found["results"] and not found["inputs"]:
            say_commands(before, after)
    return 1 if found["results"] or (found["inputs"] and not arguments.results) else 0


def add_to(commands):
    command = commands.add_parser("diff", help="says what differs between two reports")
    command.add_argument("a", metavar="A.json")
    command.add_argument("b", metavar="B.json")
    command.add_argument("--json", action="store_true", help="writes the differences as data")
    command.add_argument("--results", action="store_true", help="only results decide about the exit code")
    command.set_defaults(call=diff)
