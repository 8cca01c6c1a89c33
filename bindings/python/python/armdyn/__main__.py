"""`python -m armdyn`: the program `armdyn`."""

import sys

from . import _armdyn


def main():
    sys.exit(_armdyn.main(["armdyn", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
