"""The analyses of the command line as methods of robots. Their types are in `_analyses.pyi`, which `tests/test_types.py` writes."""

from __future__ import annotations

import inspect
import keyword

from . import _commands

#: Commands that are methods, and the arguments that may be given without a name.
METHODS = {
    "check": [],
    "show": [],
    "terms": ["q", "v"],
    "explain": ["q", "v", "a"],
    "kinematics": ["q", "v", "a"],
    "derive": [],
    "trace": ["method"],
    "ops": [],
    "simplify": [],
    "range": [],
    "importance": [],
    "size": [],
    "deflect": [],
    "trajectory": ["waypoints"],
    "simulate": [],
    "control": [],
    "tipover": [],
    "report": ["out"],
}
#: Of all methods.
PROGRESS = "progress: True shows a bar; a function is called with a step and the fraction done."


def arguments(command):
    """The arguments of a method with their descriptions: those without a name first."""
    short = {long: name for name, long in _commands.SHORT.items()}
    found = {}
    for option in _commands.COMMANDS[command]["options"]:
        if option["name"] in _commands.NOT_HERE:
            continue
        name = short.get(option["name"], option["name"].replace("-", "_"))
        found[name + "_" if keyword.iskeyword(name) else name] = option
    first = METHODS[command]
    return {name: found[name] for name in [*first, *(name for name in found if name not in first)]}


def _method(command):
    described, known = _commands.COMMANDS[command], arguments(command)
    positional = METHODS[command]

    def method(self, *args, progress=None, **options):
        if len(args) > len(positional):
            raise TypeError(f"`{command}` takes at most {len(positional)} arguments without a name: {', '.join(positional)}")
        for name, value in zip(positional, args):
            if name in options:
                raise TypeError(f"`{command}` has two values of `{name}`")
            options[name] = value
        return _commands.run(self, command, options, progress=progress)

    lines = [described["about"] + ".", "", "Args:"]
    for name, option in known.items():
        value = f" ({option['value']})" if option["value"] and not option["flag"] else ""
        lines.append(f"    {name}{value}: {' '.join(option['help'].split())}.")
    lines += [f"    {PROGRESS}", "", "Returns:", "    A `Result`."]
    method.__name__ = command
    method.__qualname__ = f"Analyses.{command}"
    method.__doc__ = "\n".join(lines)
    kinds = inspect.Parameter
    parameters = [kinds("self", kinds.POSITIONAL_OR_KEYWORD)]
    for name, option in known.items():
        kind = kinds.POSITIONAL_OR_KEYWORD if name in positional else kinds.KEYWORD_ONLY
        parameters.append(kinds(name, kind, default=False if option["flag"] else None))
    parameters.append(kinds("progress", kinds.KEYWORD_ONLY, default=None))
    method.__signature__ = inspect.Signature(parameters)
    return method


class Analyses:
    """What the commands compute of a robot."""

    __slots__ = ()


for _command in METHODS:
    setattr(Analyses, _command, _method(_command))
