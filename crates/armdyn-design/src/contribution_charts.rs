//! Charts of the contributions to torques and wrenches: stacked bars of one state, stacked areas over time.

use armdyn_plot::{Axis, Chart, Panels};

/// Series of a chart besides the one of the rest: as many as there are distinct colours.
const SERIES: usize = 7;

/// A quantity at some states, and its contributions.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The name of the quantity.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its values, one per state.
    pub total: Vec<f64>,
    /// The contributions: a name, which several may share, and their values.
    pub contributions: Vec<(String, Vec<f64>)>,
}

impl Stack {
    /// The sum of the contributions with a name.
    fn sum(&self, name: &str) -> Vec<f64> {
        let mut sum = vec![0.0; self.total.len()];
        for (_, values) in self.contributions.iter().filter(|(n, _)| n == name) {
            sum.iter_mut().zip(values).for_each(|(s, v)| *s += v);
        }
        sum
    }
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |s: f64, v| s.max(v.abs()))
}

/// The names of the largest contributions of some quantities, in one order for all charts, and whether there are others.
fn series(stacks: &[Stack]) -> (Vec<String>, bool) {
    let mut names: Vec<(String, f64)> = vec![];
    for stack in stacks {
        let size = largest(&stack.total).max(stack.contributions.iter().map(|c| largest(&c.1)).fold(0.0, f64::max));
        for (name, _) in &stack.contributions {
            let fraction = largest(&stack.sum(name)) / size.max(1e-300);
            match names.iter_mut().find(|(n, _)| n == name) {
                Some((_, known)) => *known = known.max(fraction),
                None => names.push((name.clone(), fraction)),
            }
        }
    }
    names.retain(|(_, fraction)| *fraction > 1e-9);
    let mut ranked = names.clone();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rest = ranked.len() > SERIES + 1;
    ranked.truncate(if rest { SERIES } else { SERIES + 1 });
    names.retain(|(name, _)| ranked.iter().any(|(n, _)| n == name));
    (names.into_iter().map(|(name, _)| name).collect(), rest)
}

/// The values of the chosen series and of the rest.
fn split(stack: &Stack, names: &[String], rest: bool) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = names.iter().map(|name| stack.sum(name)).collect();
    if rest {
        let mut others = vec![0.0; stack.total.len()];
        for (_, values) in stack.contributions.iter().filter(|(n, _)| !names.contains(n)) {
            others.iter_mut().zip(values).for_each(|(s, v)| *s += v);
        }
        all.push(others);
    }
    all
}

/// Stacked bars of the first state: a bar per quantity, a chart per unit.
pub fn contribution_bars(title: &str, stacks: &[Stack]) -> Panels {
    let mut units: Vec<&str> = vec![];
    for stack in stacks {
        if !units.contains(&stack.unit.as_str()) {
            units.push(&stack.unit);
        }
    }
    let mut panels = Panels::new(title, 1);
    let (names, rest) = series(stacks);
    for unit in units {
        let of_unit: Vec<&Stack> = stacks.iter().filter(|s| s.unit == unit).collect();
        let groups: Vec<String> = of_unit.iter().map(|s| s.name.clone()).collect();
        let values: Vec<Vec<Vec<f64>>> = of_unit.iter().map(|s| split(s, &names, rest)).collect();
        let mut chart = Chart::bars("", Axis::new("contribution", unit), &groups, true);
        for (k, name) in names.iter().cloned().chain(rest.then(|| "others".to_string())).enumerate() {
            chart = chart.series(name, values.iter().map(|v| v[k].first().copied().unwrap_or(0.0)));
        }
        panels = panels.chart(chart);
    }
    panels
}

/// Stacked areas over time: a chart per quantity, with the quantity itself as a curve.
pub fn contribution_areas(title: &str, t: &[f64], stacks: &[Stack]) -> Panels {
    let mut panels = Panels::new(title, 1);
    let (names, rest) = series(stacks);
    for stack in stacks {
        let values = split(stack, &names, rest);
        let mut chart =
            Chart::new(&stack.name, Axis::new("time", "s"), Axis::new("contribution", &stack.unit)).areas(t);
        for (name, values) in names.iter().cloned().chain(rest.then(|| "others".to_string())).zip(values) {
            chart = chart.series(name, values);
        }
        panels = panels.chart(chart.curve("total", t.iter().copied().zip(stack.total.iter().copied())));
    }
    panels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_contributions_are_one_series_and_the_rest_adds_up() {
        let contributions: Vec<(String, Vec<f64>)> =
            (0..12).map(|k| (format!("cause {k}"), vec![f64::from(k) - 4.0])).collect();
        let total = vec![contributions.iter().map(|c| c.1[0]).sum()];
        let stack = Stack { name: "joint".into(), unit: "N m".into(), total, contributions };
        let (names, rest) = series(std::slice::from_ref(&stack));
        assert_eq!((names.len(), rest), (SERIES, true));
        // The largest are kept: 7, 6, 5, 4, -4, 3 and one of ±3.
        assert!(names.contains(&"cause 11".to_string()) && names.contains(&"cause 0".to_string()), "{names:?}");
        let sum: f64 = split(&stack, &names, rest).iter().map(|v| v[0]).sum();
        assert_eq!(sum, stack.total[0]);
        let svg = contribution_bars("Torques", std::slice::from_ref(&stack)).svg();
        assert!(svg.contains("cause 11") && svg.contains("others") && !svg.contains("cause 4<"), "{svg}");
    }
}
