"""What a peer is made of: commands to time, and how its programs are built."""

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
PROGRAMS = HERE / "programs"

ARMS = ("ur5e", "panda", "iiwa14")
HUMANOID = "talos_ff"
CHAINS = ("chain6", "chain12", "chain24", "chain48", "chain96")


class Missing(Exception):
    """Why a peer cannot be measured here."""


@dataclasses.dataclass
class Series:
    """A command that prints one JSON line per timing, for one robot."""

    section: str  # calls, chains, sizes, threads
    peer: str
    label: str
    robot: str
    command: list
    cores: int = 1
    precision: str = "f64"
    environment: dict = dataclasses.field(default_factory=dict)
    rename: dict = dataclasses.field(default_factory=dict)  # the program's name of an algorithm → (label, ours)


class Setup:
    """Folders, options, and what the peers report about themselves."""

    def __init__(self, options):
        self.options = options
        self.work = pathlib.Path(options.work).resolve()
        self.robots = self.work / "robots"
        self.robots.mkdir(parents=True, exist_ok=True)
        self.peers = {}  # name → version and build, or the reason why it is not measured
        self.compile = []  # seconds of code generation and compilation

    def robot(self, name):
        return self.robots / name

    def selected(self, *names):
        """Those of the robots that are to be measured."""
        return [name for name in names if name in self.options.robots]

    def has(self, *sections):
        return [section for section in sections if section in self.options.sections]

    def tool(self, *names):
        """The first of these programs that is installed."""
        for name in names:
            if shutil.which(name):
                return name
        raise Missing(f"none of {', '.join(names)} is installed")

    def python(self, environment, *packages):
        """A Python with these packages, in a virtual environment of its own."""
        folder = self.work / environment
        python, stamp = folder / "bin" / "python", folder / "packages.txt"
        wanted = "\n".join(packages)
        if not stamp.exists() or stamp.read_text() != wanted:
            progress(f"installing {', '.join(packages)}")
            try:
                subprocess.run([sys.executable, "-m", "venv", folder], check=True)
                subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True)
            except subprocess.CalledProcessError as error:
                raise Missing(f"{', '.join(packages)} could not be installed") from error
            stamp.write_text(wanted)
        return python

    def site(self, python):
        command = [python, "-c", "import site; print(site.getsitepackages()[0])"]
        return pathlib.Path(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())

    def build(self, name, command, *sources):
        """Builds a program if it is older than its sources. `command` lacks only `-o`."""
        target = self.work / name
        sources = [PROGRAMS / source for source in ("common.hpp", *sources)]
        if not target.exists() or any(source.stat().st_mtime > target.stat().st_mtime for source in sources):
            progress(f"building {name}")
            result = subprocess.run([*map(str, command), "-o", str(target)], capture_output=True, text=True)
            if result.returncode:
                raise Missing(f"{name} does not build: {result.stderr.strip()[:500]}")
        return target

    def generate(self, peer, folder, robot, command):
        """Generated code of a robot, made again if the robot is newer; records the seconds."""
        stamp = folder / f"{robot}.json"
        if not stamp.exists() or stamp.stat().st_mtime < (self.robots / f"{robot}.txt").stat().st_mtime:
            progress(f"generating {peer}'s code of {robot}")
            stamp.write_text(run_checked(command))
        for line in stamp.read_text().splitlines():
            self.compile.append({"peer": peer, "robot": robot, **json.loads(line)})


def run_checked(command, **keywords):
    result = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, text=True, **keywords)
    if result.returncode:
        raise SystemExit(f"error: `{' '.join(map(str, command))}` failed with exit code {result.returncode}")
    return result.stdout


def version_of(command):
    return subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[0].strip()


def progress(text):
    print(text, file=sys.stderr, flush=True)


def cores(count):
    """The last `count` processors that this process may use, as taskset wants them."""
    return ",".join(map(str, sorted(os.sched_getaffinity(0))[-count:]))
