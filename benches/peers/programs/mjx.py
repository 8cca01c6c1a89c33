#!/usr/bin/env python3
"""MJX: inverse dynamics of 32 states at once, since 1024 take it seconds on a CPU. Usage: mjx.py ROBOT-PATH SECONDS"""
import sys

import jax
import jax.numpy as jnp
import mujoco
import numpy as np
from mujoco import mjx
from mujoco.mjx._src import smooth
from peer_robot import Robot, error_of, median, report


STATES = 32


def main():
    robot, seconds = Robot(sys.argv[1]), float(sys.argv[2])
    model = mujoco.MjModel.from_xml_path(f"{sys.argv[1]}.xml")
    model.opt.gravity = robot.gravity
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    there = mjx.put_model(model)
    empty = mjx.make_data(there)

    def position(q, qd, qdd):
        d = empty.replace(qpos=q, qvel=qd, qacc=qdd)
        return smooth.com_pos(there, smooth.kinematics(there, d))

    def inverse(q, qd, qdd):
        return smooth.rne(there, smooth.com_vel(there, position(q, qd, qdd)), flg_acc=True).qfrc_bias

    arrays = [jnp.asarray(x) for x in (robot.q[:STATES], robot.qd[:STATES], robot.qdd[:STATES])]
    many = jax.jit(jax.vmap(inverse))
    found = np.asarray(many(*arrays))
    ns = median(seconds, 1, lambda _: many(*arrays).block_until_ready()) / STATES
    report("rnea", ns, error_of(robot.inverse, found), states=STATES)


if __name__ == "__main__":
    main()
