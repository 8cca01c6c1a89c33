//! Simulated annealing over the choices of a generator: seeded, on two threads, within a time. Each restart is the same whenever it is run;
//! how many fit into the time is up to the machine.

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

/// Total, and multiplications.
type Cost = (usize, usize);

/// The best choices found: `cost` says none where they are not allowed.
pub(crate) fn anneal(
    links: usize,
    seed: u64,
    budget: Duration,
    restarts: Option<usize>,
    cost: &(impl Fn(&Choices) -> Option<Cost> + Sync),
    progress: &(impl Fn(f64, usize) + Sync),
) -> Choices {
    let start = Instant::now();
    let best_of = |thread: usize| {
        let natural = Choices::natural(links);
        let mut best = (natural.clone(), cost(&natural).unwrap_or((usize::MAX, usize::MAX)));
        let mut restart = thread as u64;
        let most = restarts.map_or(u64::MAX, |r| (r * THREADS) as u64);
        while restart < most && start.elapsed() < budget {
            let mut random = Random(seed ^ restart.wrapping_mul(0x5851_f42d_4c95_7f2d));
            let over = || start.elapsed() >= budget;
            // From the start, then again from the best, less hot.
            let (from, heat) =
                if (restart / THREADS as u64).is_multiple_of(3) { (&natural, 4.0) } else { (&best.0, 1.5) };
            let steps = STEPS.0 + STEPS.1 * links;
            let found = descend(once(from.clone(), heat, steps, &mut random, &over, cost), &over, cost);
            if found.1 < best.1 {
                best = found;
            }
            let time = start.elapsed().as_secs_f64() / budget.as_secs_f64();
            progress(time.max(restart as f64 / most as f64).min(1.0), best.1.0);
            restart += THREADS as u64;
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
    cost: &impl Fn(&Choices) -> Option<Cost>,
) -> (Choices, Cost) {
    let mut now_cost = cost(&now).unwrap_or((usize::MAX, usize::MAX));
    let mut best = (now.clone(), now_cost);
    let mut open = now.open();
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
        let Some(c) = cost(&next) else { continue };
        let worse = c.0 as f64 - now_cost.0 as f64;
        if worse <= 0.0 || random.unit() < (-worse / temperature).exp() {
            open = next.open();
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
    cost: &impl Fn(&Choices) -> Option<Cost>,
) -> (Choices, Cost) {
    let mut better = true;
    while better && !over() {
        better = false;
        best.0.forget();
        let _ = cost(&best.0);
        for (site, of) in best.0.open() {
            for choice in 0..of {
                let mut next = best.0.clone();
                next.set(site, choice);
                if let Some(c) = cost(&next).filter(|c| *c < best.1) {
                    best = (next, c);
                    better = true;
                }
            }
        }
    }
    best
}
