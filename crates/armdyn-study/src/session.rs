//! A study in progress: which points are to be computed next, what is known, and the computation on threads.

use crate::journal::Journal;
use crate::optimise::{self, Fitness, Member};
use crate::study::{Method, Record, Study};
use crate::variable::{Domain, Setting};
use crate::{Error, Result};
use armdyn_core::{Interval, Progress, SplitMix64};
use armdyn_numerics::{JointRanges, QuasiRandom};
use rayon::ThreadPoolBuilder;
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::collections::{HashSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A point to compute.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Its number, from 0.
    pub index: usize,
    /// The values of the variables.
    pub values: Vec<Setting>,
}

/// A study in progress, which it borrows or shares.
pub struct Session<S> {
    study: S,
    journal: Option<Journal>,
    /// Values of the planned points, and their records.
    planned: Vec<Vec<Setting>>,
    records: Vec<Option<Record>>,
    /// Records of the journal that are not planned yet.
    known: Vec<Option<Record>>,
    search: Option<Search>,
    missing: usize,
}

/// The state of an optimisation.
struct Search {
    population: Vec<Member>,
    trials: Vec<(usize, Member)>,
    seen: HashSet<String>,
    generation: usize,
    ended: bool,
}

/// Stack of a thread that computes points: importers and equations have recursions.
const STACK: usize = 64 << 20;
/// Time between two looks at cancellation.
const LOOK: Duration = Duration::from_millis(20);

impl<S: Borrow<Study> + Clone> Session<S> {
    /// Plans a study; with the finished points of its journal, if it has one.
    pub fn new(study: S, journal: Option<(Journal, Vec<Record>)>) -> Result<Self> {
        let (journal, found) = journal.map_or((None, vec![]), |(journal, found)| (Some(journal), found));
        let mut known: Vec<Option<Record>> = vec![];
        for record in found {
            let of: &Study = study.borrow();
            let fits = record.values.len() == of.variables.len() && record.measures.len() == of.measures.len();
            if !fits || record.point > 10_000_000 {
                return Err(Error(
                    "the journal has a point that does not fit the study: begin anew with `--restart`".to_string(),
                ));
            }
            let index = record.point;
            if known.len() <= index {
                known.resize(index + 1, None);
            }
            known[index] = Some(record);
        }
        let (planned, records) = (vec![], vec![]);
        let mut session = Session { study, journal, planned, records, known, search: None, missing: 0 };
        let study: &Study = session.study.borrow();
        match study.method {
            Method::Grid => {
                let points = grid(study);
                session.plan(points)?;
            }
            Method::Samples { count } => {
                let sequence = Sequence::new(study);
                let points = (0..count).map(|k| settings(study, &sequence.at(k))).collect();
                session.plan(points)?;
            }
            Method::Optimise { population, .. } => session.begin_search(population)?,
        }
        session.advance()?;
        Ok(session)
    }

    /// Adds points to the plan; those of the journal are done.
    fn plan(&mut self, points: Vec<Vec<Setting>>) -> Result<()> {
        for values in points {
            let index = self.planned.len();
            let record = self.known.get_mut(index).and_then(Option::take);
            if record.as_ref().is_some_and(|r| r.values != values) {
                let what = format!("the journal has other values for point {index}");
                return Err(Error(format!(
                    "{what}: begin anew with `--restart`, or choose another name for the results"
                )));
            }
            self.missing += usize::from(record.is_none());
            self.planned.push(values);
            self.records.push(record);
        }
        Ok(())
    }

    fn begin_search(&mut self, population: usize) -> Result<()> {
        let (sequence, mut seen, mut first) = (Sequence::new(self.study.borrow()), HashSet::new(), vec![]);
        // Of few values, less than a population may be different.
        for k in 0..100 * population {
            let at = sequence.at(k);
            let values = settings(self.study.borrow(), &at);
            if first.len() < population && seen.insert(key(&values)) {
                first.push((at, values));
            }
        }
        let member = |(point, (at, _)): (usize, &(Vec<f64>, _))| Member { at: at.clone(), point };
        let population = first.iter().enumerate().map(member).collect();
        self.search = Some(Search { population, trials: vec![], seen, generation: 0, ended: false });
        self.plan(first.into_iter().map(|(_, values)| values).collect())
    }

    /// Plans the next generations, as long as all their points are known.
    fn advance(&mut self) -> Result<()> {
        let Method::Optimise { generations, .. } = self.study.borrow().method else { return Ok(()) };
        while self.missing == 0 {
            let Some(search) = self.search.as_mut().filter(|s| !s.ended) else { return Ok(()) };
            let fitness = |member: &Member| {
                let record = self.records[member.point].as_ref();
                record.map_or(Fitness { violation: f64::INFINITY, objectives: vec![] }, |r| {
                    self.study.borrow().fitness(r)
                })
            };
            let (population, values) = optimise::selected(&search.population, &search.trials, fitness);
            search.population = population;
            if search.generation == generations {
                search.ended = true;
                return Ok(());
            }
            search.generation += 1;
            let seed = SplitMix64(self.study.borrow().seed ^ SplitMix64(search.generation as u64).next()).next();
            let (study, seen) = (self.study.borrow(), &mut search.seen);
            let is_new = |at: &[f64]| seen.insert(key(&settings(study, at)));
            let trials = optimise::trials(&search.population, &values, &mut SplitMix64(seed), is_new);
            // All combinations of values are known.
            search.ended = trials.is_empty();
            let first = self.planned.len();
            let points = trials.iter().map(|(_, at)| settings(study, at)).collect();
            search.trials =
                trials.into_iter().enumerate().map(|(k, (i, at))| (i, Member { at, point: first + k })).collect();
            self.plan(points)?;
        }
        Ok(())
    }

    /// The points that can be computed now; empty when the study is complete.
    pub fn pending(&self) -> Vec<Point> {
        let missing = self.records.iter().zip(&self.planned).enumerate().filter(|(_, (record, _))| record.is_none());
        missing.map(|(index, (_, values))| Point { index, values: values.clone() }).collect()
    }

    /// Takes the results of points: writes them to the journal and plans what follows.
    pub fn tell(&mut self, records: Vec<Record>) -> Result<()> {
        for record in &records {
            if self.planned.get(record.point) != Some(&record.values)
                || record.measures.len() != self.study.borrow().measures.len()
            {
                return Err(Error(format!("point {} is not a point of this study", record.point)));
            }
        }
        let new: Vec<Record> = records.into_iter().filter(|r| self.records[r.point].is_none()).collect();
        if let Some(journal) = &mut self.journal {
            journal.add(&new)?;
        }
        for record in new {
            let place = &mut self.records[record.point];
            self.missing -= usize::from(place.is_none());
            *place = Some(record);
        }
        self.advance()
    }

    /// Finished points, and all that the study may have.
    pub fn counts(&self) -> (usize, usize) {
        let total = match self.study.borrow().method {
            Method::Optimise { population, generations } if self.search.as_ref().is_some_and(|s| !s.ended) => {
                self.planned.len().max(population * (generations + 1))
            }
            _ => self.planned.len(),
        };
        (self.planned.len() - self.missing, total)
    }

    /// The records of all finished points, by number.
    pub fn records(&self) -> Vec<Record> {
        self.records.iter().flatten().cloned().collect()
    }

    /// The journal.
    pub fn journal(&self) -> Option<&Journal> {
        self.journal.as_ref()
    }

    /// Computes all points on `threads` threads. Stops when cancelled, with the points that are finished; returns whether it is complete.
    /// `evaluate` computes a point, and gives up (none) once its flag is set.
    pub fn run(
        &mut self,
        threads: usize,
        progress: &Progress,
        evaluate: impl Fn(&Study, &Point, &Arc<AtomicBool>) -> Option<Record> + Sync,
    ) -> Result<bool> {
        let stop = Arc::new(AtomicBool::new(false));
        while !progress.cancelled() {
            let pending = self.pending();
            if pending.is_empty() {
                return Ok(true);
            }
            self.run_points(pending, threads.max(1), progress, &stop, &evaluate)?;
        }
        Ok(self.pending().is_empty())
    }

    fn run_points(
        &mut self,
        pending: Vec<Point>,
        threads: usize,
        progress: &Progress,
        stop: &Arc<AtomicBool>,
        evaluate: &(impl Fn(&Study, &Point, &Arc<AtomicBool>) -> Option<Record> + Sync),
    ) -> Result<()> {
        let workers = threads.min(pending.len());
        // A point has the threads that no other point uses.
        let each = threads / workers;
        let (queue, owner) = (Mutex::new(VecDeque::from(pending)), self.study.clone());
        let study: &Study = owner.borrow();
        let (send, receive) = channel();
        let work = |send: &Sender<Result<Option<Record>>>| {
            let pool = ThreadPoolBuilder::new().num_threads(each).stack_size(STACK).build();
            let pool = pool.map_err(|e| Error(format!("cannot start threads: {e}")))?;
            let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            while let Some(point) = next().filter(|_| !stop.load(Ordering::SeqCst)) {
                // After an error nobody receives.
                let _ = send.send(Ok(pool.install(|| guarded(study, &point, || evaluate(study, &point, stop)))));
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            for _ in 0..workers {
                let (send, work) = (send.clone(), &work);
                let body = move || {
                    let _ = work(&send).map_err(|e: Error| send.send(Err(e)));
                };
                let started = std::thread::Builder::new().spawn_scoped(scope, body);
                started.map_err(|e| {
                    stop.store(true, Ordering::SeqCst);
                    Error(format!("cannot start a thread: {e}"))
                })?;
            }
            drop(send);
            self.receive(&receive, progress, stop)
        })
    }

    fn receive(
        &mut self,
        results: &Receiver<Result<Option<Record>>>,
        progress: &Progress,
        stop: &AtomicBool,
    ) -> Result<()> {
        let outcome = loop {
            let (done, total) = self.counts();
            progress.report(&format!("point {done} of {total}"), done as f64 / total.max(1) as f64);
            if progress.cancelled() {
                stop.store(true, Ordering::SeqCst);
            }
            match results.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) | Ok(Ok(None)) => {}
                Ok(Ok(Some(record))) => {
                    if let Err(e) = self.tell(vec![record]) {
                        break Err(e);
                    }
                }
                Ok(Err(e)) => break Err(e),
            }
        };
        if outcome.is_err() {
            stop.store(true, Ordering::SeqCst);
        }
        outcome
    }
}

/// A point whose computation panics is a point that failed.
fn guarded(study: &Study, point: &Point, evaluate: impl FnOnce() -> Option<Record>) -> Option<Record> {
    catch_unwind(AssertUnwindSafe(evaluate)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default();
        let measures = vec![None; study.measures.len()];
        let error = Some(format!("internal error: {text}"));
        Some(Record { point: point.index, values: point.values.clone(), measures, error })
    })
}

/// All combinations of the values; the last variable changes fastest.
fn grid(study: &Study) -> Vec<Vec<Setting>> {
    study.variables.iter().fold(vec![vec![]], |points, variable| {
        let Domain::Values(values) = &variable.domain else { return points };
        let extended = |point: Vec<Setting>| values.iter().map(move |v| [&point[..], std::slice::from_ref(v)].concat());
        points.into_iter().flat_map(extended).collect()
    })
}

/// Quasi-random coordinates from 0 to 1.
struct Sequence {
    ranges: JointRanges,
    seed: u64,
}

impl Sequence {
    fn new(study: &Study) -> Self {
        let unit = Interval::new(0.0, 1.0).unwrap_or(Interval::point(0.0));
        Sequence { ranges: JointRanges::from_intervals(vec![unit; study.variables.len()]), seed: study.seed }
    }

    fn at(&self, k: usize) -> Vec<f64> {
        QuasiRandom::new(&self.ranges, self.seed).point(k)
    }
}

fn settings(study: &Study, at: &[f64]) -> Vec<Setting> {
    study.variables.iter().zip(at).map(|(variable, u)| variable.domain.at(*u)).collect()
}

/// Settings as a key of a set.
fn key(values: &[Setting]) -> String {
    values.iter().map(|v| format!("{v}\n")).collect()
}
