//! Input that makes no sense is an error that names it.

use super::{limits, pendulum};
use armdyn_core::Drive;
use armdyn_motion::simulation::{Interpolation, Options, Simulation, TorqueTable};

#[test]
fn invalid_input_is_named() {
    let m = pendulum(Drive::ideal().limits(limits(-1.0, 1.0)));
    let options = Options::default();
    let run = |o: Options, q: f64, qd: f64, t: f64| {
        Simulation::new(&m).initial_state(&[q], &[qd]).options(o).run(t).unwrap_err().to_string()
    };
    let fixed = Options { integrator: armdyn_motion::simulation::Integrator::RungeKutta, ..options };
    for (error, expected) in [
        (run(Options { step: 0.0, ..fixed }, 0.0, 0.0, 1.0), "invalid step `0` s"),
        (run(Options { step: f64::NAN, ..fixed }, 0.0, 0.0, 1.0), "invalid step `NaN` s"),
        (run(Options { rate: -1.0, ..options }, 0.0, 0.0, 1.0), "invalid rate"),
        (run(options, 0.0, 0.0, 0.0), "invalid duration `0` s"),
        (run(options, 0.0, 0.0, f64::NAN), "invalid duration `NaN` s"),
        (run(options, f64::NAN, 0.0, 1.0), "positions of `pivot` are not finite"),
        (run(options, 0.0, f64::INFINITY, 1.0), "velocities of `pivot` are not finite"),
        (run(options, 1.5, 0.0, 1.0), "joint `pivot` starts at 1.5, outside its range"),
    ] {
        assert!(error.contains(expected), "{error}");
    }
    let length = Simulation::new(&m).initial_state(&[0.0; 2], &[0.0]).run(1.0).unwrap_err().to_string();
    assert!(length.contains("2 initial positions"), "{length}");
    let restitution = Simulation::new(&m).restitution(&[1.5]).run(1.0).unwrap_err().to_string();
    assert!(restitution.contains("restitution `1.5`"));
    let rigid = Simulation::new(&m).flexible_joints(&[0.0]).run(1.0).unwrap_err().to_string();
    assert!(rigid.contains("no joint of `pendulum` has a stiffness"), "{rigid}");
}

#[test]
fn invalid_torque_tables_name_the_row() {
    let table = |t: &[f64], tau: &[f64]| TorqueTable::new(t.to_vec(), tau.to_vec(), Interpolation::Hold);
    assert!(table(&[0.0, 1.0, 1.0], &[0.0; 3]).unwrap_err().to_string().contains("row 3"));
    assert!(table(&[0.0, 1.0], &[0.0, f64::NAN]).unwrap_err().to_string().contains("row 2"));
    assert!(table(&[0.5], &[0.0]).unwrap_err().to_string().contains("starts at 0.5 s"));
    let m = pendulum(Drive::ideal());
    let wide = table(&[0.0, 1.0], &[0.0; 6]).unwrap();
    let error = Simulation::new(&m).torques(wide).run(1.0).unwrap_err().to_string();
    assert!(error.contains("3 columns") && error.contains("pivot"), "{error}");
}
