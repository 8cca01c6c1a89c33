//! Simulated annealing over the choices of a generator: seeded, on two threads, within a time.
//!
//! A thread stops when several restarts in a row find nothing better. Each restart is the same whenever it is run, so that the result depends on the
//! machine only where the time ends first.

use super::choices::Choices;
use std::time::{Duration, Instant};

/// Random numbers: splitmix64 (Steele, Lea & Flood 2014).
#[derive(Clone)]
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    /// In [−range, range).
    pub fn within(&mut self, range: f64) -> f64 {
        range * (2.0 * self.unit() - 1.0)
    }
}

/// Steps of one restart, and more for each link.
const STEPS: (usize, usize) = (2000, 700);
const THREADS: usize = 2;
/// Restarts without anything better after which a thread stops: of every three, one from a start and two from the best.
const PATIENCE: usize = 15;

/// Total, and multiplications.
pub(crate) type Cost = (usize, usize);

/// The best choices found. `cost` says none where they are not allowed, or cost more in total than it is told; `finished` is what they cost
/// when all is done.
pub(crate) fn anneal(
    links: usize,
    seed: u64,
    (budget, restarts): (Duration, Option<usize>),
    cost: &(impl Fn(&Choices, usize) -> Option<Cost> + Sync),
    finished: &(impl Fn(&Choices) -> Option<Cost> + Sync),
    progress: &(impl Fn(f64, usize) + Sync),
) -> Choices {
    let start = Instant::now();
    let over = || start.elapsed() >= budget;
    let best_of = |thread: usize| {
        let starts = [Choices::natural(links), Choices::planar(links)];
        let natural = &starts[0];
        let mut best = (natural.clone(), finished(natural).unwrap_or((usize::MAX, usize::MAX)));
        let (mut restart, mut idle) = (0, 0);
        while restart < restarts.unwrap_or(usize::MAX) && idle < PATIENCE && !over() {
            let number = (restart * THREADS + thread) as u64;
            let mut random = Random(seed ^ number.wrapping_mul(0x5851_f42d_4c95_7f2d));
            // From one start or the other, then again from the best, less hot.
            let anew = &starts[(restart / 3 + thread) % 2];
            let (from, heat) = if restart.is_multiple_of(3) { (anew, 4.0) } else { (&best.0, 1.5) };
            let steps = STEPS.0 + STEPS.1 * links;
            let (found, _) = descend(once(from.clone(), heat, steps, &mut random, &over, cost), &over, cost);
            idle += 1;
            if let Some(c) = finished(&found).filter(|c| *c < best.1) {
                best = (found, c);
                idle = 0;
            }
            restart += 1;
            let time = start.elapsed().as_secs_f64() / budget.as_secs_f64();
            let share = restart as f64 / restarts.map_or(f64::INFINITY, |r| r as f64);
            progress(time.max(share).min(1.0), best.1.0);
        }
        best
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || best_of(t))).collect();
        let all = running.into_iter().map(|t| t.join().expect("a search does not panic"));
        all.min_by_key(|b| b.1).expect("at least one thread").0
    })
}

/// One annealing.
fn once(
    mut now: Choices,
    heat: f64,
    steps: usize,
    random: &mut Random,
    over: &impl Fn() -> bool,
    cost: &impl Fn(&Choices, usize) -> Option<Cost>,
) -> (Choices, Cost) {
    let mut now_cost = cost(&now, usize::MAX).unwrap_or((usize::MAX, usize::MAX));
    let mut best = (now.clone(), now_cost);
    let open_to = |c: &Choices| c.open().into_iter().filter(|(site, _)| !Choices::lasts(*site)).collect::<Vec<_>>();
    let mut open = open_to(&now);
    for step in 0..steps {
        if open.is_empty() || step % 64 == 0 && over() {
            break;
        }
        let temperature = heat * (1.0 - step as f64 / steps as f64).powi(2) + 0.05;
        let mut next = now.clone();
        next.forget();
        // One change, sometimes two or three at once.
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

/// Every single change, as long as one is better.
fn descend(
    mut best: (Choices, Cost),
    over: &impl Fn() -> bool,
    cost: &impl Fn(&Choices, usize) -> Option<Cost>,
) -> (Choices, Cost) {
    let mut better = true;
    while better && !over() {
        better = false;
        best.0.forget();
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
