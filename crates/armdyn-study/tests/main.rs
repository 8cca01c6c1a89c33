//! Design studies.

mod definition;
mod front;
mod parameters;
mod resume;
mod search;
mod stretch;

use armdyn_import::Description;
use armdyn_study::{Definition, Failure, Point, Record, Session, Study};
use serde_json::{Map, Value};

/// The description of a bundled robot.
fn robot(name: &str) -> Description {
    armdyn_import::library::bundled(name).unwrap().load().description.unwrap()
}

/// A study of functions instead of commands.
fn study(text: &str) -> Study {
    Study::new(robot("lin-rr"), &Definition::of_toml(text).unwrap()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Why a study is refused.
fn refused(robot_name: &str, text: &str) -> String {
    Definition::of_toml(text).and_then(|d| Study::new(robot(robot_name), &d)).unwrap_err().to_string()
}

/// A point of a study whose run `f` computes values of its options.
fn evaluate(study: &Study, point: &Point, f: impl Fn(&Map<String, Value>) -> Result<Value, String>) -> Record {
    study.evaluate(point.index, &point.values, |_, _, options| f(options).map_err(Failure::Failed)).unwrap()
}

/// Computes all points, in an order of its own.
fn complete(study: &Study, f: impl Fn(&Map<String, Value>) -> Result<Value, String>) -> Vec<Record> {
    let mut session = Session::new(study, None).unwrap();
    loop {
        let mut pending = session.pending();
        if pending.is_empty() {
            return session.records();
        }
        pending.reverse();
        for point in pending {
            session.tell(vec![evaluate(study, &point, &f)]).unwrap();
        }
    }
}

fn number(options: &Map<String, Value>, name: &str) -> f64 {
    options[name].as_f64().unwrap()
}
