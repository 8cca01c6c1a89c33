//! Python: functions on NumPy arrays; the last axis is the joint, other axes are the batch.

use super::header::{CallSyntax, commented, header};
use super::listing::{Dialect, Routine};
use super::{Emitted, Module};

struct Python;

impl Dialect for Python {
    fn function(&self, name: &str, x: &str) -> String {
        format!("np.{name}({x})")
    }

    fn assign(&self, name: &str, value: &str) -> String {
        format!("    {name} = {value}\n")
    }

    fn store(&self, output: &str, index: usize, value: &str) -> String {
        format!("    {output}[..., {index}] = {value}\n")
    }
}

fn head(r: &Routine) -> String {
    let names: Vec<&str> = r.inputs.iter().map(|t| t.0).collect();
    format!("{}({})", r.name, names.join(", "))
}

pub(super) fn emit(module: &Module) -> Emitted {
    let result = |r: &Routine| format!("{} -> {}", head(r), r.output);
    let notes = [
        "Arrays have the shape (..., n); batch shapes (...) broadcast; matrices have the shape (..., rows, columns)."
            .into(),
        "float32 arrays are computed in single precision, all others in double precision.".into(),
    ];
    let about = header(module, &CallSyntax { head: &result, notes: &notes, first: 0 });
    let mut text = commented(&about, "#");
    text += "\nimport numpy as np\n\n\n";
    text += "def _state(lengths, arrays):\n    \
             \"\"\"The arrays with their last axis first, the batch shape, the dtype.\"\"\"\n    \
             arrays = [np.asarray(a) for a in arrays]\n    \
             for a, n in zip(arrays, lengths):\n        \
             if a.ndim == 0 or a.shape[-1] != n:\n            \
             raise ValueError(f\"expected an array of shape (..., {n}), not {a.shape}\")\n    \
             kind = np.result_type(np.float32, *arrays)\n    \
             batch = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))\n    \
             return [np.ascontiguousarray(np.moveaxis(a, -1, 0), dtype=kind) for a in arrays], batch, kind\n";
    for l in &module.listings {
        for r in l.routines() {
            let (names, lengths): (Vec<_>, Vec<_>) = r.inputs.iter().map(|t| (t.0, t.1.to_string())).unzip();
            let comma = if names.len() == 1 { "," } else { "" };
            let names = names.join(", ");
            text += &format!("\n\ndef {}:\n", head(r));
            if r.is_init() {
                text += "    \"\"\"Values that depend on the parameters only.\"\"\"\n";
            }
            text += &format!("    ({names}{comma}), batch, kind = _state([{}], [{names}])\n", lengths.join(", "));
            text += &format!("    {} = np.empty(batch + ({},), dtype=kind)\n", r.output, r.results());
            text += &Python.statements(r);
            text += &match l.rows.filter(|_| !r.is_init()) {
                Some(rows) => format!("    return {}.reshape(batch + ({rows}, -1))\n", r.output),
                None => format!("    return {}\n", r.output),
            };
        }
    }
    Emitted::of([(format!("{}.py", module.name), text)])
}
