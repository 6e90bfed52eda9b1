"""One-token changes to equations.

`mutants(text)` gives every change of the ops in a file: an operator, a comparison, a constant, a function, a name, a
reduction, a clause or an `else` is replaced by another or left out. Whether a change still reads as an equation is not
decided here.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(r"""
    (?P<comment>\#[^\n]*) | (?P<space>[ \t]+) | (?P<line>\n) | (?P<string>"[^"]*")
  | (?P<assign>\+=|\*=|max=|min=|and=|or=|\[\w+\]=)
  | (?P<real>\d+\.\d+(?:e-?\d+)?|\d+e-?\d+) | (?P<integer>\d+) | (?P<name>[A-Za-z_]\w*)
  | (?P<mark>\.\.\.|->|<<|>>|<=|>=|==|!=|[-+*/%<>=&|^~?:(),;\[\]{}])
""", re.X)

OPERATORS = {
    "+": ["-"], "-": ["+"], "*": ["+"], "/": ["*"], "%": ["*"], "<": ["<=", ">"], "<=": ["<", ">="], ">": [">=", "<"],
    ">=": [">", "<="], "==": ["!="], "!=": ["=="], "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"],
    "and": ["or"], "or": ["and"],
}
ASSIGNMENTS = {"+=": ["max=", "*="], "max=": ["min=", "+="], "min=": ["max="], "*=": ["+="], "and=": ["or="], "or=": ["and="]}
FUNCTIONS = {
    "max": "min", "min": "max", "floor": "ceil", "ceil": "floor", "round": "floor", "exp": "expm1", "log": "log1p",
    "log1p": "log", "expm1": "exp", "sin": "cos", "cos": "sin", "tan": "tanh", "asin": "sin", "acos": "cos",
    "atan": "tan", "sinh": "cosh", "cosh": "sinh", "tanh": "sigmoid", "sigmoid": "tanh", "asinh": "sinh",
    "acosh": "cosh", "atanh": "tanh", "erf": "tanh", "abs": "sign", "sign": "abs", "sqrt": "abs", "mod": "rem",
    "rem": "mod", "wrap": "max", "pow": "atan2", "isinf": "isnan", "lowest": "highest", "highest": "lowest",
    "floordiv": "ceildiv", "ceildiv": "floordiv",
}
WORDS = {"op", "where", "in", "into", "at", "else", "like", "rank", "and", "or", "not", "inf", "true", "false", "from"}
CONTINUES = WORDS & {"where", "into", "else", "and", "or"} | set(OPERATORS) | {"?", ":"}


@dataclass
class Token:
    kind: str
    text: str
    begin: int
    end: int
    statement: int = 0


@dataclass
class Op:
    name: str
    begin: int
    end: int
    header: list
    body: list


@dataclass
class Mutant:
    op: str
    kind: str
    line: str  # the changed line, as it reads now
    text: str  # the whole changed op

    @property
    def key(self):
        return f"{self.op}: {self.line}"


def tokens(text):
    place, found = 0, []
    while place < len(text):
        match = TOKEN.match(text, place)
        assert match, f"no token at {text[place:place + 20]!r}"
        if match.lastgroup not in ("space", "comment"):
            found.append(Token(match.lastgroup, match[0], place, match.end()))
        place = match.end()
    return found


def number_statements(body):
    """Drops the ends of lines and numbers the statements, by the rules of docs/equations.md, section 3."""
    statement, depth, kept = 0, 0, []
    for place, token in enumerate(body):
        if token.text in "([":
            depth += 1
        elif token.text in (")", "]"):
            depth -= 1
        if token.kind == "line" or token.text == ";":
            after = next((t for t in body[place:] if t.kind != "line"), None)
            before = kept[-1] if kept else None
            goes_on = depth or not before or not after or after.text in CONTINUES or before.text in CONTINUES | {","} or (
                before.kind == "assign" or before.text == "=")
            if token.text == ";" or not goes_on:
                statement += 1
            continue
        token.statement = statement
        kept.append(token)
    return kept


def ops(text):
    """The ops of a file: where they stand, the tokens of header and body."""
    found, all_tokens = [], tokens(text)
    place = 0
    while place < len(all_tokens):
        if all_tokens[place].text != "op" or all_tokens[place].kind != "name":
            place += 1
            continue
        opening = next(i for i in range(place, len(all_tokens)) if all_tokens[i].text == "{")
        closing = next(i for i in range(opening, len(all_tokens)) if all_tokens[i].text == "}")
        header = [t for t in all_tokens[place:opening] if t.kind != "line"]
        found.append(Op(header[1].text, header[0].begin, all_tokens[closing].end, header,
                        number_statements(all_tokens[opening + 1:closing])))
        place = closing
    return found


class Names:
    """What the names of an op are."""

    def __init__(self, op):
        header = [t.text for t in op.header]
        self.attributes, self.tensors, self.types, self.optional = {}, [], set(), set()
        words = iter(range(3, len(header)))
        section = "operands"
        for i in words:
            if header[i] == ";":
                section = "attributes"
            elif header[i] == "->":
                section = "results"
            elif header[i] == ":" and section == "attributes":
                self.attributes[header[i - 1]] = header[i + 1]
            elif header[i] == ":":
                back = i - 1
                while not re.match(r"\w", header[back]):
                    back -= 1
                self.tensors.append(header[back])
                self.types.add(header[i + 1])
        # A temporary is a name at the beginning of a statement, or after it and a comma.
        previous = None
        for token in op.body:
            if token.kind == "name" and token.statement != previous and token.text not in self.tensors + list(WORDS):
                self.tensors.append(token.text)
            previous = token.statement
        self.indices = {}
        for place, token in enumerate(op.body):
            if self.is_index(op, place):
                self.indices.setdefault(token.statement, []).append((token.text, self.is_pack(op, place)))

    def is_index(self, op, place):
        token = op.body[place]
        following = op.body[place + 1].text if place + 1 < len(op.body) else ""
        return (token.kind == "name" and token.text not in WORDS and token.text not in self.attributes
                and token.text not in self.tensors and token.text not in self.types and following != "(")

    @staticmethod
    def is_pack(op, place):
        return place + 1 < len(op.body) and op.body[place + 1].text == "..."


def number_changes(token):
    if token.kind == "integer":
        value = int(token.text)
        return [str(value + 1)] + ([str(value - 1)] if value > 0 else [])
    return [repr(float(token.text) * 1.01)]


def name_changes(op, names, place):
    """Replacements of a name: of the same sort, from the same statement for indices."""
    token = op.body[place]
    if token.text in names.tensors:
        return [other for other in names.tensors if other != token.text][:3]
    if token.text in names.attributes:
        kind = names.attributes[token.text]
        return [other for other, of in names.attributes.items() if of == kind and other != token.text]
    if token.text in FUNCTIONS and place + 1 < len(op.body) and op.body[place + 1].text == "(":
        return [FUNCTIONS[token.text]]
    if names.is_index(op, place):
        pack = names.is_pack(op, place)
        others = dict.fromkeys(name for name, is_pack in names.indices[token.statement] if is_pack == pack)
        return [other for other in others if other != token.text][:2]
    return []


def is_unary(op, place):
    before = op.body[place - 1] if place else None
    return not before or before.text in OPERATORS or before.text in set("(,?:[=;") | WORDS or before.kind == "assign"


def extent_of_value(op, place):
    """The token after the value that begins at `place`: a word, a call, or a parenthesis."""
    depth = 0
    while place < len(op.body):
        text = op.body[place].text
        if text == "(":
            depth += 1
        elif text == ")":
            depth -= 1
            if depth == 0:
                return place + 1
        elif depth == 0 and (place + 1 >= len(op.body) or op.body[place + 1].text != "("):
            return place + 1
        place += 1
    return place


def clause_end(op, place):
    """The token after the clause that begins at `place`."""
    depth, first = 0, op.body[place]
    while place < len(op.body) and op.body[place].statement == first.statement:
        text = op.body[place].text
        if depth == 0 and text == ",":
            break
        depth += (text in "([") - (text in (")", "]"))
        place += 1
    return place


def changes(op, names, place):
    """(kind, first token, token after the last, replacement) of every change at this token of the body."""
    token = op.body[place]
    if token.text in ("-", "not", "~") and is_unary(op, place):
        yield "sign", place, place + 1, ""
    elif token.text in OPERATORS:
        for other in OPERATORS[token.text]:
            yield "operator", place, place + 1, other
    elif token.kind == "assign":
        for other in ASSIGNMENTS.get(token.text, ["+=", "max="]):
            yield "reduction", place, place + 1, other
    elif token.kind in ("integer", "real"):
        for other in number_changes(token):
            yield "constant", place, place + 1, other
    elif token.kind == "string":
        yield "string", place, place + 1, '"other"'
    elif token.text == "inf":
        yield "constant", place, place + 1, "0"
    elif token.text == "else":
        yield "else", place, extent_of_value(op, place + 1), ""
    elif token.text in ("where", ",") and in_where(op, place):
        yield from clause_changes(op, place)
    elif token.kind == "name" and token.text not in WORDS:
        for other in name_changes(op, names, place):
            yield "name" if names.is_index(op, place) else "word", place, place + 1, other


def in_where(op, place):
    """Whether this is a `where`, or a comma between its clauses."""
    if op.body[place].text == "where":
        return True
    depth = 0
    for token in reversed(op.body[:place]):
        if token.statement != op.body[place].statement:
            return False
        depth += (token.text in (")", "]")) - (token.text in "([")
        if depth < 0:
            return False
        if token.text == "where":
            return True
    return False


def clause_changes(op, place):
    end = clause_end(op, place + 1)
    if op.body[place].text == ",":
        yield "clause", place, end, ""
    elif end < len(op.body) and op.body[end].text == ",":
        yield "clause", place + 1, end + 1, ""
    else:
        yield "clause", place, end, ""


def default_changes(op):
    """Changes of the attributes' defaults."""
    for place, token in enumerate(op.header[:-1]):
        if token.text != "=":
            continue
        value = op.header[place + 1]
        if value.kind in ("integer", "real"):
            others = number_changes(value)
        elif value.text in ("true", "false"):
            others = ["true" if value.text == "false" else "false"]
        else:
            others = ['"f16"' if value.text == '"f32"' else '"other"']
        for other in others:
            yield "default", value.begin, value.end, other


def mutants(text):
    """Every change of every op of a file."""
    for op in ops(text):
        names = Names(op)
        found = [(kind, op.body[first].begin, op.body[after - 1].end, other)
                 for place in range(len(op.body)) for kind, first, after, other in changes(op, names, place)]
        for kind, begin, end, other in [*default_changes(op), *found]:
            changed = text[:begin] + other + text[end:]
            line_begin, line_end = changed.rfind("\n", 0, begin) + 1, changed.find("\n", begin + len(other))
            line = " ".join(changed[line_begin:line_end].split()) or f"without `{text[begin:end]}`"
            shift = len(other) - (end - begin)
            yield Mutant(op.name, kind, line, changed[op.begin:op.end + shift] + "\n")
