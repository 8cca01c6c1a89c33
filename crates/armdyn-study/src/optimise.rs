//! Optimisation of one or several objectives under bounds: differential evolution by generations.
//!
//! GDE3 (Kukkonen & Lampinen 2005): each member of the population has a trial x' = x_a + F (x_b − x_c), mixed with its own coordinates; the
//! better one remains by constrained domination, both if neither dominates, and the population is cut back to its size by rank and crowding
//! distance. With one objective it is classical differential evolution. Half of the trials start towards a member of the best front
//! (current-to-best, as in JADE), which converges faster; F and the rate of crossover are random for each trial.
//!
//! A generation follows from the seed and from the results of the ones before, however these were computed.

use crate::pareto::{crowding, dominates};
use armdyn_core::SplitMix64;

/// A member of the population: its coordinates from 0 to 1, and its point in the study.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Coordinates, one per variable.
    pub at: Vec<f64>,
    /// Index of its point.
    pub point: usize,
}

/// How good a point is.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitness {
    /// How much it violates bounds; infinite if it has failed.
    pub violation: f64,
    /// Objectives, all minimised.
    pub objectives: Vec<f64>,
}

impl Fitness {
    /// Constrained domination (Deb): feasible before infeasible, a smaller violation before a larger, then the objectives.
    fn dominates(&self, other: &Fitness) -> bool {
        match (self.violation > 0.0, other.violation > 0.0) {
            (false, false) => dominates(&self.objectives, &other.objectives),
            _ => self.violation < other.violation,
        }
    }
}

/// Attempts to find a trial that was not evaluated before.
const ATTEMPTS: usize = 40;

/// The coordinates of the next generation's trials, each with the index of the member that it competes with. `is_new` tells whether a
/// point was not evaluated before, and remembers it.
pub fn trials(
    population: &[Member],
    fitness: &[Fitness],
    random: &mut SplitMix64,
    mut is_new: impl FnMut(&[f64]) -> bool,
) -> Vec<(usize, Vec<f64>)> {
    let count = population.len();
    let best = first_front(fitness);
    let mut all = vec![];
    for i in 0..count {
        for attempt in 0..ATTEMPTS {
            let mut trial = trial(population, i, &best, random);
            // Where few values are left, differences vanish: search at random.
            if attempt >= ATTEMPTS / 2 {
                trial.iter_mut().for_each(|u| {
                    if random.unit() < 0.5 {
                        *u = random.unit();
                    }
                });
            }
            if is_new(&trial) {
                all.push((i, trial));
                break;
            }
        }
    }
    all
}

fn trial(population: &[Member], i: usize, best: &[usize], random: &mut SplitMix64) -> Vec<f64> {
    let (count, own) = (population.len(), &population[i].at);
    let other = |random: &mut SplitMix64, taken: &[usize]| loop {
        let k = random.below(count);
        if k != i && !taken.contains(&k) || count < 4 {
            return k;
        }
    };
    let a = other(random, &[]);
    let b = other(random, &[a]);
    let c = other(random, &[a, b]);
    let (f, rate) = (0.3 + 0.6 * random.unit(), if random.unit() < 0.5 { 0.2 } else { 0.9 });
    let towards = (random.unit() < 0.5).then(|| &population[best[random.below(best.len())]].at);
    let at = |k: usize| &population[k].at;
    let certain = random.below(own.len());
    (0..own.len())
        .map(|n| {
            if n != certain && random.unit() >= rate {
                return own[n];
            }
            let difference = f * (at(b)[n] - at(c)[n]);
            let start = towards.map_or(at(a)[n], |best| own[n] + f * (best[n] - own[n]));
            match start + difference {
                // Halfway to the limit that it would exceed.
                x if x < 0.0 => 0.5 * own[n],
                x if x > 1.0 => 0.5 * (own[n] + 1.0),
                x => x,
            }
        })
        .collect()
}

/// The indices of the members that no other dominates.
fn first_front(fitness: &[Fitness]) -> Vec<usize> {
    let undominated = |i: &usize| !fitness.iter().any(|f| f.dominates(&fitness[*i]));
    (0..fitness.len()).filter(undominated).collect()
}

/// The population after a generation: each member against its trial, if it has one, cut back to the same size.
pub fn selected(
    population: &[Member],
    trials: &[(usize, Member)],
    fitness: impl Fn(&Member) -> Fitness,
) -> (Vec<Member>, Vec<Fitness>) {
    let mut next: Vec<(Member, Fitness)> = vec![];
    for (i, member) in population.iter().enumerate() {
        let own = (member.clone(), fitness(member));
        match trials.iter().find(|t| t.0 == i) {
            None => next.push(own),
            Some((_, trial)) => {
                let new = (trial.clone(), fitness(trial));
                if own.1.dominates(&new.1) {
                    next.push(own);
                } else if new.1.dominates(&own.1) || new.1 == own.1 {
                    next.push(new);
                } else {
                    next.extend([own, new]);
                }
            }
        }
    }
    cut(next, population.len()).into_iter().unzip()
}

/// The best `size` members: front by front, of the last front the least crowded.
fn cut(mut rest: Vec<(Member, Fitness)>, size: usize) -> Vec<(Member, Fitness)> {
    let mut kept = vec![];
    while kept.len() < size && !rest.is_empty() {
        let fitness: Vec<Fitness> = rest.iter().map(|m| m.1.clone()).collect();
        let front = first_front(&fitness);
        let (mut members, mut others) = (vec![], vec![]);
        for (k, member) in rest.into_iter().enumerate() {
            if front.contains(&k) { members.push(member) } else { others.push(member) }
        }
        while kept.len() + members.len() > size {
            let points: Vec<&[f64]> = members.iter().map(|m| &m.1.objectives[..]).collect();
            let distance = crowding(&points);
            let crowded = (0..distance.len()).min_by(|&a, &b| distance[a].total_cmp(&distance[b])).unwrap_or(0);
            members.remove(crowded);
        }
        kept.extend(members);
        rest = others;
    }
    kept
}
