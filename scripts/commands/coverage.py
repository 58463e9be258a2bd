# SPDX-License-Identifier: Apache-2.0
"""tessera coverage: adds the counts of several runs (docs/coverage.md)."""
import sys
from pathlib import Path

from commands.programs import Problem
from files import write_text


MOST_DIGITS = 20  # of a count of 64 bits


class Source:
    """The counts of one source file: of functions by line and name, and of lines."""

    def __init__(self):
        self.functions = {}
        self.lines = {}


def numbered(path, number, text, kind):
    """Line and function of FN, count and function of FNDA, line and count of DA."""
    first, _, rest = text.partition(",")
    numbers = [first] if kind in ("FN", "FNDA") else [first, rest.split(",")[0]]
    if not all(n.isascii() and n.isdecimal() and len(n) <= MOST_DIGITS for n in numbers) or not rest:
        raise Problem(f"{path}:{number}: '{kind}:{text}' is no record of lcov")
    return (int(first), rest) if kind in ("FN", "FNDA") else (int(first), int(numbers[1]))


def read(path, sources):
    """Adds the records of a file to `sources`."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    source, lines_of, names = None, {}, 0
    for number, line in enumerate(text.splitlines(), 1):
        kind, _, value = line.partition(":")
        if kind == "SF" and source is None:
            source, lines_of, names = sources.setdefault(value, Source()), {}, names + 1
        elif line == "end_of_record":
            source = None
        elif line == "" or kind in ("TN", "LF", "LH", "FNF", "FNH"):
            continue
        elif source is None:
            raise Problem(f"{path}:{number}: '{line}' stands before the name of its source, so this is no file of lcov")
        elif kind == "FN":
            at, name = numbered(path, number, value, kind)
            lines_of[name] = at
            source.functions.setdefault((at, name), 0)
        elif kind == "FNDA":
            count, name = numbered(path, number, value, kind)
            if name not in lines_of:
                raise Problem(f"{path}:{number}: function '{name}' has no line")
            source.functions[lines_of[name], name] += count
        elif kind == "DA":
            at, count = numbered(path, number, value, kind)
            source.lines[at] = source.lines.get(at, 0) + count
        else:
            raise Problem(f"{path}:{number}: '{line}' is no record that can be added: there are SF, FN, FNDA and DA")
    if source is not None:
        raise Problem(f"{path}: its last record does not end (end_of_record), so the file is not whole")
    if not names:
        raise Problem(f"{path}: names no source, so it is no file of lcov")


def records(sources):
    for name in sorted(sources):
        source = sources[name]
        functions = sorted(source.functions.items())
        yield "TN:"
        yield f"SF:{name}"
        yield from (f"FN:{line},{function}" for (line, function), _ in functions)
        yield from (f"FNDA:{count},{function}" for (_, function), count in functions)
        yield f"FNF:{len(functions)}"
        yield f"FNH:{sum(1 for _, count in functions if count)}"
        yield from (f"DA:{line},{count}" for line, count in sorted(source.lines.items()))
        yield f"LF:{len(source.lines)}"
        yield f"LH:{sum(1 for count in source.lines.values() if count)}"
        yield "end_of_record"


def coverage(arguments):
    sources = {}
    for path in arguments.files:
        read(path, sources)
    text = "\n".join(records(sources)) + "\n"
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    try:
        write_text(arguments.output, text)
    except OSError as error:
        raise Problem(f"{arguments.output}: {error.strerror}") from error
    for name in sorted(sources):
        lines = sources[name].lines.values()
        executed = sum(1 for count in lines if count)
        print(f"{name}: {executed} of {len(lines)} lines executed ({100 * executed / max(len(lines), 1):.1f} %)")
    return 0


def add_to(commands):
    parser = commands.add_parser("coverage", help="adds what several runs executed (--coverage FILE.info)")
    parser.add_argument("files", metavar="RUN.info", nargs="+")
    parser.add_argument("-o", "--output", metavar="FILE.info", help="where the sums go; default: standard output")
    parser.set_defaults(call=coverage)
