"""MCAP files of armdyn read by the `mcap` and `mcap-ros2-support` packages, and files written by these read by armdyn.

Usage: mcap_joint_states.py ARMDYN_BINARY    (built with --features mcap)
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from mcap_ros2.writer import Writer

JOINT_STATE = """\
std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""


def rows(path):
    with open(path) as file:
        return [{k: float(v) for k, v in row.items()} for row in csv.DictReader(file)]


def main(armdyn):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        run = lambda *args: subprocess.run([armdyn, *map(str, args)], check=True, capture_output=True, text=True)
        move = ["trajectory", "ur5e", "--from", "0,-1.2,1.4,0.3,0.2,0", "--to", "1.5,-0.4,0.6,-0.8,1.0,0.7", "--rate", "50"]
        for out in ("move.csv", "move.mcap"):
            run(*move, "--out", folder / out)
        expected = rows(folder / "move.csv")
        with open(folder / "move.mcap", "rb") as file:
            found = [m for *_, m in make_reader(file, decoder_factories=[DecoderFactory()]).iter_decoded_messages()]
        assert len(found) == len(expected) > 20
        for message, row in zip(found, expected):
            stamp = message.header.stamp
            assert abs(stamp.sec + 1e-9 * stamp.nanosec - row["t"]) <= 1e-9, "times are in nanoseconds"
            for joint, q, qd, tau in zip(message.name, message.position, message.velocity, message.effort, strict=True):
                assert [q, qd, tau] == [row[f"{k}_{joint}"] for k in ("q", "qd", "tau")], (joint, row["t"])
        # Compressed, joints in another order, an epoch of ROS, no efforts, another topic beside it.
        names = [k[2:] for k in expected[0] if k.startswith("q_")]
        with open(folder / "ros.mcap", "wb") as file:
            writer = Writer(file)  # chunks compressed with Zstandard
            schema = writer.register_msgdef("sensor_msgs/msg/JointState", JOINT_STATE)
            other = writer.register_msgdef("std_msgs/msg/String", "string data")
            for k, row in enumerate(expected):
                time = 1_700_000_000_000_000_000 + round(1e9 * row["t"])
                order = names[::-1] if k % 2 else names
                state = {
                    "header": {"stamp": {"sec": time // 10**9, "nanosec": time % 10**9}, "frame_id": "base"},
                    "name": order,
                    "position": [row[f"q_{joint}"] for joint in order],
                    "velocity": [row[f"qd_{joint}"] for joint in order],
                    "effort": [],
                }
                writer.write_message("/chatter", other, {"data": "hello"}, log_time=time)
                writer.write_message("/joint_states", schema, state, log_time=time)
            writer.finish()
        run("inverse", "ur5e", "--states", folder / "ros.mcap", "--out", folder / "back.csv", "--differentiate")
        back = rows(folder / "back.csv")
        assert len(back) == len(expected) and all(abs(b["t"] - e["t"]) <= 1e-9 for b, e in zip(back, expected))
    print(f"{len(expected)} joint states agree in both directions")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
