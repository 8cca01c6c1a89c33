//! What equations have besides M, C and g: energies, joint wrenches, the Cartesian form. The polynomials of a quantity and its
//! printed coefficients are the same structure over different types.

use super::cartesian::CartesianForm;

/// A coefficient times time derivatives of coordinates: their indices and orders, equal ones in sequence.
#[derive(Clone, Debug)]
pub struct MotionTerm<C> {
    /// The coefficient.
    pub coefficient: C,
    /// Index of the degree of freedom and order of the derivative.
    pub rates: Vec<(usize, u8)>,
}

/// The wrench that a joint transmits to its child link, in the axes of that link, about its origin.
#[derive(Clone, Debug)]
pub struct Wrench<C> {
    /// The joint; for a joint with several axes, one of its degrees of freedom.
    pub joint: String,
    /// The link whose frame it is given in.
    pub link: String,
    /// Force x, y, z \[N\], then moment x, y, z \[N m\].
    pub components: [Vec<MotionTerm<C>>; 6],
}

/// A numerator over powers of factors.
#[derive(Clone, Debug)]
pub struct Fraction<C> {
    /// The numerator.
    pub numerator: C,
    /// The factors of the denominator with their powers; none for a polynomial.
    pub denominator: Vec<(C, u8)>,
}

/// A sum of fractions; zero if there are none.
pub type Quotient<C> = Vec<Fraction<C>>;

/// What was requested besides M, C and g.
#[derive(Clone, Debug)]
pub struct Supplements<C> {
    /// Potential energy: zero where the centre of mass is at the origin of the base.
    pub potential: Option<C>,
    /// The wrenches of the moving joints.
    pub wrenches: Vec<Wrench<C>>,
    /// The Cartesian form.
    pub cartesian: Option<CartesianForm<C>>,
}

impl<C> MotionTerm<C> {
    fn map<D>(self, f: &mut impl FnMut(C) -> D) -> MotionTerm<D> {
        MotionTerm { coefficient: f(self.coefficient), rates: self.rates }
    }
}

pub(super) fn map_terms<C, D>(terms: Vec<MotionTerm<C>>, f: &mut impl FnMut(C) -> D) -> Vec<MotionTerm<D>> {
    terms.into_iter().map(|t| t.map(f)).collect()
}

pub(super) fn map_quotient<C, D>(q: Quotient<C>, f: &mut impl FnMut(C) -> D) -> Quotient<D> {
    let mut fraction = |x: Fraction<C>| Fraction {
        numerator: f(x.numerator),
        denominator: x.denominator.into_iter().map(|(c, p)| (f(c), p)).collect(),
    };
    q.into_iter().map(&mut fraction).collect()
}

impl<C> Supplements<C> {
    /// Nothing.
    pub(super) fn none() -> Self {
        Supplements { potential: None, wrenches: vec![], cartesian: None }
    }

    pub(super) fn map<D>(self, f: &mut impl FnMut(C) -> D) -> Supplements<D> {
        let potential = self.potential.map(&mut *f);
        let wrench = |w: Wrench<C>| Wrench {
            joint: w.joint,
            link: w.link,
            components: w.components.map(|terms| map_terms(terms, f)),
        };
        let wrenches = self.wrenches.into_iter().map(wrench).collect();
        Supplements { potential, wrenches, cartesian: self.cartesian.map(|c| c.map(f)) }
    }
}
