"""What MuJoCo computes from NAME.xml: writes golden.json, torques and mass matrices at random states.

Needs numpy and mujoco (4.0.0 wrote the file that is here). Limits are off: they would push back outside the range.

    python3 golden.py
"""

import json
import mujoco
import numpy as np

golden = {"mujoco": mujoco.__version__}
rng = np.random.default_rng(7)
for name in ["puma560", "scara"]:
    m = mujoco.MjModel.from_xml_path(f"{name}.xml")
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    golden[name] = []
    for _ in range(20):
        d = mujoco.MjData(m)
        d.qpos[:], d.qvel[:], d.qacc[:] = (rng.uniform(-r, r, m.nv) for r in (3, 2, 5))
        mujoco.mj_inverse(m, d)
        mass = np.zeros((m.nv, m.nv))
        mujoco.mj_fullM(m, d, mass)
        golden[name].append({"q": d.qpos.tolist(), "qd": d.qvel.tolist(), "qdd": d.qacc.tolist(),
                             "tau": d.qfrc_inverse.tolist(), "M": mass.ravel().tolist()})

# A state a line.
with open("golden.json", "w") as f:
    f.write(json.dumps(golden).replace('{"q"', '\n{"q"') + "\n")
