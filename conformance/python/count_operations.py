"""Counts the operations of generated code, by reading it, and compares them with the count that armdyn states.

Usage: count_operations.py ARMDYN_BINARY                        Renaud's procedure of some robots; his own arm against his table
       count_operations.py --file CODE [--function inverse]     one file of code (.py, .c)

Multiplications are `*`, additions and subtractions are binary `+` and `-`; signs are free. Operations inside the argument of a
sine or cosine, and those of a name that is used there alone, form angles and are counted separately; indices of arrays are not counted. Python code is parsed by Python's own
parser, C code by a tokenizer; both must agree. Nothing of armdyn is imported: it is only run to generate the code.
"""

import argparse
import ast
import json
import re
import subprocess
import sys


def python_operations(text, function):
    """(multiplications, additions, operations that form angles) of a Python function."""
    tree = ast.parse(text)
    body = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == function)
    counts = [0, 0, 0]

    def visit(node, in_angle):
        if isinstance(node, ast.BinOp):
            if in_angle:
                counts[2] += 1
            elif isinstance(node.op, ast.Mult):
                counts[0] += 1
            elif isinstance(node.op, (ast.Add, ast.Sub)):
                counts[1] += 1
            else:
                raise ValueError(f"unexpected operator {ast.dump(node.op)}")
        if isinstance(node, ast.Subscript):
            return
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", "")
            in_angle = in_angle or name in ("sin", "cos")
            if name not in ("sin", "cos", "sqrt", "sign"):
                raise ValueError(f"unexpected call of {name}")
        for child in ast.iter_child_nodes(node):
            visit(child, in_angle)

    # The frame of the function (conversion of the arrays, the result's storage) is not arithmetic of the dynamics.
    assigned = []
    for statement in body.body:
        if isinstance(statement, ast.AugAssign):
            raise ValueError(f"unexpected statement `{ast.unparse(statement)}`")
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if not isinstance(target, ast.Tuple) and "np.empty" not in ast.unparse(statement.value):
                assigned.append((getattr(target, "id", ""), statement.value))
    uses = {}

    def note(node, in_angle):
        if isinstance(node, ast.Name):
            uses.setdefault(node.id, []).append(in_angle)
        in_angle = in_angle or isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("sin", "cos")
        for child in ast.iter_child_nodes(node):
            note(child, in_angle)

    for _, value in assigned:
        note(value, False)
    for name, value in assigned:
        visit(value, name in uses and all(uses[name]))
    return tuple(counts)


C_TOKEN = re.compile(r"\d+\.?\d*(?:[eE][+-]?\d+)?f?|\.\d+|[A-Za-z_]\w*|[-+*/()\[\];,={}]")


def c_operations(text, function):
    """The same of a C function: `void NAME_inverse(…) { … }`."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    match = re.search(rf"\w*_{function}\([^)]*\)\s*\{{(.*?)^\}}", text, flags=re.S | re.M)
    if match is None:
        raise ValueError(f"no function {function}")
    if compound := re.search(r"[-+*/]=", match.group(1)):
        raise ValueError(f"unexpected `{compound.group()}`")
    statements = [x.split("=", 1) for x in match.group(1).split(";") if "=" in x]
    named = [(target.split()[-1], C_TOKEN.findall(value)) for target, value in statements]
    trig = ("sin", "cos", "sinf", "cosf")

    def walk(tokens, use, operate):
        brackets, index, previous = [], 0, None
        for token in tokens:
            if token == "(":
                brackets.append(previous in trig)
            elif token == ")":
                brackets.pop()
            elif token == "[":
                index += 1
            elif token == "]":
                index -= 1
            elif token in "+-*/" and index == 0:
                if previous is not None and previous not in ("(", "+", "-", "*", "/", ",", "="):
                    operate(token, any(brackets))
                elif token in "*/":
                    raise ValueError(f"cannot read {tokens}")
            elif index == 0:
                use(token, any(brackets))
            previous = token

    uses, counts = {}, [0, 0, 0]
    for _, tokens in named:
        walk(tokens, lambda name, in_angle: uses.setdefault(name, []).append(in_angle), lambda *_: None)
    for target, tokens in named:
        angle = target in uses and all(uses[target])

        def operate(token, in_angle, angle=angle):
            if token == "/":
                raise ValueError("unexpected division")
            counts[2 if angle or in_angle else 0 if token == "*" else 1] += 1

        walk(tokens, lambda *_: None, operate)
    return tuple(counts)


# Renaud 1987, the table of the example: step, multiplications, additions.
RENAUD = {0: (0, 0), 1: (18, 12), 2: (25, 0), 3: (28, 22), 4: (0, 15), 5: (0, 0), 6: (22, 12), 7: (26, 16), 8: (0, 0), 9: (62, 50),
          10: (0, 0)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("armdyn", nargs="?", default="armdyn", help="the command")
    parser.add_argument("--file", help="count the operations of this file (.py, .c)")
    parser.add_argument("--function", default="inverse")
    args = parser.parse_args()
    if args.file:
        text = open(args.file).read()
        count = (python_operations if args.file.endswith(".py") else c_operations)(text, args.function)
        print(f"{count[0]} multiplications, {count[1]} additions, {count[2]} that form angles")
        return 0

    def run(*words):
        done = subprocess.run([args.armdyn, *words], capture_output=True, text=True, check=True)
        return done.stdout

    failed = False
    cases = [("renaud-6r", []), ("renaud-6r", ["--tip-wrench"]), ("jpl-rrp", []), ("jpl-rrp", ["--tip-wrench"]), ("scara", []), ("ur5e", []),
             ("panda", []), ("lau-rpr", []), ("lau-rrr", ["--tip-wrench"])]
    print(f"{'robot':24} {'python':>16} {'c':>16} {'stated':>16}  steps")
    for robot, options in cases:
        line = ["--strategy", "renaud", *options]
        python = python_operations(run("derive", robot, *line, "--emit", "python"), "inverse")
        c = c_operations(run("derive", robot, *line, "--emit", "c"), "inverse")
        stated = json.loads(run("ops", robot, *line, "--json"))["inverse"]
        steps = {s["step"]: (s["mul"], s["add"]) for s in stated["steps"]}
        total = tuple(sum(s[k] for s in steps.values()) for k in (0, 1))
        expected = (stated["mul"], stated["add"], stated["angle_operations"])
        good = python == c == expected and total == expected[:2]
        if robot == "renaud-6r" and not options:
            good = good and python == (181, 127, 0) and steps == RENAUD
        failed |= not good
        text = ["{} + {} ({})".format(*x) for x in (python, c, expected)]
        name = " ".join([robot, *options])
        print(f"{name:24} {text[0]:>16} {text[1]:>16} {text[2]:>16}  {total[0]} + {total[1]}{'' if good else '  DIFFERENT'}")
    print("multiplications + additions (operations that form angles)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
