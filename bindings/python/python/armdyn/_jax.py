"""Quantities for JAX, with exact derivatives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from ._errors import Error


def function(robot, quantity):
    """A function of (q, v, a) (`"rnea"`) or (q, v, tau) (`"aba"`) for `jit`, `grad` and `vmap`: it calls the compiled program."""
    if quantity not in ("rnea", "aba"):
        raise ValueError(f'invalid `quantity={quantity!r}`: expected "rnea" or "aba"')
    if robot.nq != robot.nv:
        raise Error(f"{robot.name} has {robot.nq} coordinates for {robot.nv} degrees of freedom: the derivative by q is not one by a vector of them")

    def call(compute, shape, *arguments):
        dtype = jnp.result_type(*arguments)

        def on_host(*arrays):
            arrays = np.broadcast_arrays(*(np.asarray(x, dtype=dtype) for x in arrays))
            states = arrays[0].shape[:-1]
            result = compute(*(np.ascontiguousarray(x).reshape(-1, robot.nv) for x in arrays))
            return np.asarray(result, dtype=dtype).reshape(states + shape)

        states = jnp.broadcast_shapes(*(x.shape for x in arguments))[:-1]
        out = jax.ShapeDtypeStruct(states + shape, dtype)
        return jax.pure_callback(on_host, out, *arguments, vmap_method="broadcast_all")

    def derivatives(q, v, third):
        if quantity == "rnea":
            parts = [*robot.rnea_derivatives(q, v, third), robot.crba(q)]
        else:
            parts = robot.aba_derivatives(q, v, third)
        return np.stack(parts, axis=1)

    n = robot.nv

    @jax.custom_jvp
    def compute(q, v, third):
        return call(getattr(robot, quantity), (n,), q, v, third)

    @compute.defjvp
    def _(primals, tangents):
        parts = call(derivatives, (3, n, n), *primals)
        change = sum(jnp.einsum("...ij,...j->...i", parts[..., k, :, :], tangents[k]) for k in range(3))
        return compute(*primals), change

    def real(x):
        x = jnp.asarray(x)
        return x if jnp.issubdtype(x.dtype, jnp.floating) else x.astype(float)

    return lambda q, v, third: compute(real(q), real(v), real(third))
