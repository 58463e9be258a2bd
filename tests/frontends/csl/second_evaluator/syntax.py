"""Tokens and trees of CSL, written from csl.md 1 alone: a reader that shares nothing with frontends/csl."""
import re

TOKEN = re.compile(r"""(?P<skip>\s+|//[^\n]*)|(?P<float>\d+\.\d+([eE][+-]?\d+)?|\d+[eE][+-]?\d+)
    |(?P<int>0x[0-9a-fA-F]+|0b[01]+|\d+)|(?P<string>"(\\.|[^"\\\n])*")|(?P<char>'(\\.|[^'\\])')
    |(?P<builtin>@[A-Za-z_]\w*)|(?P<name>[A-Za-z_]\w*)
    |(?P<op>\.\.\.|\.\{|\.\*|->|=>|==|!=|<=|>=|<<=|>>=|<<|>>|[-+*/%&|^]=|[-+*/%&|^~!<>=(){}\[\],;:.])""", re.X)
KEYWORDS = set("param const var fn task export extern inline noinline comptime layout return break continue if else while "
               "for switch struct enum true false undefined and or align linksection linkname".split())
LEVELS = [("or",), ("and",), ("==", "!=", "<", ">", "<=", ">="), ("&", "^", "|"), ("<<", ">>"), ("+", "-"), ("*", "/", "%")]
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=")
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "'": "'", "\\": "\\", "r": "\r", "0": "\0"}


class CslError(Exception):
    """The program is wrong, or uses what this evaluator does not know."""


class Node:
    def __init__(self, kind, line, **fields):
        self.kind, self.line = kind, line
        self.__dict__.update(fields)


def unescape(text):
    return re.sub(r"\\(x[0-9a-fA-F]{2}|.)", lambda m: chr(int(m[1][1:], 16)) if m[1][0] == "x" and len(m[1]) == 3
                  else ESCAPES.get(m[1], m[1]), text)


def tokens(text, path):
    """(kind, text, line) of each token; the kind of a keyword or an operator is its text."""
    at, line, found = 0, 1, []
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise CslError(f"{path}:{line}: unknown character {text[at]!r}")
        kind, word = match.lastgroup, match[0]
        if kind in ("op",) or kind == "name" and word in KEYWORDS:
            kind = word
        if kind != "skip":
            found.append((kind, word, line))
        line += word.count("\n")
        at = match.end()
    return found + [("end", "end of file", line)]


class Parser:
    def __init__(self, text, path):
        self.tokens, self.at, self.path = tokens(text, path), 0, path

    def peek(self, *kinds):
        return self.tokens[self.at][0] in kinds

    def next_is(self, *kinds):
        return self.tokens[min(self.at + 1, len(self.tokens) - 1)][0] in kinds

    def line(self):
        return self.tokens[self.at][2]

    def take(self, *kinds):
        if self.peek(*kinds):
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def need(self, *kinds):
        word = self.take(*kinds)
        if word is None:
            raise CslError(f"{self.path}:{self.line()}: expected {' or '.join(kinds)}, found {self.tokens[self.at][1]!r}")
        return word

    def node(self, kind, **fields):
        return Node(kind, self.line(), **fields)

    def list_until(self, end, element):
        found = []
        while not self.take(end):
            found.append(element())
            if not self.take(","):
                self.need(end)
                break
        return found

    # Files

    def file(self):
        items = []
        while not self.peek("end"):
            items.append(self.item())
        return items

    def item(self):
        if self.peek("layout", "comptime") and self.next_is("{"):
            kind = self.take("layout", "comptime")
            node = self.node(kind, body=self.block())
            self.take(";")
            return node
        if self.peek("name") and self.tokens[self.at][1] == "color":  # older programs have it
            self.at += 1
            return self.variable("const", named_type="color")
        flags = []
        while self.peek("export", "extern", "inline", "noinline"):
            flags.append(self.take("export", "extern", "inline", "noinline"))
        if self.peek("fn", "task"):
            return self.function(flags)
        if self.take("param"):
            node = self.node("param", name=self.need("name"), type=None, value=None)
            if self.take(":"):
                node.type = self.type()
            if self.take("="):
                node.value = self.expression()
            self.need(";")
            return node
        return self.variable(self.need("const", "var"))

    def variable(self, kind, named_type=None):
        node = self.node(kind, name=self.need("name"), type=None, value=None)
        if named_type:
            node.type = self.node("name", name=named_type)
        if self.take(":"):
            node.type = self.type()
        while self.take("align", "linksection", "linkname"):
            self.need("(")
            self.expression()
            self.need(")")
        if self.take("="):
            node.value = self.expression()
        self.need(";")
        return node

    def function(self, flags):
        node = self.node("function", is_task=self.need("fn", "task") == "task", flags=flags, name=self.need("name"), body=None)
        self.need("(")
        node.params = self.list_until(")", self.parameter)
        node.result = self.node("name", name="void") if node.is_task and self.peek("{") else self.type()
        if not self.take(";"):
            node.body = self.block()
        return node

    def parameter(self):
        self.take("comptime")
        name = self.need("name")
        self.need(":")
        return name, self.type()

    # Types

    def type(self):
        line = self.line()
        if self.take("*"):
            self.take("const")
            return Node("pointer", line, many=False, element=self.type())
        if self.take("["):
            if self.peek("*") and self.next_is("]"):
                self.at += 2
                self.take("const")
                return Node("pointer", line, many=True, element=self.type())
            extents = self.list_until("]", self.expression)
            return Node("array_type", line, extents=extents, element=self.type())
        if self.peek("fn", "task") and self.next_is("("):
            name = self.take("fn", "task")
            self.need("(")
            return Node("function_type", line, name=name, params=self.list_until(")", self.type), result=self.type())
        return self.postfix(self.primary(), literals=False)

    # Statements

    def block(self):
        node = self.node("block", statements=[], label=None)
        self.need("{")
        while not self.take("}"):
            node.statements.append(self.statement())
        return node

    def statement(self):
        label = None
        if self.peek("name") and self.next_is(":"):
            label = self.take("name")
            self.at += 1
        line = self.line()
        self.take("inline")
        if self.peek("comptime") and not self.next_is("{", "const", "var"):
            return self.simple()
        self.take("comptime")
        if self.peek("const", "var"):
            return self.variable(self.take("const", "var"))
        for kind in ("if", "while", "for", "switch"):
            if self.take(kind):
                node = getattr(self, kind + "_")(line, self.arm)
                node.label = label
                return node
        if self.peek("{"):
            node = self.block()
            node.label = label
            return node
        return self.simple()

    def simple(self):
        node = self.jump_or_assignment()
        self.need(";")
        return node

    def jump_or_assignment(self):
        line = self.line()
        if self.take("return"):
            node = Node("return", line, value=None if self.peek(";", ",", "}") else self.expression())
        elif self.peek("break", "continue"):
            node = Node(self.take("break", "continue"), line, label=None, value=None)
            if self.take(":"):
                node.label = self.need("name")
            if not self.peek(";", ",", "}"):
                node.value = self.expression()
        else:
            node = self.assignment()
        return node

    def assignment(self):
        line, target = self.line(), self.expression()
        operator = self.take(*ASSIGNMENTS)
        if operator is None:
            return Node("evaluate", line, value=target)
        return Node("assign", line, target=target, operator=operator[:-1], value=self.expression())

    def arm(self):
        """A block, or one statement: its ';' is missing in front of 'else'."""
        if self.peek("{", "if", "while", "for", "switch"):
            return self.statement()
        if self.peek("return", "break", "continue"):
            return self.simple()
        node = self.assignment()
        if not self.peek("else"):
            self.need(";")
        return node

    def condition(self):
        self.need("(")
        value = self.expression()
        self.need(")")
        return value

    def if_(self, line, arm):
        condition, then = self.condition(), arm()
        self.take(";") if self.next_is("else") else None
        return Node("if", line, condition=condition, then=then, other=arm() if self.take("else") else None)

    def while_(self, line, arm):
        condition, step = self.condition(), None
        if self.take(":"):
            self.need("(")
            step = self.assignment()
            self.need(")")
        return Node("while", line, condition=condition, step=step, body=arm())

    def for_(self, line, arm):
        values, names = self.condition(), None
        self.need("|")
        names = self.list_until("|", lambda: self.need("name"))
        return Node("for", line, values=values, names=names, body=arm())

    def switch_(self, line, arm):
        node = Node("switch", line, value=self.condition(), arms=[])

        def one():
            keys = None
            if not self.take("else"):
                keys = [self.values_of_arm()]
                while self.take(","):
                    if self.peek("=>"):
                        break
                    keys.append(self.values_of_arm())
            self.need("=>")
            return keys, (self.block() if self.peek("{") else self.switch_value(arm))
        self.need("{")
        node.arms = self.list_until("}", one)
        if arm == self.arm:
            self.take(";")
        return node

    def values_of_arm(self):
        """The first and the last value."""
        first = self.expression()
        return first, self.expression() if self.take("...") else first

    def switch_value(self, arm):
        return self.jump_or_assignment() if arm == self.arm else arm()

    # Expressions

    def expression(self, level=0):
        if level == len(LEVELS):
            return self.prefix()
        left = self.expression(level + 1)
        while self.peek(*LEVELS[level]) and not (level == 3 and self.is_assignment()):
            line, operator = self.line(), self.take(*LEVELS[level])
            left = Node("binary", line, operator=operator, left=left, right=self.expression(level + 1))
        return left

    def is_assignment(self):
        return self.peek(*ASSIGNMENTS)

    def prefix(self):
        line = self.line()
        for operator in "-!~&":
            if self.take(operator):
                return Node("prefix", line, operator=operator, value=self.prefix())
        if self.take("comptime"):
            return self.expression()
        if self.peek("*", "fn", "task", "["):
            return self.literal_of(self.type())
        return self.postfix(self.primary(), literals=True)

    def literal_of(self, kind):
        if kind.kind == "array_type" and self.peek("{"):
            return self.postfix(self.literal(kind), literals=True)
        return kind

    def literal(self, kind):
        node = self.node("literal", type=kind)
        if not self.take("{"):
            self.need(".{")
        node.fields = self.list_until("}", self.field)
        return node

    def field(self):
        name = None
        if self.take("."):
            name = self.need("name")
            self.need("=")
        return name, self.expression()

    def postfix(self, value, literals):
        while True:
            line = self.line()
            if self.take("."):
                value = Node("member", line, of=value, name=self.need("name", *KEYWORDS))
            elif self.take(".*"):
                value = Node("dereference", line, of=value)
            elif self.take("["):
                value = Node("index", line, of=value, indices=self.list_until("]", self.expression))
            elif self.take("("):
                value = Node("call", line, of=value, arguments=self.list_until(")", self.expression))
            elif literals and self.peek("{") and value.kind in ("name", "member", "call", "struct", "builtin"):
                value = self.literal(value)
            else:
                return value

    def primary(self):
        line = self.line()
        for kind, make in (("int", lambda w: int(w, 0) if not w.isdigit() else int(w)), ("float", float),
                           ("string", lambda w: unescape(w[1:-1])), ("char", lambda w: ord(unescape(w[1:-1])))):
            if self.peek(kind):
                return Node(kind, line, value=make(self.take(kind)))
        if self.peek("name") and self.next_is(":") and self.tokens[self.at + 2][0] == "{":
            label = self.take("name")
            self.at += 1
            block = self.block()
            block.label = label
            return Node("block_value", line, body=block)
        if self.peek("name"):
            return Node("name", line, name=self.take("name"))
        if self.peek("builtin"):
            name = self.take("builtin")
            self.need("(")
            return Node("builtin", line, name=name, arguments=self.list_until(")", self.expression))
        if self.peek("true", "false", "undefined"):
            return Node("constant", line, value=self.take("true", "false", "undefined"))
        if self.take("("):
            value = self.expression()
            self.need(")")
            return value
        for kind in ("if", "while", "for", "switch"):
            if self.take(kind):
                return getattr(self, kind + "_")(line, self.expression)
        return self.compound(line)

    def compound(self, line):
        if self.peek(".{"):
            return self.literal(None)
        if self.take("{"):
            self.need("}")
            return Node("void", line)
        if self.take("|"):
            names = self.list_until("|", lambda: self.need("name"))
            self.need("{")
            extents = self.list_until("}", self.expression)
            self.need("->")
            return Node("tensor", line, names=names, extents=extents, access=self.postfix(self.primary(), literals=False))
        self.take("extern")
        if self.take("struct"):
            self.need("{")
            return Node("struct", line, fields=self.list_until("}", self.parameter), name=None)
        if self.take("enum"):
            tag = self.condition_type() if self.peek("(") else None
            self.need("{")
            return Node("enum", line, tag=tag, members=self.list_until("}", self.member), name=None)
        raise CslError(f"{self.path}:{line}: expected an expression, found {self.tokens[self.at][1]!r}")

    def condition_type(self):
        self.need("(")
        kind = self.type()
        self.need(")")
        return kind

    def member(self):
        name = self.need("name")
        return name, self.expression() if self.take("=") else None
