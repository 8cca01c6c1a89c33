"""Robot files out of the packages of packages.txt, into OUT/files/PACKAGE.

Texts (URDF, xacro, MJCF, YAML) and meshes are unpacked. Any other file is left empty, or for a picture black: it is there
for those who look whether it is, and says nothing about the dynamics.
"""

import math
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

# What is read; of meshes, those that MuJoCo or `armdyn check` reads.
WHOLE = {".urdf", ".xacro", ".xml", ".mjcf", ".yaml", ".yml", ".stl", ".obj", ".dae", ".msh", ".skn"}
CODE = {".py", ".pyi", ".pyc", ".so", ".a", ".h", ".js", ".html", ".npz", ".pkl", ".mjb"}


def picture(png):
    """A black picture in the proportions of another."""
    width, height = struct.unpack(">II", png[16:24])
    if (side := math.gcd(width, height)) > 12:
        width, height = 12 * width // side, 12 * height // side

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = zlib.compress(b"\0" * (width + 1) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return png[:8] + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def fetch(requirement, folder):
    """The wheel of a package. Only its files are read: it need not be for the Python that runs this."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder]
    version, platform = ("3.12", "manylinux_2_34") if requirement.startswith("drake") else ("3.11", "manylinux2014")
    pip += ["--python-version", version, "--platform", f"{platform}_x86_64"]
    subprocess.run([*pip, requirement], check=True)
    (wheel,) = Path(folder).iterdir()
    return wheel


def unpack(wheel, root, out):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            name, ending = member.filename, Path(member.filename).suffix.lower()
            if member.is_dir() or not name.startswith(root + "/") or ending in CODE:
                continue
            to = out / name[len(root) + 1 :]
            to.parent.mkdir(parents=True, exist_ok=True)
            if ending in WHOLE:
                to.write_bytes(archive.read(member))
            else:
                to.write_bytes(picture(archive.read(member)) if ending == ".png" else b"")


def main(out):
    lines = (Path(__file__).parent / "packages.txt").read_text().splitlines()
    packages = dict(line.split() for line in lines if line and not line.startswith("#"))
    wanted = {requirement.split("==")[0] for requirement in packages}
    files = out / "files"
    files.mkdir(exist_ok=True)
    for other in (p for p in files.iterdir() if p.name not in wanted):
        shutil.rmtree(other)
    for requirement, root in packages.items():
        to = files / requirement.split("==")[0]
        done, stamp = to / ".unpacked", " ".join([requirement, root, *sorted(WHOLE)])
        if done.is_file() and done.read_text() == stamp:
            continue
        print("unpacking", requirement, flush=True)
        shutil.rmtree(to, ignore_errors=True)
        with tempfile.TemporaryDirectory() as folder:
            unpack(fetch(requirement, folder), root, to)
        done.write_text(stamp)


main(Path(sys.argv[1]))
