# SPDX-License-Identifier: Apache-2.0
"""tessera tune: the values of axes with which a program takes the fewest cycles (docs/sweeps.md#tuning).

If all combinations are within the budget, all are run. Otherwise half of the budget goes to combinations spread over the grid; then
the better half of what is known stays, and its neighbours on the grid are run, again and again until the budget is used or nobody has
a new neighbour. With --scale the program is small at first: all of these combinations run with the first value, the better half with
the next one, and so on. Everything is kept in the folder of --out: a search that was interrupted goes on.
"""
import argparse
import itertools
import math
import os
import random
import signal
import sys
from pathlib import Path

from sweeps.document import check_options, check_text
from sweeps.engine import check_limits, conclude, run_here
from sweeps.expression import BadSpec
from sweeps.plots import svg_of_search
from sweeps.spec import Spec, resolved, values_of

KINDS = ("param", "set", "template", "define", "preset")
EXIT_INTERRUPTED = 130
MOST_COMBINATIONS = 1_000_000


def add_to(commands):
    command = commands.add_parser("tune", help="searches the values with which a program takes the fewest cycles",
                                  description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("program", metavar="PROGRAM", help="a program, layout, CSL file or kernel")
    command.add_argument("--axis", action="append", default=[], required=True, metavar="NAME=VALUES",
                         help="a parameter, or a macro of a kernel in C++ (1,2,4 or 1..8); set.KEY, template.NAME, define.NAME, param.NAME and "
                              "preset say which")
    command.add_argument("--budget", type=int, default=100, metavar="N", help="runs at most (default 100)")
    command.add_argument("--scale", metavar="NAME=VALUES", help="an axis that makes the program larger from round to round")
    command.add_argument("--out", type=Path, default=Path("tune"), help="folder for tune.csv, the reports and the plot (default: tune)")
    command.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help="the same in all runs")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="the same in all runs")
    command.add_argument("--preset", metavar="NAME")
    command.add_argument("--option", action="append", default=[], metavar="TEXT", help="a further option of all runs")
    command.add_argument("--platform", choices=("wse", "ascend", "numesh", "vp"), help="default: by the ending of the program")
    command.add_argument("--expect", action="append", default=[], metavar="NAME=FILE.npy", help="what the best combination must put out")
    command.add_argument("--tolerance", type=float, default=1e-3, help="of --expect, relative and absolute (default 0.001)")
    command.add_argument("--with-data", action="store_true", help="the search of an Ascend kernel computes values too; otherwise only the best "
                                                                  "combination does")
    command.add_argument("--jobs", type=int, help="runs at a time (default: one a core)")
    command.add_argument("--timeout", type=float, metavar="SECONDS", help="of each run")
    command.add_argument("--bin", type=Path, help="folder of the executables")
    command.set_defaults(call=run)


class Grid:
    """Combinations of values, as tuples of positions on the axes."""

    def __init__(self, axes):
        self.axes = axes  # [(axis, [value])]

    def size(self):
        return math.prod(len(values) for _, values in self.axes)

    def all(self):
        return list(itertools.product(*[range(len(values)) for _, values in self.axes]))

    def spread(self, count):
        """`count` combinations in which every value of every axis is as frequent as every other."""
        choice = random.Random(1)  # the same ones each time
        columns = []
        for _, values in self.axes:
            column = [n % len(values) for n in range(count)]
            choice.shuffle(column)
            columns.append(column)
        chosen = dict.fromkeys(zip(*columns))
        for combination in self.all():
            if len(chosen) >= count:
                break
            chosen.setdefault(combination)
        return list(chosen)[:count]

    def neighbours(self, combination):
        for axis, (_, values) in enumerate(self.axes):
            for step in (-1, 1):
                if 0 <= combination[axis] + step < len(values):
                    yield (*combination[:axis], combination[axis] + step, *combination[axis + 1:])

    def values(self, combination):
        return {axis: values[n] for (axis, values), n in zip(self.axes, combination)}


class Search:
    def __init__(self, spec, grid, scale, options, execute):
        self.spec, self.grid, self.scale, self.options, self.execute = spec, grid, scale, options, execute
        self.points, self.spent = {}, 0  # (combination, value of the scale) -> point

    def point(self, combination, size):
        key = combination, size
        if key not in self.points:
            chosen = self.grid.values(combination)
            if self.scale:
                chosen[self.scale[0]] = size
            self.points[key] = self.spec.point(chosen, self.options.out, self.spec.executable(self.options.bin))
        return self.points[key]

    def cycles(self, combination, size):
        """inf: the run was refused, or could not finish."""
        report = self.points[combination, size].result()
        return report["cycles"] if report and report["status"] == "finished" else math.inf

    def measure(self, combinations, size):
        """Runs as many as the budget allows; those that were run, the best one first."""
        new = [c for c in combinations if (c, size) not in self.points][:self.options.budget - self.spent]
        self.spent += len(new)
        points = [self.point(c, size) for c in new]
        self.execute([point for point in points if point.result() is None])
        known = [c for c in combinations if (c, size) in self.points]
        return sorted(known, key=lambda c: (self.cycles(c, size), c))

    def halve(self, ranked):
        return ranked[:max(1, len(ranked) // 2)]

    def by_scale(self):
        sizes = self.scale[1]
        # Rounds take 1, 1/2, 1/4 .. of the combinations.
        first = max(1, int(self.options.budget / sum(0.5 ** n for n in range(len(sizes)))))
        alive = self.grid.all() if self.grid.size() <= first else self.grid.spread(first)
        for n, size in enumerate(sizes):
            ranked = self.measure(alive, size)
            alive = self.halve(ranked) if n + 1 < len(sizes) else ranked
        return alive, sizes[-1]

    def by_neighbours(self):
        if self.grid.size() <= self.options.budget:
            return self.measure(self.grid.all(), None), None
        ranked = self.measure(self.grid.spread(max(1, self.options.budget // 2)), None)
        alive = ranked
        while self.spent < self.options.budget:
            alive = self.halve(alive)
            near = dict.fromkeys(n for c in alive for n in self.grid.neighbours(c) if (n, None) not in self.points)
            if not near:
                if len(alive) == 1:
                    break
                continue
            ranked = self.measure(list(dict.fromkeys([*ranked, *near])), None)
            alive = ranked[:max(2, len(alive))]
        return ranked, None


def axis_of(text, spec):
    """(axis, values) of NAME=VALUES; without a kind a macro of a kernel in C++, a parameter of everything else."""
    name, equal, values = text.partition("=")
    if not name or not equal or not values:
        raise BadSpec(f"'{text}' has not the form NAME=VALUES")
    if name.partition(".")[0] not in KINDS:
        name = f"{'define' if spec.program.suffix == '.cpp' else 'param'}.{name}"
    values = values_of(values, name)
    if len(set(values)) < len(values):
        raise BadSpec(f"'{text}' has a value twice")
    return name, values


def prepare(options):
    for text in (options.program, str(options.out), str(options.bin), *options.option, *options.axis):
        check_text(text, "command line")
    if options.budget < 1:
        raise BadSpec("--budget: expected at least 1 run")
    if not 0 <= options.tolerance < math.inf:
        raise BadSpec("--tolerance: expected a number, 0 or more")
    check_limits(options.jobs, options.timeout)
    spec = Spec(options.program)
    if not spec.program.is_file():
        raise BadSpec(f"{spec.program}: there is no such program")
    spec.platform, spec.options = options.platform, list(options.option)
    check_options(spec.options)
    for kind, texts in (("param", options.param), ("set", options.set)):
        for text in texts:
            name, equal, value = text.partition("=")
            if not equal:
                raise BadSpec(f"'{text}' has not the form NAME=VALUE")
            spec.fixed[f"{kind}.{name}"] = value
    if options.preset:
        spec.fixed["preset"] = options.preset
    axes = dict(axis_of(text, spec) for text in options.axis)
    scale = axis_of(options.scale, spec) if options.scale else None
    if len(axes) != len(options.axis) or scale and scale[0] in axes or set(axes) & set(spec.fixed):
        raise BadSpec("an axis is given twice")
    grid = Grid(list(axes.items()))
    if grid.size() > MOST_COMBINATIONS:
        raise BadSpec(f"the axes have {grid.size()} combinations, more than {MOST_COMBINATIONS}")
    for axis, values in [*axes.items(), *([scale] if scale else [])]:
        spec.axes.append({axis: values})
    options.expect = expected_arrays(options.expect)
    options.out = resolved(options.out)
    (options.out / "reports").mkdir(parents=True, exist_ok=True)
    return spec, grid, scale


def run(options):
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    try:
        return tune(options)
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except (BadSpec, OSError) as error:
        print("tessera tune:", " ".join(str(error).split()), file=sys.stderr)
        return 2


def tune(options):
    spec, grid, scale = prepare(options)
    is_ascend = (spec.platform or spec.guessed_platform()) == "ascend"
    if is_ascend and not options.with_data and "--no-data" not in spec.options:
        spec.options.append("--no-data")
    jobs = options.jobs or len(os.sched_getaffinity(0))
    search = Search(spec, grid, scale, options, lambda points: run_here(points, jobs, options.timeout))
    interrupted, ranked, size = False, [], None
    try:
        ranked, size = search.by_scale() if scale else search.by_neighbours()
    except KeyboardInterrupt:
        interrupted = True
    points = list(search.points.values())
    conclude(spec, points, options.out, "tessera tune", "tune.csv")
    svg_of_search(points, options.out / "tune.svg")
    if interrupted:
        return EXIT_INTERRUPTED
    if not ranked or math.isinf(search.cycles(ranked[0], size)):
        print("tessera tune: no combination came to its end", file=sys.stderr)
        return 2 if all(point.is_refused() for point in points) else 1
    best = search.points[ranked[0], size]
    print(f"{search.spent} runs of {grid.size()} combinations; the best: {best.name()}, {search.cycles(ranked[0], size):,} cycles")
    for combination in ranked[1:4]:
        print(f"  then {search.points[combination, size].name()}, {search.cycles(combination, size):,} cycles"
              if not math.isinf(search.cycles(combination, size)) else "  then nothing that came to its end")
    return check_values(spec, best, options)


def check_values(spec, best, options):
    """Runs the best combination once more, with values. 1: a check failed, or --expect differs."""
    command = [word for word in best.command if word != "--no-data"]
    expected = options.expect
    for name in expected:
        command += ["--output", f"{name}={options.out / f'best_{name}.npy'}"]
    point = type(best)(best.labels, best.values, command, options.out / "reports")
    if expected or point.result() is None:
        run_here([point], 1, options.timeout)
    report = point.result()
    if report is None or report["status"] != "finished":
        print(f"tessera tune: the best combination with values: {point.problem()}", file=sys.stderr)
        return 1
    failed = [check["name"] if "name" in check else "a check" for check in report["checks"] if not check["passed"]]
    failed += [name for name, array in expected.items() if not is_close(options.out / f"best_{name}.npy", array, options.tolerance)]
    if failed:
        print(f"tessera tune: the best combination has wrong values: {', '.join(failed)}", file=sys.stderr)
        return 1
    print(f"its values: {len(report['checks'])} checks of the program and {len(expected)} arrays of --expect hold")
    return 0


def expected_arrays(texts):
    """NAME -> array of --expect, read before the search begins."""
    if not texts:
        return {}
    try:
        import numpy
    except ImportError as error:
        raise BadSpec("--expect needs NumPy (Debian: python3-numpy)") from error
    arrays = {}
    for text in texts:
        name, equal, path = text.partition("=")
        if not equal or not name or not path:
            raise BadSpec(f"--expect {text}: expected NAME=FILE.npy")
        if name in arrays:
            raise BadSpec(f"--expect {text}: '{name}' is given twice")
        try:
            arrays[name] = numpy.load(path)
        except (OSError, ValueError) as error:
            raise BadSpec(f"--expect {text}: {error}") from error
    return arrays


def is_close(ours, expected, tolerance):
    import numpy
    found = numpy.load(ours)
    return found.shape == expected.shape and bool(numpy.allclose(found.astype("f8"), expected.astype("f8"), rtol=tolerance, atol=tolerance))
