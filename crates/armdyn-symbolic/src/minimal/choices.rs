//! The choices that a generator leaves open, each with a number of alternatives; the first is the natural one.

use std::cell::RefCell;

/// What is chosen, link by link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// Where its origin is.
    Origin,
    /// What the free amount of K33, s_z, m behind its joint makes vanish.
    GaugeK,
    GaugeS,
    GaugeM,
    /// Whether it joins the group of parallel axes before it.
    Apart,
    /// How U's third row and column are got, in turned and in unturned axes.
    Rates,
    FlatRates,
    /// How U12 and U21 are got in unturned axes.
    FlatSkew,
    /// The form of the moments across z.
    Transverse,
    /// How the squares of ω are got.
    Squares,
    FlatSquares,
    /// Differences of squares: from the squares, or as (a − b)(a + b).
    Difference,
    /// The rate that a difference of moments is multiplied with first: none, or one of ω.
    Gyroscopic,
    /// The form of the moment about z.
    Axial,
    /// The axes that its wrench is in: turned or unturned.
    Wrench,
    /// The axes that its arm's acceleration is in.
    Arm,
    /// Whether the rates across z of its group are kept apart in accelerations, and how they are added up.
    Plane,
    /// Whether the acceleration of its arm along z is by U's third row, or U's third row by it.
    PlaneAxial,
    /// The axes that its force goes on in.
    Force,
    /// The axes of its arm's moment, across z and about z.
    LeverAcross,
    LeverAbout,
    /// What the first group hands to link 1.
    First,
    /// What a turn of the terminal frame makes vanish.
    Terminal,
    /// The constant that is 1 by the unit of acceleration, of force.
    AccelerationUnit,
    ForceUnit,
    /// How composite inertias are turned.
    Composite,
}

const SITES: usize = Site::Composite as usize + 1;

/// A choice at each site of each link.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    taken: Vec<u8>,
    /// How many alternatives there were when it was asked; 0 where it was not.
    asked: RefCell<Vec<u8>>,
}

impl Choices {
    /// The natural ones.
    pub fn natural(links: usize) -> Self {
        Choices { taken: vec![0; SITES * links], asked: RefCell::new(vec![0; SITES * links]) }
    }

    /// The natural ones, but with the rates across z kept apart.
    pub fn planar(links: usize) -> Self {
        let mut all = Choices::natural(links);
        for link in 0..links {
            all.set(link * SITES + Site::Plane as usize, 1);
            all.set(link * SITES + Site::PlaneAxial as usize, 1);
        }
        all
    }

    /// Whether a site needs so many others to change with it that it is better left as it is for the length of an annealing.
    pub fn lasts(site: usize) -> bool {
        site % SITES == Site::Plane as usize
    }

    /// What is chosen among `of` alternatives.
    pub fn pick(&self, site: Site, link: usize, of: usize) -> usize {
        let k = link * SITES + site as usize;
        let of = of.clamp(1, 255);
        self.asked.borrow_mut()[k] = of as u8;
        usize::from(self.taken[k]) % of
    }

    /// Forgets what was asked.
    pub fn forget(&self) {
        self.asked.borrow_mut().fill(0);
    }

    /// The sites where there was something to choose, and how many alternatives.
    pub fn open(&self) -> Vec<(usize, usize)> {
        let asked = self.asked.borrow();
        asked.iter().enumerate().filter(|(_, of)| **of > 1).map(|(k, of)| (k, usize::from(*of))).collect()
    }

    /// Chooses.
    pub fn set(&mut self, site: usize, choice: usize) {
        self.taken[site] = choice as u8;
    }

    /// What is chosen.
    pub fn get(&self, site: usize) -> usize {
        usize::from(self.taken[site])
    }
}
