//! Test cases of the emitted code: robots, states, and the core's results.

use armdyn_core::{
    AbaData, BASE, CrbaData, DerivativesData, Drive, Inertia, JacobianFrame, Joint, KinematicsData, Link, MinverseData,
    Model, ModelBuilder, Motion, Real, RegressorData, RneaData, Sym3, Transform, Vec3, aba, aba_derivatives, crba,
    kinematics, minverse, parameter_count, regressor, rnea, rnea_derivatives, vec3,
};
use armdyn_symbolic::{Array, Expr, Graph, Output, Program, Quantity, trace};
use armdyn_testkit::bundled;
use armdyn_testkit::random::{self, Description, Drives, Joints, State};

/// Programs of one robot, states, and the expected results.
pub struct Case {
    pub programs: Vec<Program>,
    /// The parameters, if there are any.
    pub parameters: Vec<f64>,
    /// By program and state: the arrays of [`Quantity::arrays`], concatenated.
    pub inputs: Vec<Vec<Vec<f64>>>,
    /// By program and state.
    pub expected: Vec<Vec<Vec<f64>>>,
    /// The robot, if there is one.
    pub model: Option<Model<f64>>,
}

impl Case {
    /// The lengths of the input arrays of a program.
    pub fn lengths(program: &Program) -> Vec<(&'static str, usize)> {
        let length = |a| if a == Array::Q { program.size.0 } else { program.size.1 };
        program.quantity.arrays().iter().map(|&a| (a.name(), length(a))).collect()
    }

    pub fn states(&self) -> usize {
        self.inputs[0].len()
    }

    /// All inputs, one number per line, in the order in which the drivers read them: parameters, then the states of each program.
    pub fn stream(&self) -> String {
        let states = self.inputs.iter().flatten().flatten();
        self.parameters.iter().chain(states).map(|x| format!("{x:?}\n")).collect()
    }

    /// Panics unless each result is within `tolerance` of its largest element.
    pub fn check(&self, found: &[f64], tolerance: f64, what: &str) {
        let mut found = found.iter();
        for ((program, states), inputs) in self.programs.iter().zip(&self.expected).zip(&self.inputs) {
            for (state, expected) in states.iter().enumerate() {
                if let (Quantity::Forward, true, Some(m)) = (program.quantity, tolerance > 1e-6, &self.model) {
                    let qdd: Vec<f64> = found.by_ref().take(m.nv()).copied().collect();
                    let error = missed_forces(m, &inputs[state], &qdd);
                    assert!(error <= tolerance, "{what}: {} forward, state {state}: {error:e}", program.robot);
                    continue;
                }
                let scale = expected.iter().filter(|x| x.is_finite()).fold(1e-3, |s: f64, x| s.max(x.abs()));
                for (i, e) in expected.iter().enumerate() {
                    let f = found.next().unwrap_or_else(|| panic!("{what}: too few numbers came out"));
                    let good = if e.is_nan() { f.is_nan() } else { (f - e).abs() <= tolerance * scale };
                    assert!(
                        good,
                        "{what}: {} {}, state {state}, element {i}: {f:e}, not {e:e}",
                        program.robot, program.quantity
                    );
                }
            }
        }
        assert!(found.next().is_none(), "{what}: too many numbers came out");
    }
}

/// The residual of the torques of computed accelerations, relative to the largest term of their sum. Unlike the error of the
/// accelerations it does not grow with the condition of M, which is too large for single precision.
fn missed_forces(m: &Model<f64>, inputs: &[f64], qdd: &[f64]) -> f64 {
    let (nq, n) = (m.nq(), m.nv());
    let (q, qd, tau) = (&inputs[..nq], &inputs[nq..nq + n], &inputs[nq + n..]);
    let force = |qdd: &[f64]| {
        let mut out = vec![0.0; n];
        rnea(m, &mut RneaData::new(m), q, qd, qdd, &mut out).unwrap();
        out
    };
    let (needed, bias) = (force(qdd), force(&vec![0.0; n]));
    let mut mass = vec![0.0; n * n];
    crba(m, &mut CrbaData::new(m), q, &mut mass).unwrap();
    let terms = (0..n * n).map(|k| (mass[k] * qdd[k % n]).abs());
    let scale = terms.chain(bias.iter().chain(tau).map(|x| x.abs())).fold(1e-3, f64::max);
    needed.iter().zip(tau).fold(0.0, |worst: f64, (a, b)| {
        let off = (a - b).abs() / scale;
        if off <= worst { worst } else { off }
    })
}

/// A model's programs and the core's results.
pub fn of_model(model: &Model<f64>, quantities: &[Quantity], states: u64) -> Case {
    let m = model;
    let states: Vec<State> = (0..states).map(|seed| State::random(m, &mut random::source(seed))).collect();
    let programs: Vec<Program> = quantities.iter().map(|&quantity| trace(m, quantity).unwrap()).collect();
    let input = |p: &Program, s: &State| {
        let array = |a: &Array| match a {
            Array::Q => &s.q,
            Array::Qd => &s.qd,
            Array::Qdd | Array::Tau => &s.qdd,
            Array::Parameter | Array::Wrench => unreachable!("a traced program has neither"),
        };
        p.quantity.arrays().iter().flat_map(|a| array(a).clone()).collect()
    };
    let by_program = |f: &dyn Fn(&Program, &State) -> Vec<f64>| {
        programs.iter().map(|p| states.iter().map(|s| f(p, s)).collect()).collect()
    };
    let (inputs, expected) = (by_program(&input), by_program(&|p, s| by_core(m, p.quantity, s)));
    Case { programs: programs.clone(), parameters: vec![], inputs, expected, model: Some(m.clone()) }
}

/// The results of the core's algorithms. Accelerations are also used as joint torques.
fn by_core(m: &Model<f64>, quantity: Quantity, s: &State) -> Vec<f64> {
    let n = m.nv();
    let (zero, mut out) = (vec![0.0; n], vec![0.0; n]);
    let mut inverse = |m: &Model<f64>, qd: &[f64], qdd: &[f64]| {
        rnea(m, &mut RneaData::new(m), &s.q, qd, qdd, &mut out).unwrap();
        out.clone()
    };
    match quantity {
        Quantity::Inverse => inverse(m, &s.qd, &s.qdd),
        Quantity::Gravity => inverse(m, &zero, &zero),
        Quantity::Bias => inverse(&m.without_friction(), &s.qd, &zero),
        Quantity::Derivatives => {
            let mut by_q = vec![0.0; n * n];
            let mut by_qd = by_q.clone();
            let data = &mut DerivativesData::new(m);
            rnea_derivatives(m, data, &s.q, &s.qd, &s.qdd, &mut by_q, &mut by_qd).unwrap();
            [by_q, by_qd].concat()
        }
        Quantity::InverseMass => {
            let mut inverse = vec![0.0; n * n];
            minverse(m, &mut MinverseData::new(m), &s.q, &mut inverse).unwrap();
            inverse
        }
        Quantity::ForwardDerivatives => {
            let [mut by_q, mut by_qd, mut by_tau] = [(); 3].map(|()| vec![0.0; n * n]);
            let data = &mut DerivativesData::new(m);
            aba_derivatives(m, data, &s.q, &s.qd, &s.qdd, &mut by_q, &mut by_qd, &mut by_tau).unwrap();
            [by_q, by_qd, by_tau].concat()
        }
        Quantity::Regressor => {
            let mut rows = vec![0.0; n * parameter_count(m)];
            regressor(m, &mut RegressorData::new(m), &s.q, &s.qd, &s.qdd, &mut rows).unwrap();
            rows
        }
        Quantity::Coriolis => inverse(&m.without_friction().with_gravity(Vec3::zero()), &s.qd, &zero),
        Quantity::Forward => {
            aba(m, &mut AbaData::new(m), &s.q, &s.qd, &s.qdd, &mut out).unwrap();
            out
        }
        Quantity::Mass => {
            let mut mass = vec![0.0; n * n];
            crba(m, &mut CrbaData::new(m), &s.q, &mut mass).unwrap();
            mass
        }
        Quantity::Kinematics | Quantity::Jacobian => {
            let mut data = KinematicsData::new(m);
            kinematics(m, &mut data, &s.q).unwrap();
            let link = m.last_link();
            if quantity == Quantity::Kinematics {
                let pose = data.link_pose(m, link).unwrap();
                let p = pose.translation;
                return [&pose.rotation.to_rows().concat()[..], &[p.x, p.y, p.z]].concat();
            }
            let mut columns = vec![Motion::zero(); n];
            data.jacobian(m, link, JacobianFrame::LocalWorldAligned, &mut columns).unwrap();
            (0..6 * n)
                .map(|k| (k / n, &columns[k % n]))
                .map(|(row, c)| if row < 3 { c.linear.get(row) } else { c.angular.get(row - 3) })
                .collect()
        }
    }
}

/// Arms, a prismatic joint, a tree, dry friction, joints with quaternions, hostile names. With every quantity, or only those with
/// short code.
pub fn robots(every: bool) -> Vec<Case> {
    let some = [Quantity::Inverse, Quantity::Gravity, Quantity::Mass, Quantity::Forward];
    let some = if every { &some[..] } else { &some[..1] };
    let all = if every { &Quantity::ALL[..] } else { &[Quantity::Inverse, Quantity::Forward] };
    let friction = Description::random(3, 4, Joints::SingleAxis, true, Drives::Friction).build();
    vec![
        of_model(&bundled("panda"), all, 8),
        of_model(&bundled("jpl-rrp"), some, 8),
        of_model(&bundled("two-arms"), &[Quantity::Inverse], 8),
        of_model(&friction, some, 8),
        of_model(&floating(), &[Quantity::Inverse, Quantity::Mass], 8),
        of_model(&hostile(), some, 8),
    ]
}

/// Names that end or start comments, escape, hide, or contain code.
pub const HOSTILE: &str = "*/ #error \\\n\" ''' \"\"\" //\u{2028}\u{202e} ??/ /* {}%s -*- coding: cp1 -*- ${x} `";

fn point_mass(name: &str) -> Link {
    let inertia = Inertia::about_centre(1.5, vec3(0.3, 0.1, -0.2), Sym3::diagonal(0.02, 0.03, 0.04));
    Link::new(name).part(name, inertia, Transform::identity())
}

fn hostile() -> Model<f64> {
    let mut builder = ModelBuilder::new(HOSTILE);
    let drive = Drive::ideal().coulomb(0.3, 0.2).viscous(0.1);
    let first = builder.add(BASE, Joint::revolute(HOSTILE, [0.0, 1.0, 0.0]).driven_by(drive), point_mass(HOSTILE));
    builder.add(first, Joint::prismatic("while\r\n*/", [0.0, 0.6, 0.8]), point_mass("for"));
    builder.build().unwrap()
}

fn floating() -> Model<f64> {
    let mut builder = ModelBuilder::new("floating arm");
    let base = builder.add(BASE, Joint::new("base", armdyn_core::JointKind::Free), point_mass("body"));
    builder.add(base, Joint::new("hip", armdyn_core::JointKind::Spherical), point_mass("leg"));
    builder.build().unwrap()
}

fn program(robot: &str, inputs: usize, outputs: impl Fn(&[Expr]) -> Vec<Expr>) -> Program {
    let (graph, values) = Graph::record(|| {
        let q: Vec<Expr> = (0..inputs).map(|i| Graph::input(Array::Q, i, &format!("q{}", i + 1))).collect();
        outputs(&q)
    });
    let names: Vec<String> = (0..inputs).map(|i| format!("joint{i}")).collect();
    Program {
        robot: robot.to_string(),
        quantity: Quantity::Gravity,
        strategy: "by hand".to_string(),
        size: (inputs, inputs),
        joints: names.clone(),
        rotational: vec![true; inputs],
        coordinates: names,
        outputs: values.into_iter().map(|value| Output { name: "x".to_string(), value }).collect(),
        graph,
        references: vec![],
        legend: vec![],
        pivots: vec![],
    }
}

/// Sine and cosine of angles of all sizes within `range`, and NaN beyond if `beyond` is set.
pub fn sines(range: f64, single: bool, beyond: bool) -> Case {
    let sine = program("sine", 1, |q| {
        let (s, c) = q[0].sin_cos();
        vec![s, c]
    });
    let mut rng = random::source(5);
    let mut angles: Vec<f64> = (0..2000).map(|i| random::number(&mut rng, [0.8, 7.0, 100.0, range][i % 4])).collect();
    let quarters = range * core::f64::consts::FRAC_2_PI;
    for _ in 0..500 {
        let near = random::number(&mut rng, quarters).trunc() * core::f64::consts::FRAC_PI_2;
        angles.extend([near, near.next_up(), near.next_down()]);
    }
    angles.extend([0.0, -0.0, range.next_down(), -range.next_down()]);
    angles.iter_mut().for_each(|x| *x = if single { f64::from(*x as f32) } else { *x });
    angles.retain(|x| x.abs() < range);
    let mut expected: Vec<Vec<f64>> = angles.iter().map(|x| vec![x.sin(), x.cos()]).collect();
    if beyond {
        for x in [range * 1.001, -range * 4.0, 1e30] {
            angles.push(x);
            expected.push(vec![f64::NAN; 2]);
        }
    }
    Case {
        programs: vec![sine],
        parameters: vec![],
        inputs: vec![angles.iter().map(|x| vec![*x]).collect()],
        expected: vec![expected],
        model: None,
    }
}

/// Constant results: no array is read.
pub fn constants() -> Case {
    let program = program("constants", 2, |_| vec![Expr::lift(-1.5), Expr::zero(), Expr::lift(1e-7)]);
    let states = vec![vec![0.1, 0.2], vec![0.3, 0.4]];
    let expected = vec![vec![-1.5, 0.0, 1e-7]; 2];
    Case { programs: vec![program], parameters: vec![], inputs: vec![states], expected: vec![expected], model: None }
}

/// Every operation, with parameters, values computed before a call, and results that are inputs.
pub fn operations() -> Case {
    type F<T> = fn(&[T], &[T], T) -> Vec<T>;
    fn formulas<T: Real>(q: &[T], p: &[T], third: T) -> Vec<T> {
        let early = (p[0] * p[0] + p[1].sin_cos().1).sqrt();
        let late = (q[0] * q[1] - q[2]).sign() * early - (q[0] + q[1]).sin_cos().0 / (third + q[2] * q[2]);
        vec![
            late,
            -late,
            -(q[2] * q[2] + p[1] * p[1]).sqrt(),
            early,
            p[1],
            -p[0],
            T::lift(-0.25),
            q[1],
            -q[0],
            (q[0] - (q[1] - q[2])) * (q[0] / (q[1] / (third + q[2].sqr()))),
            q[2].sign() - (p[1] - p[0]) * (q[0] - q[1]),
            q[2].sin_cos().1,
        ]
    }
    let (f, by_numbers): (F<Expr>, F<f64>) = (formulas, formulas);
    let program = program("every operation", 3, |q| {
        let p = [Graph::input(Array::Parameter, 0, "m"), Graph::input(Array::Parameter, 1, "*/ length \n")];
        f(q, &p, Expr::lift(3.0))
    });
    let parameters = vec![1.5, -0.4];
    let states = vec![vec![0.3, -0.7, 1.1], vec![-2.0, 0.5, -0.25], vec![1.0, 2.0, 2.0], vec![0.5, -1.5, 0.0]];
    let expected = states.iter().map(|q| by_numbers(q, &parameters, 3.0)).collect();
    Case { programs: vec![program], parameters, inputs: vec![states], expected: vec![expected], model: None }
}
