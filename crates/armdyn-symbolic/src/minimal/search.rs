//! Simulated annealing over the choices of a generator: seeded, on two threads, within a time limit.
//!
//! A thread stops after several restarts without improvement. Each restart is reproducible, so that the result depends on the
//! machine only if the time limit ends the search.

use super::choices::Choices;
use armdyn_core::{Progress, SplitMix64};
use std::time::{Duration, Instant};

/// Steps of one restart: constant part, and per link.
const STEPS: (usize, usize) = (2000, 700);
const THREADS: usize = 2;
/// Restarts without improvement after which a thread stops. Of every three restarts, one begins from a start and two from the
/// best choices.
const PATIENCE: usize = 6;

/// Total operations, then multiplications.
pub(crate) type Cost = (usize, usize);

/// The best choices found. `cost` returns none for choices that are not allowed or exceed the limit it is passed; `finished`
/// is the cost after all rewriting.
pub(crate) fn anneal(
    links: usize,
    seed: u64,
    (budget, restarts): (Duration, Option<usize>),
    cost: &(impl Fn(&Choices, usize) -> Option<Cost> + Sync),
    finished: &(impl Fn(&Choices) -> Option<Cost> + Sync),
    progress: &Progress,
) -> Choices {
    let start = Instant::now();
    let over = || start.elapsed() >= budget || progress.cancelled();
    let best_of = |thread: usize| {
        let starts = [Choices::natural(links), Choices::planar(links)];
        let natural = &starts[0];
        let mut best = (natural.clone(), cost(natural, usize::MAX).unwrap_or((usize::MAX, usize::MAX)));
        let (mut restart, mut idle) = (0, 0);
        while restart < restarts.unwrap_or(usize::MAX) && idle < PATIENCE && !over() {
            let number = (restart * THREADS + thread) as u64;
            let mut random = SplitMix64(seed ^ number.wrapping_mul(0x5851_f42d_4c95_7f2d));
            // From one start or the other, then from the best at a lower temperature.
            let fresh = &starts[(restart / 3 + thread) % 2];
            let (from, heat) = if restart.is_multiple_of(3) { (fresh, 4.0) } else { (&best.0, 1.5) };
            let steps = STEPS.0 + STEPS.1 * links;
            let (found, _) = descend(once(from.clone(), heat, steps, &mut random, &over, cost), &over, cost);
            idle += 1;
            if let Some(c) = finished(&found).filter(|c| *c < best.1) {
                best = (found, c);
                idle = 0;
            }
            restart += 1;
            let time = start.elapsed().as_secs_f64() / budget.as_secs_f64();
            let done = restart as f64 / restarts.map_or(f64::INFINITY, |r| r as f64);
            progress.report(&format!("{} operations", best.1.0), time.max(done).min(1.0));
        }
        best
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || best_of(t))).collect();
        let all = running.into_iter().map(|t| t.join().expect("a search does not panic"));
        all.min_by_key(|b| b.1).expect("at least one thread").0
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
