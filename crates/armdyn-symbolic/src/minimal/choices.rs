//! The choices of a generator, each with a number of alternatives; the first is the default.

use std::cell::RefCell;

/// A choice of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// The origin of its frame.
    Origin,
    /// The moment that the free amount of K33, s_z, m on its joint axis cancels.
    GaugeK,
    GaugeS,
    GaugeM,
    /// Whether it joins the preceding group of parallel axes.
    Apart,
    /// How the third row and column of U are computed, in rotated and in unrotated axes.
    Rates,
    FlatRates,
    /// How U12 and U21 are computed in unrotated axes.
    FlatSkew,
    /// The form of the moments normal to z.
    Transverse,
    /// How the squares of ω are computed.
    Squares,
    FlatSquares,
    /// Differences of squares: from the squares, or as (a − b)(a + b).
    Difference,
    /// The component of ω that a difference of moments is multiplied by first, if any.
    Gyroscopic,
    /// The form of the moment about z.
    Axial,
    /// The axes of its wrench: rotated or unrotated.
    Wrench,
    /// The axes of the acceleration of its lever arm.
    Arm,
    /// Whether accelerations due to the angular velocity normal to z of its group are accumulated separately, and how.
    Plane,
    /// Whether the acceleration of its lever arm along z follows from the third row of U, or the reverse.
    PlaneAxial,
    /// The axes in which its force is propagated.
    Force,
    /// The axes of the moment of its lever arm, normal to z and about z.
    LeverAcross,
    LeverAbout,
    /// The moments that the first group passes to link 1.
    First,
    /// The moment that a rotation of the terminal frame cancels.
    Terminal,
    /// The constant that the unit of acceleration, of force, makes 1.
    AccelerationUnit,
    ForceUnit,
    /// How composite inertias are rotated.
    Composite,
}

const SITES: usize = Site::Composite as usize + 1;

/// A choice at each site of each link.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    chosen: Vec<u8>,
    /// Number of alternatives of each requested choice; 0 if it was not requested.
    requested: RefCell<Vec<u8>>,
}

impl Choices {
    /// The default choices.
    pub fn natural(links: usize) -> Self {
        Choices { chosen: vec![0; SITES * links], requested: RefCell::new(vec![0; SITES * links]) }
    }

    /// The default choices, but with [`Site::Plane`].
    pub fn planar(links: usize) -> Self {
        let mut all = Choices::natural(links);
        for link in 0..links {
            all.set(link * SITES + Site::Plane as usize, 1);
            all.set(link * SITES + Site::PlaneAxial as usize, 1);
        }
        all
    }

    /// Whether a site stays fixed during an annealing run, because many others depend on it.
    pub fn is_fixed(site: usize) -> bool {
        site % SITES == Site::Plane as usize
    }

    /// The choice among `of` alternatives.
    pub fn pick(&self, site: Site, link: usize, of: usize) -> usize {
        let k = link * SITES + site as usize;
        let of = of.clamp(1, 255);
        self.requested.borrow_mut()[k] = of as u8;
        usize::from(self.chosen[k]) % of
    }

    /// Clears the record of requested choices.
    pub fn clear_requests(&self) {
        self.requested.borrow_mut().fill(0);
    }

    /// The sites with alternatives, and their number.
    pub fn open(&self) -> Vec<(usize, usize)> {
        let requested = self.requested.borrow();
        requested.iter().enumerate().filter(|(_, of)| **of > 1).map(|(k, of)| (k, usize::from(*of))).collect()
    }

    /// Sets a choice.
    pub fn set(&mut self, site: usize, choice: usize) {
        self.chosen[site] = choice as u8;
    }

    /// The choice at a site.
    pub fn get(&self, site: usize) -> usize {
        usize::from(self.chosen[site])
    }
}

/// The choices of one branch.
#[derive(Clone, Copy)]
pub(crate) struct BranchChoices<'a> {
    pub all: &'a Choices,
    /// The number of its first link.
    pub first: usize,
}

impl BranchChoices<'_> {
    /// The choice of a link among `of` alternatives.
    pub fn pick(&self, site: Site, link: usize, of: usize) -> usize {
        self.all.pick(site, self.first + link, of)
    }
}
