//! The exported robot and its states, and the measurement: as in `common.hpp`.

use std::time::Instant;

pub struct Joint {
    /// Number of the parent, 0 is the base.
    pub parent: usize,
    /// By rows.
    pub rotation: [f64; 9],
    pub position: [f64; 3],
    pub mass: f64,
    pub center: [f64; 3],
    /// xx, xy, xz, yy, yz, zz about the centre of mass.
    pub inertia: [f64; 6],
}

pub struct Robot {
    pub n: usize,
    pub gravity: [f64; 3],
    pub joints: Vec<Joint>,
    pub q: Vec<Vec<f64>>,
    pub qd: Vec<Vec<f64>>,
    pub qdd: Vec<Vec<f64>>,
    pub tau: Vec<Vec<f64>>,
    pub inverse: Vec<Vec<f64>>,
    pub mass: Vec<Vec<f64>>,
    pub forward: Vec<Vec<f64>>,
    seconds: f64,
}

impl Robot {
    pub fn read(path: &str, seconds: f64) -> Self {
        let text = std::fs::read_to_string(format!("{path}.txt")).expect("the robot was exported");
        let mut words = text.split_whitespace().skip(1);
        let mut count = || words.next().unwrap().parse::<usize>().unwrap();
        let [nq, n, joints, states, checked] = std::array::from_fn(|_| count());
        assert_eq!(nq, n, "only fixed-base robots");
        fn array<'a, const N: usize>(words: &mut impl Iterator<Item = &'a str>) -> [f64; N] {
            std::array::from_fn(|_| words.next().unwrap().parse().unwrap())
        }
        let gravity = array(&mut words);
        let joint = |_| {
            let parent = words.next().unwrap().parse().unwrap();
            assert_eq!(words.next(), Some("revolute"));
            let (rotation, position) = (array(&mut words), array(&mut words));
            let [mass] = array(&mut words);
            Joint { parent, rotation, position, mass, center: array(&mut words), inertia: array(&mut words) }
        };
        let joints = (0..joints).map(joint).collect();
        let bytes = std::fs::read(format!("{path}.states")).expect("the robot was exported");
        let mut numbers = bytes.chunks_exact(8).map(|b| f64::from_ne_bytes(b.try_into().unwrap()));
        let mut rows =
            |count, width| (0..count).map(|_| numbers.by_ref().take(width).collect()).collect::<Vec<Vec<f64>>>();
        let [q, qd, qdd, tau] = std::array::from_fn(|_| rows(states, n));
        let (inverse, mass, forward) = (rows(checked, n), rows(checked, n * n), rows(checked, n));
        Robot { n, gravity, joints, q, qd, qdd, tau, inverse, mass, forward, seconds }
    }

    /// Compares the first results with the expected ones, then times the algorithm: `call(i)` computes state i.
    pub fn measure<T: Into<f64>>(
        &self,
        algorithm: &str,
        expected: &[Vec<f64>],
        mut call: impl FnMut(usize) -> Vec<T>,
        mut timed: impl FnMut(usize),
    ) {
        let mut worst = 0f64;
        for (i, expected) in expected.iter().enumerate() {
            let found = call(i);
            assert_eq!(found.len(), expected.len());
            let scale = expected.iter().fold(0f64, |s, x| s.max(x.abs()));
            for (a, b) in found.into_iter().zip(expected) {
                let error = (a.into() - b).abs() / scale;
                worst = if error.is_finite() { worst.max(error) } else { 1e300 };
            }
        }
        println!("{{\"algo\":\"{algorithm}\",\"ns\":{:.2},\"error\":{worst:.2e}}}", self.median(&mut timed));
    }

    /// The median time of a call, in rounds of about 0.1 ms \[ns\].
    fn median(&self, call: &mut impl FnMut(usize)) -> f64 {
        let mut i = 0;
        let mut run = |calls: usize| {
            let start = Instant::now();
            for _ in 0..calls {
                call(i);
                i = if i + 1 == self.q.len() { 0 } else { i + 1 };
            }
            start.elapsed().as_nanos() as f64
        };
        let mut calls = 1;
        while run(calls) < 5e6 {
            calls *= 2;
        }
        let batch = (calls / 50).max(1);
        let (mut times, start) = (vec![], Instant::now());
        while times.len() < 20 || start.elapsed().as_secs_f64() < self.seconds {
            times.push(run(batch) / batch as f64);
        }
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }
}
