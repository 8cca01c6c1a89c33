//! Simulated annealing over the choices of a generator: seeded, on two threads.
//!
//! Each restart anneals the choices, then rewrites the program found. The effort is counted in nodes recorded, not in time, so that
//! the result is the same on every machine, however loaded. A thread stops after several restarts without improvement.

use super::choices::Choices;
use armdyn_core::{Progress, SplitMix64};
use std::cell::Cell;
use std::time::Duration;

/// Maximum steps of one restart: constant part, and per link.
const STEPS: (usize, usize) = (2000, 700);
const THREADS: usize = 2;
/// Restarts without improvement after which a thread stops. Of every three restarts, one begins from a start and two from the
/// best choices.
const PATIENCE: usize = 6;
/// Restarts that a budget is divided into, unless it suffices for more.
const RESTARTS: usize = 2;
/// Nodes that a thread records per second of the budget.
const NODES_PER_SECOND: f64 = 1.5e7;
/// Frames, lengths and moments of a candidate, in nodes of the same time.
const PREPARATION: usize = 200;
/// Steps of rewriting that take the time of one candidate.
const REWRITING: usize = 16;
/// Steps of one rewriting: at least, and per operation. With more, another seed gains more.
const REWRITING_STEPS: (usize, usize) = (20_000, 150);
/// Initial temperatures of rewriting, in turn: long programs need the lower, short ones the higher.
const HEATS: [f64; 2] = [0.3, 0.5];

/// Total operations, then multiplications.
pub(crate) type Cost = (usize, usize);

/// The limits of a search.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// About the time it takes on two idle cores.
    pub budget: Duration,
    /// Maximum number of restarts of each thread.
    pub restarts: Option<usize>,
    /// Nodes of one candidate.
    pub nodes: usize,
}

/// How the program of some choices is rewritten.
#[derive(Clone, Copy)]
pub(crate) struct Rewriting {
    pub seed: u64,
    pub steps: usize,
    /// Initial temperature.
    pub heat: f64,
}

/// The best choices found, and how their program is rewritten. `cost` returns none for choices that are not allowed or exceed the
/// limit it is passed; `rewritten` is the cost after rewriting, which ends early if the function that it is passed returns true.
pub(crate) fn anneal(
    links: usize,
    seed: u64,
    limits: Limits,
    cost: &(impl Fn(&Choices, usize) -> Option<Cost> + Sync),
    rewritten: &(impl Fn(&Choices, Rewriting, &dyn Fn() -> bool) -> Option<Cost> + Sync),
    progress: &Progress,
) -> (Choices, Rewriting) {
    let over = || progress.cancelled();
    let candidates = (limits.budget.as_secs_f64() * NODES_PER_SECOND / (PREPARATION + limits.nodes) as f64) as usize;
    // Half of the effort is for candidates, half for rewriting.
    let steps = (STEPS.0 + STEPS.1 * links).min(candidates / (2 * RESTARTS));
    let best_of = |thread: usize| {
        let tried = Cell::new(0);
        let counted = |choices: &Choices, limit: usize| {
            tried.set(tried.get() + 1);
            cost(choices, limit)
        };
        let starts = [Choices::natural(links), Choices::planar(links)];
        let none = Rewriting { seed, steps: 0, heat: HEATS[0] };
        let natural = (starts[0].clone(), none, cost(&starts[0], usize::MAX).unwrap_or((usize::MAX, usize::MAX)));
        let mut best = natural;
        let (mut restart, mut idle) = (0, 0);
        while steps > 0
            && tried.get() < candidates
            && restart < limits.restarts.unwrap_or(usize::MAX)
            && idle < PATIENCE
            && !over()
        {
            let number = (restart * THREADS + thread) as u64;
            let mut random = SplitMix64(seed ^ number.wrapping_mul(0x5851_f42d_4c95_7f2d));
            // From one start or the other, then from the best at a lower temperature.
            let fresh = &starts[(restart / 3 + thread) % 2];
            let (from, heat) = if restart.is_multiple_of(3) { (fresh, 4.0) } else { (&best.0, 1.5) };
            let before = tried.get();
            let (found, operations) =
                descend(once(from.clone(), heat, steps, &mut random, &over, &counted), &over, &counted);
            idle += 1;
            let all = REWRITING * (tried.get() - before);
            let rounds = (all / REWRITING_STEPS.0.max(REWRITING_STEPS.1.saturating_mul(operations.0))).max(1);
            for round in 0..rounds {
                let heat = HEATS[round % HEATS.len()];
                let rewriting = Rewriting { seed: random.next(), steps: all / rounds, heat };
                if let Some(c) = rewritten(&found, rewriting, &over).filter(|c| *c < best.2) {
                    best = (found.clone(), rewriting, c);
                    idle = 0;
                }
            }
            tried.set(tried.get() + all / REWRITING);
            restart += 1;
            let done = tried.get() as f64 / candidates as f64;
            let of = restart as f64 / limits.restarts.map_or(f64::INFINITY, |r| r as f64);
            progress.report(&format!("{} operations", best.2.0), done.max(of).min(1.0));
        }
        best
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || best_of(t))).collect();
        let all = running.into_iter().map(|t| t.join().expect("a search does not panic"));
        let (choices, rewriting, _) = all.min_by_key(|b| b.2).expect("at least one thread");
        (choices, rewriting)
    })
}

/// One annealing run.
fn once(
    mut now: Choices,
    heat: f64,
    steps: usize,
    random: &mut SplitMix64,
    over: &impl Fn() -> bool,
    cost: &impl Fn(&Choices, usize) -> Option<Cost>,
) -> (Choices, Cost) {
    let mut now_cost = cost(&now, usize::MAX).unwrap_or((usize::MAX, usize::MAX));
    let mut best = (now.clone(), now_cost);
    let open_to = |c: &Choices| c.open().into_iter().filter(|(site, _)| !Choices::is_fixed(*site)).collect::<Vec<_>>();
    let mut open = open_to(&now);
    for step in 0..steps {
        if open.is_empty() || step % 64 == 0 && over() {
            break;
        }
        let temperature = heat * (1.0 - step as f64 / steps as f64).powi(2) + 0.05;
        let mut next = now.clone();
        next.clear_requests();
        // One change, sometimes two or three.
        for _ in 0..[1, 1, 1, 1, 2, 2, 3][random.below(7)] {
            let (site, of) = open[random.below(open.len())];
            next.set(site, (next.get(site) % of + 1 + random.below(of - 1)) % of);
        }
        let worse = (-temperature * (1.0 - random.unit()).ln()) as usize;
        if let Some(c) = cost(&next, now_cost.0.saturating_add(worse)) {
            open = open_to(&next);
            (now, now_cost) = (next, c);
            if now_cost < best.1 {
                best = (now.clone(), now_cost);
            }
        }
    }
    best
}

/// Greedy descent: tries every single change as long as one improves.
fn descend(
    mut best: (Choices, Cost),
    over: &impl Fn() -> bool,
    cost: &impl Fn(&Choices, usize) -> Option<Cost>,
) -> (Choices, Cost) {
    let mut better = true;
    while better && !over() {
        better = false;
        best.0.clear_requests();
        let _ = cost(&best.0, usize::MAX);
        for (site, of) in best.0.open() {
            for choice in 0..of {
                let mut next = best.0.clone();
                next.set(site, choice);
                if let Some(c) = cost(&next, best.1.0).filter(|c| *c < best.1) {
                    best = (next, c);
                    better = true;
                }
            }
        }
    }
    best
}
