"""Quantities for PyTorch, with exact derivatives."""

from __future__ import annotations

import functools

import numpy as np
import torch
from torch.autograd.function import once_differentiable

from ._errors import Error


def module(robot, quantity):
    """A module that maps (q, v, a) to torques (`"rnea"`), or (q, v, tau) to accelerations (`"aba"`)."""
    if quantity not in _DERIVATIVES:
        raise ValueError(f'invalid `quantity={quantity!r}`: expected "rnea" or "aba"')
    if robot.nq != robot.nv:
        raise Error(f"{robot.name} has {robot.nq} coordinates for {robot.nv} degrees of freedom: the gradient of q is not a vector of them")
    return Module(robot, quantity)


def _of_rnea(robot, q, v, a):
    return [*robot.rnea_derivatives(q, v, a), robot.crba(q)]


def _of_aba(robot, q, v, tau):
    return robot.aba_derivatives(q, v, tau)


_DERIVATIVES = {"rnea": _of_rnea, "aba": _of_aba}


class Module(torch.nn.Module):
    """A quantity of a robot. It has no weights; the result is on the device of its arguments."""

    def __init__(self, robot, quantity):
        super().__init__()
        self.robot, self.quantity = robot, quantity

    def forward(self, q, v, third):
        dtype = functools.reduce(torch.promote_types, (q.dtype, v.dtype, third.dtype))
        dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
        tensors = torch.broadcast_tensors(*(x.to(dtype) for x in (q, v, third)))
        return _Quantity.apply(self.robot, self.quantity, *tensors)

    def extra_repr(self):
        return f"{self.robot!r}, {self.quantity!r}"


def _arrays(tensors):
    """Arrays with one row per state, and the shape of the states."""
    return [np.ascontiguousarray(x.detach().cpu().numpy()).reshape(-1, x.shape[-1]) for x in tensors]


class _Quantity(torch.autograd.Function):
    @staticmethod
    def forward(ctx, robot, quantity, *tensors):
        ctx.robot, ctx.quantity = robot, quantity
        ctx.save_for_backward(*tensors)
        result = getattr(robot, quantity)(*_arrays(tensors))
        return torch.from_numpy(result).reshape(tensors[0].shape).to(tensors[0])

    @staticmethod
    @once_differentiable
    def backward(ctx, gradient):
        tensors = ctx.saved_tensors
        (rows,) = _arrays([gradient])
        parts = _DERIVATIVES[ctx.quantity](ctx.robot, *_arrays(tensors))
        # The transposed Jacobian of each state times the gradient.
        found = [np.einsum("bij,bi->bj", part, rows) for part in parts]
        return None, None, *(torch.from_numpy(x).reshape(tensors[0].shape).to(tensors[0]) for x in found)
