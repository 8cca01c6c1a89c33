//! Simulated annealing over the choices of a generator: seeded, so that a restart can be had again; on two threads; within a time.

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

/// Steps of one restart.
const STEPS: usize = 6000;
const THREADS: usize = 2;

/// The best choices found: `cost` says none where they are not allowed.
pub(crate) fn anneal(
    links: usize,
    seed: u64,
    budget: Duration,
    cost: &(impl Fn(&Choices) -> Option<(usize, usize)> + Sync),
    progress: &(impl Fn(f64, usize) + Sync),
) -> Choices {
    let start = Instant::now();
    let best_of = |thread: usize| {
        let natural = Choices::natural(links);
        let mut best = (natural.clone(), cost(&natural).unwrap_or((usize::MAX, usize::MAX)));
        let mut restart = thread as u64;
        while start.elapsed() < budget {
            let found = once(links, seed ^ restart.wrapping_mul(0x5851_f42d_4c95_7f2d), start, budget, cost);
            if found.1 < best.1 {
                best = found;
            }
            progress((start.elapsed().as_secs_f64() / budget.as_secs_f64()).min(1.0), best.1.0);
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

fn once(
    links: usize,
    seed: u64,
    start: Instant,
    budget: Duration,
    cost: &impl Fn(&Choices) -> Option<(usize, usize)>,
) -> (Choices, (usize, usize)) {
    let mut random = Random(seed);
    let mut now = Choices::natural(links);
    let mut now_cost = cost(&now).unwrap_or((usize::MAX, usize::MAX));
    let mut best = (now.clone(), now_cost);
    let mut open = now.open();
    for step in 0..STEPS {
        if step % 64 == 0 && start.elapsed() >= budget {
            break;
        }
        let temperature = 4.0 * (1.0 - step as f64 / STEPS as f64).powi(2) + 0.05;
        let mut next = now.clone();
        next.forget();
        // One change, sometimes two or three at once.
        let changes = [1, 1, 1, 1, 2, 2, 3][random.below(7)];
        for _ in 0..changes {
            if open.is_empty() {
                break;
            }
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
