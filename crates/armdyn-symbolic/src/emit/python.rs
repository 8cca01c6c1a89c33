//! Python: functions on NumPy arrays; the last axis is the joint, other axes are the batch.

use super::header::{CallSyntax, commented, header};
use super::listing::{Dialect, Listing};
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

fn head(function: &str, inputs: &[(&str, usize)]) -> String {
    let names: Vec<&str> = inputs.iter().map(|t| t.0).collect();
    format!("{function}({})", names.join(", "))
}

pub(super) fn emit(module: &Module) -> Emitted {
    let call = |l: &Listing| format!("{} -> {}", head(l.name(), &l.inputs()), l.output());
    let init = |l: &Listing| format!("{} -> k", head(&format!("{}_init", l.name()), &[("p", l.parameters)]));
    let notes = [
        "Arrays have the shape (..., n); batch shapes (...) broadcast; matrices have the shape (..., rows, columns)."
            .into(),
        "float32 arrays are computed in single precision, all others in double precision.".into(),
    ];
    let about = header(module, &CallSyntax { call: &call, init: &init, notes: &notes, first: 0 });
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
        if l.precomputed() > 0 {
            text += &format!("\n\ndef {}:\n", head(&format!("{}_init", l.name()), &[("p", l.parameters)]));
            text += "    \"\"\"Values that depend on the parameters only.\"\"\"\n";
            text += &format!("    (p,), batch, kind = _state([{}], [p])\n", l.parameters);
            text += &format!("    k = np.empty(batch + ({},), dtype=kind)\n", l.precomputed());
            text += &Python.statements(&l.init, &[], "k");
            text += "    return k\n";
        }
        let (names, lengths): (Vec<_>, Vec<_>) = l.inputs().iter().map(|t| (t.0, t.1.to_string())).unzip();
        let comma = if names.len() == 1 { "," } else { "" };
        let names = names.join(", ");
        text += &format!("\n\ndef {}:\n", head(l.name(), &l.inputs()));
        text += &format!("    ({names}{comma}), batch, kind = _state([{}], [{names}])\n", lengths.join(", "));
        text += &format!("    {} = np.empty(batch + ({},), dtype=kind)\n", l.output(), l.results());
        text += &Python.statements(&l.call, &[], l.output());
        text += &match l.rows() {
            Some(rows) => format!("    return {}.reshape(batch + ({rows}, -1))\n", l.output()),
            None => format!("    return {}\n", l.output()),
        };
    }
    Emitted::of([(format!("{}.py", module.name), text)])
}
