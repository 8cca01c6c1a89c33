"""What the tests share."""

import armdyn
import numpy as np
import pytest


@pytest.fixture(scope="session")
def robot():
    return armdyn.load("panda")


@pytest.fixture
def q():
    return np.array([0, -0.7, 0, -2, 0, 1.5, 0.8])


@pytest.fixture
def random():
    return np.random.default_rng(7)


def states(robot, random, count):
    """Random states: positions within limits, velocities and accelerations."""
    return robot.random(count, seed=random), random.normal(size=(count, robot.nv)), random.normal(size=(count, robot.nv))
