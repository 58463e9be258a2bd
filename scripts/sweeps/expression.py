# SPDX-License-Identifier: Apache-2.0
"""Arithmetic in a sweep: `2 * M * N / cycles` over the axes, the parameters and the report of a point."""
import ast
import math
import operator

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2}
MOST_BITS = 1024  # of a whole number; a floating-point number has no more
LONGEST = 2000  # characters of an expression


class BadSpec(Exception):
    """A sweep that cannot be run as it is written."""


class NoValue(Exception):
    """The report of a run that did not finish lacks a number."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def member(report, path):
    """`counters.hops` of a report; None where there is none."""
    value = report
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value["value"] if isinstance(value, dict) and "value" in value else value


def _bits(value):
    return value.bit_length() if isinstance(value, int) else 0


def _operate(node, left, right):
    for value in (left, right):
        if not is_number(value):
            raise TypeError(f"'{value}' is no number")
    if isinstance(node, ast.Pow) and max(_bits(left), 1) * abs(right) > MOST_BITS and _bits(left) > 1:
        raise OverflowError("the number is too large")
    if isinstance(node, ast.Pow) and left < 0 and right != int(right):
        raise ValueError("the root of a negative number")
    value = OPERATORS[type(node)](left, right)
    if _bits(value) > MOST_BITS:
        raise OverflowError("the number is too large")
    return value


def _is_allowed(node):
    return (isinstance(node, (ast.Name, ast.Attribute)) or isinstance(node, ast.Constant) and is_number(node.value)
            or isinstance(node, ast.BinOp) and type(node.op) in OPERATORS or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub)
            or isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords)


def parse(text, where):
    """The tree of an expression, which may be a number; refuses what no expression has."""
    if not is_number(text) and (not isinstance(text, str) or len(text) > LONGEST):
        raise BadSpec(f"{where}: an expression is a number or a text of at most {LONGEST} characters")
    try:
        tree = ast.parse(str(text).strip(), mode="eval").body
        for node in ast.walk(tree):
            if isinstance(node, ast.expr) and not _is_allowed(node):
                raise BadSpec(f"{where}: '{ast.unparse(node)}' is not allowed in an expression")
    except (SyntaxError, ValueError) as error:
        raise BadSpec(f"{where}: '{text}': {error}") from error
    except (RecursionError, MemoryError) as error:
        raise BadSpec(f"{where}: the expression is nested too deeply") from error
    return tree


def check_constant(text, where):
    """Refuses an expression without names that has no value; one with names may have none at some points."""
    nodes = list(ast.walk(parse(text, where)))
    functions = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    if not any(isinstance(node, (ast.Name, ast.Attribute)) and id(node) not in functions for node in nodes):
        evaluate(text, {}, None, where)


def evaluate(text, names, report=None, where="expression"):
    """The value of `text`, which may be a number already. A dotted name is an axis or a member of the report."""
    def number_of(node):
        value = of(node)
        if not is_number(value):
            raise TypeError(f"'{value}' is no number")
        return value

    def of(node):
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = ast.unparse(node)
            value = names.get(name, member(report or {}, name))
            if value is None and report is not None and report["status"] != "finished":
                raise NoValue
            if value is None:
                raise BadSpec(f"{where}: '{name}' is no axis, parameter or number of the report; known: {', '.join(sorted(names))}")
            return value
        if isinstance(node, ast.BinOp):
            return _operate(node.op, of(node.left), of(node.right))
        if isinstance(node, ast.UnaryOp):
            return -number_of(node.operand)
        return FUNCTIONS[node.func.id](*map(number_of, node.args))

    if is_number(text):
        return text
    tree = parse(text, where)
    try:
        value = of(tree)
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"it has the value {value}, which is no finite number")
        return value
    except (TypeError, OverflowError) as error:
        raise BadSpec(f"{where}: '{text}': {error}") from error
    except ValueError as error:
        if report is None:
            raise BadSpec(f"{where}: '{text}': {error}") from error
        return ""  # an empty cell: a point must not cost the table of the others
    except RecursionError as error:
        raise BadSpec(f"{where}: the expression is nested too deeply") from error
    except (ZeroDivisionError, NoValue):
        return ""  # an empty cell
