"""Arithmetic in a sweep: `2 * M * N / cycles` over the axes, the parameters and the report of a point."""
import ast
import math
import operator

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow}
FUNCTIONS = {"min": min, "max": max, "abs": abs, "ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2}


class BadSpec(Exception):
    """A sweep that cannot be run as it is written."""


class NoValue(Exception):
    """The report of a run that did not finish lacks a number."""


def member(report, path):
    """`counters.hops` of a report; None where there is none."""
    value = report
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value["value"] if isinstance(value, dict) and "value" in value else value


def evaluate(text, names, report=None, where="expression"):
    """The value of `text`, which may be a number already. A dotted name is an axis or a member of the report."""
    def of(node):
        if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            name = ast.unparse(node)
            value = names.get(name, member(report or {}, name))
            if value is None and report is not None and report["status"] != "finished":
                raise NoValue
            if value is None:
                raise BadSpec(f"{where}: '{name}' is no axis, parameter or number of the report; known: {', '.join(sorted(names))}")
            return value
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](of(node.left), of(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -of(node.operand)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS and not node.keywords:
            return FUNCTIONS[node.func.id](*map(of, node.args))
        raise BadSpec(f"{where}: '{ast.unparse(node)}' is not allowed in an expression")

    if isinstance(text, (int, float)):
        return text
    try:
        return of(ast.parse(str(text), mode="eval").body)
    except (SyntaxError, TypeError, ValueError, OverflowError) as error:
        raise BadSpec(f"{where}: '{text}': {error}") from error
    except (ZeroDivisionError, NoValue):
        return ""  # an empty cell
