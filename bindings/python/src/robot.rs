//! A robot: its description, its model, and what calls keep.

use crate::arrays::{Argument, Array, numbers};
use crate::errors;
use crate::evaluate::{Engine, Target, evaluate};
use crate::quantity::{Point, Quantity};
use armdyn_cli::embedding;
use armdyn_core::{
    JacobianFrame, JointKind, LinkId, Model, Rotation, Tool, Transform, Vec3, WrenchFrame, parameters, vec3,
};
use armdyn_import::{Description, Finding, Format, LoadError, Loaded, Options, Severity, check, find, load_text};
use armdyn_motion::{IkOptions, InverseKinematics};
use armdyn_symbolic::{Quantity as Program, base_parameters};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What all references to a robot share.
pub struct Inner {
    pub loaded: Loaded,
    pub model: Model<f64>,
    pub double: Engine<f64>,
    pub single: Engine<f32>,
    /// Solvers of inverse kinematics that no call uses, with their frames and options.
    solvers: Mutex<Vec<InverseKinematics>>,
    /// Whether batches of any size are computed by a compiled program.
    pub is_compiled: AtomicBool,
}

/// The part of `armdyn.Robot` that is written in Rust.
#[pyclass(frozen, subclass, module = "armdyn._armdyn")]
pub struct Robot {
    pub inner: Arc<Inner>,
}

/// A new array, on the CPU.
const NEW: Target<'static, 'static> = Target { out: None, device: None };

/// A result.
type Any<'py> = PyResult<Bound<'py, PyAny>>;
/// An argument.
type Value<'a, 'py> = &'a Bound<'py, PyAny>;
/// An argument that may be omitted.
type Given<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

impl Robot {
    fn of(loaded: Loaded, model: Model<f64>) -> Self {
        let (double, single, solvers, is_compiled) = Default::default();
        Robot { inner: Arc::new(Inner { loaded, model, double, single, solvers, is_compiled }) }
    }

    fn compute<'py, const N: usize>(
        &self,
        py: Python<'py>,
        quantity: Quantity,
        arguments: [Argument<'_, 'py>; N],
        target: Target<'_, 'py>,
    ) -> Any<'py> {
        evaluate(py, &self.inner, quantity, arguments, target)
    }

    fn description(&self, py: Python<'_>) -> PyResult<&Description> {
        self.inner.loaded.description.as_ref().ok_or_else(|| errors::error(py, "the robot has no description"))
    }

    /// The findings about the robot's file and about the robot.
    fn all_findings(&self) -> Vec<Finding> {
        let about_the_robot = self.inner.loaded.description.as_ref().map(check).unwrap_or_default();
        self.inner.loaded.findings.iter().cloned().chain(about_the_robot).collect()
    }

    /// The parts of a result along its axis after that of the states.
    fn parts<'py>(&self, result: &Bound<'py, PyAny>, axes: usize, count: usize) -> Any<'py> {
        let py = result.py();
        let is_batch = result.getattr("ndim")?.extract::<usize>()? > axes;
        let part = |k: usize| match is_batch {
            true => result.get_item((py.import("builtins")?.getattr("slice")?.call1((py.None(),))?, k)),
            false => result.get_item(k),
        };
        let parts: Vec<_> = (0..count).map(part).collect::<PyResult<_>>()?;
        PyTuple::new(py, parts)?.into_bound_py_any(py)
    }

    /// The tool, a link or a point of a link.
    fn frame(&self, py: Python<'_>, link: Option<&str>, point: Option<[f64; 3]>) -> PyResult<(LinkId, Point)> {
        let m = &self.inner.model;
        let at = point.map(|[x, y, z]| Transform::from_translation(vec3(x, y, z)));
        match link {
            None | Some("tool") if link.is_none() || m.link("tool").is_err() => {
                let tool =
                    m.tool().map_err(|e| errors::error(py, &format!("{e}; name a link, such as `link=\"…\"`")))?;
                Ok((tool.link, Some(at.map_or(tool.pose, |at| tool.pose.compose(&at)))))
            }
            name => {
                let name = name.unwrap_or_default();
                let link = m.link(name).map_err(|e| {
                    let names: Vec<&str> = m.links().iter().map(|l| l.name.as_str()).collect();
                    errors::error(py, &format!("{e}; its links are {}", names.join(", ")))
                })?;
                Ok((link, at))
            }
        }
    }

    fn limits<'py>(&self, py: Python<'py>, f: impl Fn(&armdyn_core::Limits) -> f64) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.inner.model.limits().iter().map(f).collect())
    }
}

/// The description of a model that is made of the robot of another description, whose texts and shapes it keeps.
fn described(model: &Model<f64>, original: &Description) -> Description {
    let mut description = Description::of_model(model);
    (description.summary, description.origin) = (original.summary.clone(), original.origin.clone());
    for link in &mut description.links {
        if let Some(known) = original.links.iter().find(|l| l.name == link.name) {
            link.shapes.clone_from(&known.shapes);
        }
    }
    description
}

#[pymethods]
impl Robot {
    /// Loads a robot: a bundled name, a path, or the text of a URDF, MJCF or TOML file.
    #[new]
    #[pyo3(signature = (source, packages = None, arguments = None))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        packages: Option<std::collections::BTreeMap<String, PathBuf>>,
        arguments: Option<std::collections::BTreeMap<String, String>>,
    ) -> PyResult<Self> {
        if let Ok(robot) = source.cast::<Robot>() {
            return Ok(Robot { inner: robot.get().inner.clone() });
        }
        let options = Options { packages: packages.unwrap_or_default(), arguments: arguments.unwrap_or_default() };
        let text =
            source.extract::<String>().ok().filter(|text| text.contains('\n') || text.trim_start().starts_with('<'));
        let (name, loaded) = match text {
            Some(text) => {
                let format = Format::of_text(&text);
                let loaded = py.detach(|| load_text(Path::new("<text>"), text, format, &options));
                ("<text>".to_string(), loaded)
            }
            None => {
                let path: PathBuf = source.extract().map_err(|_| {
                    pyo3::exceptions::PyTypeError::new_err(
                        "expected the name of a bundled robot, a path, or the text of a URDF, MJCF or TOML file",
                    )
                })?;
                let loaded = py.detach(|| find(&path, &options)).map_err(|e| errors::of_load(py, e))?;
                (path.display().to_string(), loaded)
            }
        };
        let Some(description) = &loaded.description else {
            let Loaded { findings, sources, .. } = loaded;
            return Err(errors::of_load(py, LoadError::Invalid { robot: name, findings, sources }));
        };
        let model = description.model().map_err(|e| errors::of_load(py, LoadError::Build(e)))?;
        Ok(Robot::of(loaded, model))
    }

    /// The robot with options of the command line, such as ["--payload", "2"], and what is to be reported about them.
    fn _with_options(&self, py: Python<'_>, options: Vec<String>) -> PyResult<(Robot, Vec<(String, String)>)> {
        let original = self.description(py)?;
        let (model, messages) =
            embedding::with_options(original, &options).map_err(|e| errors::error(py, &e.message))?;
        let description = described(&model, original);
        let loaded = Loaded { description: Some(description), ..Loaded::default() };
        let messages = messages.into_iter().map(|m| (m.level.to_string(), m.text)).collect();
        Ok((Robot::of(loaded, model), messages))
    }

    /// The robot as TOML without what makes no difference: equal robots have equal texts.
    fn _canonical(&self, py: Python<'_>) -> PyResult<String> {
        Ok(armdyn_import::to_toml(&described(&self.inner.model, self.description(py)?)))
    }

    /// The text of a robot file, and what it cannot represent.
    fn _convert(&self, py: Python<'_>, format: &str) -> PyResult<(String, Vec<String>)> {
        let description = self.description(py)?;
        let result = match format {
            "urdf" => armdyn_import::to_urdf(description),
            "mjcf" => armdyn_import::to_mjcf(description),
            _ => Ok((armdyn_import::to_toml(description), vec![])),
        };
        let (text, losses) = result.map_err(|e| errors::error(py, &e.to_string()))?;
        Ok((text, losses.into_iter().map(|l| format!("{}: {}", l.subject, l.message)).collect()))
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.inner.model.name()
    }

    /// What its file says about it.
    #[getter]
    fn summary(&self) -> Option<&str> {
        self.inner.loaded.description.as_ref()?.summary.as_deref()
    }

    /// The source of its parameters.
    #[getter]
    fn origin(&self) -> Option<&str> {
        self.inner.loaded.description.as_ref()?.origin.as_deref()
    }

    /// The number of coordinates q.
    #[getter]
    fn nq(&self) -> usize {
        self.inner.model.nq()
    }

    /// The number of degrees of freedom.
    #[getter]
    fn nv(&self) -> usize {
        self.inner.model.nv()
    }

    /// The mass of all links [kg].
    #[getter]
    fn mass(&self) -> f64 {
        self.inner.model.total_mass()
    }

    /// The gravitational acceleration [m/s²].
    #[getter]
    fn gravity_vector<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, &self.inner.model.gravity().to_array())
    }

    /// The names of the degrees of freedom.
    #[getter]
    fn joint_names(&self) -> Vec<String> {
        self.inner.model.dof_names().to_vec()
    }

    /// The names of the coordinates of q.
    #[getter]
    fn coordinate_names(&self) -> Vec<String> {
        self.inner.model.coordinate_names()
    }

    /// The names of the links, of which the first is the base.
    #[getter]
    fn link_names(&self) -> Vec<String> {
        self.inner.model.links().iter().map(|l| l.name.clone()).collect()
    }

    /// The link of the tool.
    #[getter]
    fn tool_link(&self) -> Option<String> {
        let m = &self.inner.model;
        m.tool().ok().map(|tool| m.links()[tool.link].name.clone())
    }

    /// The unit of each joint torque or force.
    #[getter]
    fn torque_units(&self) -> Vec<&'static str> {
        (0..self.inner.model.nv()).map(|v| self.inner.model.torque_unit(v)).collect()
    }

    /// The unit of each joint position.
    #[getter]
    fn position_units(&self) -> Vec<&'static str> {
        (0..self.inner.model.nv()).map(|v| if self.inner.model.is_rotational(v) { "rad" } else { "m" }).collect()
    }

    /// Lower limits of the joint positions [rad, m]; -inf without a limit.
    #[getter]
    fn lower<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.limits(py, |l| l.lower)
    }

    /// Upper limits of the joint positions [rad, m]; inf without a limit.
    #[getter]
    fn upper<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.limits(py, |l| l.upper)
    }

    /// Limits of the joint speeds [rad/s, m/s]; inf without a limit.
    #[getter]
    fn velocity_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.limits(py, |l| l.speed)
    }

    /// Lower and upper limit of each joint torque [N m] or force [N]; infinite without a limit.
    #[getter]
    fn effort_limits<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let pairs: Vec<Vec<f64>> =
            self.inner.model.limits().iter().map(|l| vec![l.effort.lower, l.effort.upper]).collect();
        // All rows have two numbers.
        PyArray2::from_vec2(py, &pairs).unwrap_or_else(|_| PyArray2::zeros(py, [0, 2], false))
    }

    /// Reflected inertia of the drives at each joint [kg m²; kg]: of rotors with their gear ratios, and armature.
    #[getter]
    fn armature<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.inner.model.reflected_inertia())
    }

    /// Viscous friction, Coulomb friction forward and backward.
    #[getter]
    fn friction<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.inner.model.friction();
        let entry = PyDict::new(py);
        let column = |f: fn(&armdyn_core::Friction<f64>) -> f64| PyArray1::from_vec(py, all.iter().map(f).collect());
        entry.set_item("viscous", column(|f| f.viscous))?;
        entry.set_item("coulomb_forward", column(|f| f.coulomb_forward))?;
        entry.set_item("coulomb_backward", column(|f| f.coulomb_backward))?;
        Ok(entry)
    }

    /// The tree of joints: name, kind, axis if it has one, parent, child, placement (4 × 4), whether it follows another joint; and of
    /// each link its name, mass, centre and inertia about the centre.
    fn _structure<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let m = &self.inner.model;
        let matrix = |t: &Transform<f64>| {
            let rows = t.rotation.to_rows();
            let p = t.translation.to_array();
            let mut all: Vec<Vec<f64>> = (0..3).map(|i| [rows[i].to_vec(), vec![p[i]]].concat()).collect();
            all.push(vec![0.0, 0.0, 0.0, 1.0]);
            all
        };
        let joints = m.joints().iter().map(|j| {
            let entry = PyDict::new(py);
            entry.set_item("name", &j.name)?;
            entry.set_item("kind", j.kind.name())?;
            entry.set_item("parent", &m.links()[j.parent].name)?;
            entry.set_item("child", &m.links()[j.child].name)?;
            entry.set_item("placement", matrix(&j.placement))?;
            let axis = match j.kind {
                JointKind::Revolute { axis } | JointKind::Prismatic { axis } => Some(axis),
                _ => None,
            };
            entry.set_item("axis", axis)?;
            entry.set_item("follows", j.v.is_empty() && j.kind != JointKind::Fixed)?;
            Ok(entry)
        });
        let links = m.links().iter().map(|l| {
            let inertia = l.inertia();
            let entry = PyDict::new(py);
            entry.set_item("name", &l.name)?;
            entry.set_item("mass", inertia.mass)?;
            let is_massive = inertia.mass > 0.0;
            let centre = if is_massive { inertia.centre() } else { Vec3::zero() };
            entry.set_item("centre", centre.to_array())?;
            entry.set_item("inertia", if is_massive { inertia.central() } else { inertia.moments() }.to_rows())?;
            Ok(entry)
        });
        let all = PyDict::new(py);
        all.set_item("joints", joints.collect::<PyResult<Vec<_>>>()?)?;
        all.set_item("links", links.collect::<PyResult<Vec<_>>>()?)?;
        Ok(all)
    }

    /// What is unusual or wrong in the robot's file, as dictionaries with `severity`, `code`, `message`, `why`, `fix`, `file`, `line`
    /// and `column`.
    #[getter]
    fn findings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        errors::findings(py, &self.all_findings(), &self.inner.loaded.sources)
    }

    /// The number of errors among the findings.
    fn _errors(&self) -> usize {
        self.all_findings().iter().filter(|f| f.code.severity == Severity::Error).count()
    }

    /// Computes batches of any size by a compiled program: a row then has the same bits in each of them.
    fn _compile_batches(&self) {
        self.inner.is_compiled.store(true, Ordering::Relaxed);
    }

    /// The ten inertial parameters of each body, and those of the drives, with their names: τ = Y π.
    fn parameters<'py>(&self, py: Python<'py>) -> (Vec<String>, Bound<'py, PyArray1<f64>>) {
        let all = parameters(&self.inner.model);
        let names = all.iter().map(|p| p.name.clone()).collect();
        (names, PyArray1::from_vec(py, all.iter().map(|p| p.value).collect()))
    }

    /// The configuration in which every joint is at its placement.
    fn neutral<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut q = vec![0.0; self.inner.model.nq()];
        self.inner.model.neutral(&mut q).map_err(|e| errors::of_state(py, &e))?;
        Ok(PyArray1::from_vec(py, q))
    }

    /// q moved by the tangent vector v: q ⊕ v.
    fn integrate<'py>(&self, py: Python<'py>, q: Vec<f64>, v: Vec<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut out = vec![0.0; self.inner.model.nq()];
        self.inner.model.integrate(&q, &v, &mut out).map_err(|e| errors::of_state(py, &e))?;
        Ok(PyArray1::from_vec(py, out))
    }

    /// The tangent vector from q0 to q1: q1 ⊖ q0.
    fn difference<'py>(&self, py: Python<'py>, q0: Vec<f64>, q1: Vec<f64>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut out = vec![0.0; self.inner.model.nv()];
        self.inner.model.difference(&q0, &q1, &mut out).map_err(|e| errors::of_state(py, &e))?;
        Ok(PyArray1::from_vec(py, out))
    }

    /// Configurations from rows of uniform numbers between 0 and 1, within the joint limits where there are any.
    fn _random<'py>(&self, py: Python<'py>, uniform: Array<'py, f64>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let &[count, width] = uniform.shape() else { return Err(errors::value("`uniform` has no rows".into())) };
        let m = &self.inner.model;
        let mut q = vec![0.0; count * m.nq()];
        for (row, q) in numbers(&uniform).chunks(width.max(1)).zip(q.chunks_mut(m.nq().max(1))) {
            let mut left = row.iter();
            m.random(|| left.next().copied().unwrap_or(0.5), q).map_err(|e| errors::of_state(py, &e))?;
        }
        PyArray1::from_vec(py, q).reshape([count, m.nq()])
    }

    /// Inverse dynamics: joint torques of a motion (recursive Newton–Euler), with friction and rotors.
    ///
    /// Args:
    ///     q: joint positions [rad, m], of one state or one row per state.
    ///     v: joint velocities.
    ///     a: joint accelerations.
    ///     out: array for the result.
    ///     device: "cuda" computes batches on all NVIDIA GPUs.
    ///
    /// Returns:
    ///     Torques [N m] and forces [N], (nv,) or (B, nv).
    ///
    /// >>> robot.rnea(q, np.zeros(7), np.zeros(7))[1:6].round(3)
    /// array([-2.233, -0.586, 16.734,  0.61 ,  1.794])
    #[pyo3(signature = (q, v, a, *, out = None, device = None))]
    fn rnea<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        out: Given<'_, 'py>,
        device: Option<&str>,
    ) -> Any<'py> {
        self.compute(py, Quantity::Program(Program::Inverse), [("q", q), ("v", v), ("a", a)], Target { out, device })
    }

    /// The wrench that each joint transmits to its child link: forces [N] and moments [N m]. Fixed joints are included.
    ///
    /// Args:
    ///     q: joint positions.
    ///     v: joint velocities.
    ///     a: joint accelerations.
    ///     axes: "link": axes of the child link, about its origin; "parent": axes of the parent link; "base": axes of the base, about the
    ///         child link's origin; "origin": axes of the base, about its origin.
    ///     out: array for the result.
    ///
    /// Returns:
    ///     (joints, 2, 3) or (B, joints, 2, 3): force and moment of each joint.
    ///
    /// >>> robot.joint_wrenches(q, 0 * q, 0 * q, axes="base")[0, 0].round(2)
    /// array([  0.  ,   0.  , 157.57])
    #[pyo3(signature = (q, v, a, *, axes = "link", out = None))]
    fn joint_wrenches<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        axes: &str,
        out: Given<'_, 'py>,
    ) -> Any<'py> {
        let frame = match axes {
            "link" => WrenchFrame::Local,
            "parent" => WrenchFrame::Parent,
            "base" => WrenchFrame::LocalWorldAligned,
            "origin" => WrenchFrame::World,
            other => {
                return Err(errors::value(format!(
                    "invalid `axes={other:?}`: expected \"link\" (axes of the child link), \"parent\" (axes of the parent link), \"base\" \
                     (axes of the base), or \"origin\" (axes of the base, moments about its origin)"
                )));
            }
        };
        self.compute(py, Quantity::Wrenches(frame), [("q", q), ("v", v), ("a", a)], Target { out, device: None })
    }

    /// The base parameters: name, formula and value of each.
    fn _base_parameters(&self, py: Python<'_>) -> PyResult<Vec<(String, String, f64)>> {
        let found = py.detach(|| base_parameters(&self.inner.model));
        let all = found.map_err(|e| errors::error(py, &e.to_string()))?;
        Ok(all.into_iter().map(|p| (p.name, p.formula, p.value)).collect())
    }

    /// The configuration closest to zero within the joint limits.
    fn _configuration<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = embedding::configuration(&self.inner.model).map_err(|e| errors::of_state(py, &e))?;
        Ok(PyArray1::from_vec(py, q))
    }

    /// A drawing of the robot, as SVG.
    fn _picture(&self, py: Python<'_>, q: Vec<f64>) -> PyResult<String> {
        let [isometric, ..] = armdyn_plot::skeleton(&self.inner.model, &q).map_err(|e| errors::of_state(py, &e))?;
        Ok(isometric.svg())
    }

    /// A page that shows the robot in 3-D: configurations at ascending times, and torques if they are known.
    fn _page(&self, py: Python<'_>, t: Vec<f64>, q: Vec<Vec<f64>>, tau: Option<Vec<Vec<f64>>>) -> PyResult<String> {
        let description = self.description(py)?;
        let mut motion = armdyn_scene::Motion::new(&t, &q);
        motion.tau = tau.as_deref();
        let page = py.detach(|| embedding::animation(description, &self.inner.model, &motion));
        page.map_err(|e| errors::error(py, &e.message))
    }

    /// Forward dynamics: joint accelerations of torques (articulated bodies).
    ///
    /// Args:
    ///     q: joint positions [rad, m].
    ///     v: joint velocities.
    ///     tau: joint torques [N m] and forces [N].
    ///     out: array for the result.
    ///     device: "cuda" computes batches on all NVIDIA GPUs.
    ///
    /// Returns:
    ///     Accelerations, (nv,) or (B, nv).
    ///
    /// >>> v = np.full(7, 0.1)
    /// >>> bool(np.allclose(robot.aba(q, v, robot.rnea(q, v, np.ones(7))), 1))
    /// True
    #[pyo3(signature = (q, v, tau, *, out = None, device = None))]
    fn aba<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        out: Given<'_, 'py>,
        device: Option<&str>,
    ) -> Any<'py> {
        self.compute(
            py,
            Quantity::Program(Program::Forward),
            [("q", q), ("v", v), ("tau", tau)],
            Target { out, device },
        )
    }

    /// Mass matrix M(q), with the inertia of rotors (composite rigid bodies).
    ///
    /// Returns:
    ///     (nv, nv) or (B, nv, nv), symmetric.
    ///
    /// >>> bool(np.allclose(robot.crba(q) @ np.ones(7), robot.rnea(q, 0 * q, np.ones(7)) - robot.gravity(q)))
    /// True
    #[pyo3(signature = (q, *, out = None, device = None))]
    fn crba<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, out: Given<'_, 'py>, device: Option<&str>) -> Any<'py> {
        self.compute(py, Quantity::Program(Program::Mass), [("q", q)], Target { out, device })
    }

    /// Inverse of the mass matrix.
    ///
    /// >>> bool(np.allclose(robot.minverse(q) @ robot.crba(q), np.eye(7)))
    /// True
    #[pyo3(signature = (q, *, out = None, device = None))]
    fn minverse<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, out: Given<'_, 'py>, device: Option<&str>) -> Any<'py> {
        self.compute(py, Quantity::Program(Program::InverseMass), [("q", q)], Target { out, device })
    }

    /// Bias torques (nonlinear effects): Coriolis, centrifugal and gravity torques, without joint friction.
    ///
    /// >>> v = np.full(7, 0.1)
    /// >>> bool(np.allclose(robot.nle(q, v), robot.without_friction().rnea(q, v, np.zeros(7))))
    /// True
    #[pyo3(signature = (q, v, *, out = None, device = None))]
    fn nle<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        out: Given<'_, 'py>,
        device: Option<&str>,
    ) -> Any<'py> {
        self.compute(py, Quantity::Program(Program::Bias), [("q", q), ("v", v)], Target { out, device })
    }

    /// Gravity torques g(q).
    ///
    /// >>> robot.with_gravity(0).gravity(q).any()
    /// np.False_
    #[pyo3(signature = (q, *, out = None, device = None))]
    fn gravity<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, out: Given<'_, 'py>, device: Option<&str>) -> Any<'py> {
        self.compute(py, Quantity::Program(Program::Gravity), [("q", q)], Target { out, device })
    }

    /// Coriolis matrix C(q, v) of Christoffel symbols: C v are the velocity torques, and Ṁ − 2 C is skew-symmetric.
    ///
    /// >>> v = np.full(7, 0.1)
    /// >>> bool(np.allclose(robot.coriolis(q, v) @ v + robot.gravity(q), robot.nle(q, v)))
    /// True
    #[pyo3(signature = (q, v, *, out = None))]
    fn coriolis<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, v: Value<'_, 'py>, out: Given<'_, 'py>) -> Any<'py> {
        self.compute(py, Quantity::Coriolis, [("q", q), ("v", v)], Target { out, device: None })
    }

    /// Christoffel symbols of the first kind: element [i, j, k] times v[j] v[k], summed, is velocity torque i.
    ///
    /// >>> v = np.full(7, 0.1)
    /// >>> bool(np.allclose(np.einsum("ijk,k->ij", robot.christoffel(q), v), robot.coriolis(q, v)))
    /// True
    #[pyo3(signature = (q, *, out = None))]
    fn christoffel<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, out: Given<'_, 'py>) -> Any<'py> {
        self.compute(py, Quantity::Christoffel, [("q", q)], Target { out, device: None })
    }

    /// Regressor Y(q, v, a): torques are Y π with the parameters π of `parameters()`.
    ///
    /// >>> _, p = robot.parameters()
    /// >>> bool(np.allclose(robot.regressor(q, q, q) @ p, robot.rnea(q, q, q)))
    /// True
    #[pyo3(signature = (q, v, a, *, out = None, device = None))]
    fn regressor<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        out: Given<'_, 'py>,
        device: Option<&str>,
    ) -> Any<'py> {
        self.compute(py, Quantity::Program(Program::Regressor), [("q", q), ("v", v), ("a", a)], Target { out, device })
    }

    /// Derivatives of inverse dynamics: ∂τ/∂q and ∂τ/∂v; ∂τ/∂a is the mass matrix.
    ///
    /// `out` is one array, (2, nv, nv) or (B, 2, nv, nv).
    ///
    /// >>> by_q, by_v = robot.rnea_derivatives(q, 0 * q, 0 * q)
    /// >>> by_q.shape
    /// (7, 7)
    #[pyo3(signature = (q, v, a, *, out = None, device = None))]
    fn rnea_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        a: Value<'_, 'py>,
        out: Given<'_, 'py>,
        device: Option<&str>,
    ) -> Any<'py> {
        let all = self.compute(
            py,
            Quantity::Program(Program::Derivatives),
            [("q", q), ("v", v), ("a", a)],
            Target { out, device },
        )?;
        self.parts(&all, 3, 2)
    }

    /// Derivatives of forward dynamics: ∂a/∂q, ∂a/∂v and ∂a/∂τ, which is the inverse mass matrix.
    ///
    /// `out` is one array, (3, nv, nv) or (B, 3, nv, nv).
    ///
    /// >>> by_q, by_v, by_tau = robot.aba_derivatives(q, 0 * q, 0 * q)
    /// >>> bool(np.allclose(by_tau, robot.minverse(q)))
    /// True
    #[pyo3(signature = (q, v, tau, *, out = None, device = None))]
    fn aba_derivatives<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        v: Value<'_, 'py>,
        tau: Value<'_, 'py>,
        out: Given<'_, 'py>,
        device: Option<&str>,
    ) -> Any<'py> {
        let arguments = [("q", q), ("v", v), ("tau", tau)];
        let all =
            self.compute(py, Quantity::Program(Program::ForwardDerivatives), arguments, Target { out, device })?;
        self.parts(&all, 3, 3)
    }

    /// Kinetic and potential energy [J], the latter relative to the base's origin.
    ///
    /// >>> robot.energy(q, 0 * q).kinetic
    /// np.float64(0.0)
    fn energy<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, v: Value<'_, 'py>) -> Any<'py> {
        let both = self.compute(py, Quantity::Energy, [("q", q), ("v", v)], NEW)?;
        py.import("armdyn._results")?.getattr("Energy")?.call1(self.parts(&both, 1, 2)?.cast::<PyTuple>()?.clone())
    }

    /// Linear momentum, and angular momentum about the centre of mass.
    ///
    /// >>> robot.momentum(q, 0 * q).linear
    /// array([0., 0., 0.])
    fn momentum<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, v: Value<'_, 'py>) -> Any<'py> {
        let both = self.compute(py, Quantity::Momentum, [("q", q), ("v", v)], NEW)?;
        py.import("armdyn._results")?.getattr("Momentum")?.call1(self.parts(&both, 2, 2)?.cast::<PyTuple>()?.clone())
    }

    /// Position of the centre of mass [m]; with `v`, position and velocity.
    ///
    /// >>> robot.com(q).shape
    /// (3,)
    #[pyo3(signature = (q, v = None))]
    fn com<'py>(&self, py: Python<'py>, q: Value<'_, 'py>, v: Given<'_, 'py>) -> Any<'py> {
        let zero = PyArray1::<f64>::zeros(py, self.inner.model.nv(), false).into_any();
        let both = self.compute(py, Quantity::CentreOfMass, [("q", q), ("v", v.unwrap_or(&zero))], NEW)?;
        let both = self.parts(&both, 2, 2)?;
        if v.is_some() { Ok(both) } else { both.get_item(0) }
    }

    /// Pose of the tool or of a link in the base's frame (forward kinematics).
    ///
    /// Args:
    ///     q: joint positions.
    ///     link: a link; by default the tool.
    ///     point: a point of the link [m], the origin of the pose.
    ///     out: array for the result.
    ///
    /// Returns:
    ///     (4, 4) or (B, 4, 4).
    ///
    /// >>> robot.fk(q)[:3, 3].round(4)
    /// array([0.315 , 0.    , 0.7227])
    #[pyo3(signature = (q, link = None, *, point = None, out = None))]
    fn fk<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        link: Option<&str>,
        point: Option<[f64; 3]>,
        out: Given<'_, 'py>,
    ) -> Any<'py> {
        let (link, point) = self.frame(py, link, point)?;
        self.compute(py, Quantity::Pose(link, point), [("q", q)], Target { out, device: None })
    }

    /// Jacobian of the tool or of a link: linear velocity, then angular velocity, per joint velocity.
    ///
    /// Args:
    ///     q: joint positions.
    ///     link: a link; by default the tool.
    ///     point: a point of the link [m].
    ///     axes: "base": axes of the base; "link": axes of the link; "origin": axes of the base, and the linear velocity is that of the
    ///         link's point at the base's origin.
    ///     out: array for the result.
    ///
    /// Returns:
    ///     (6, nv) or (B, 6, nv).
    ///
    /// >>> robot.jacobian(q).shape
    /// (6, 7)
    #[pyo3(signature = (q, link = None, *, point = None, axes = "base", out = None))]
    fn jacobian<'py>(
        &self,
        py: Python<'py>,
        q: Value<'_, 'py>,
        link: Option<&str>,
        point: Option<[f64; 3]>,
        axes: &str,
        out: Given<'_, 'py>,
    ) -> Any<'py> {
        let (link, point) = self.frame(py, link, point)?;
        let frame = match axes {
            "base" => JacobianFrame::LocalWorldAligned,
            "link" => JacobianFrame::Local,
            "origin" => JacobianFrame::World,
            other => {
                return Err(errors::value(format!(
                    "invalid `axes={other:?}`: expected \"base\" (axes of the base), \"link\" (axes of the link), or \"origin\" (axes of \
                     the base, velocity of the point at its origin)"
                )));
            }
        };
        self.compute(py, Quantity::Jacobian(link, point, frame), [("q", q)], Target { out, device: None })
    }

    /// Joint positions for a pose: the native part of `ik`.
    #[pyo3(signature = (target, start, link, point, starts, seed, centring, all))]
    fn _ik<'py>(
        &self,
        py: Python<'py>,
        target: Vec<f64>,
        start: Vec<f64>,
        link: Option<&str>,
        point: Option<[f64; 3]>,
        starts: usize,
        seed: u64,
        centring: bool,
        all: bool,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let m = &self.inner.model;
        let (link, at) = self.frame(py, link, point)?;
        let target = match target[..] {
            [x, y, z] => armdyn_motion::Target::Position(vec3(x, y, z)),
            [xx, xy, xz, x, yx, yy, yz, y, zx, zy, zz, z] => {
                let rotation = Rotation::from_rows([[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]]);
                armdyn_motion::Target::Pose(Transform::new(rotation, vec3(x, y, z)))
            }
            _ => return Err(errors::value("a target has 3 numbers (position) or a 4 × 4 pose".into())),
        };
        let fail = |e: armdyn_numerics::Error| errors::error(py, &e.to_string());
        let options = IkOptions { starts, seed, centring, ..IkOptions::default() };
        let tool = Tool { pose: at.unwrap_or_else(Transform::identity), ..Tool::at(link, Vec3::zero()) };
        let lock = || self.inner.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = {
            let mut idle = lock();
            idle.iter().position(|ik| *ik.frame() == tool && *ik.options() == options).map(|k| idle.swap_remove(k))
        };
        let mut ik = match known {
            Some(ik) => ik,
            None => InverseKinematics::new(m, Some(tool), options).map_err(fail)?,
        };
        let mut found = if all { py.detach(|| ik.solve_all(m, &target, &start)).map_err(fail)? } else { vec![] };
        if found.is_empty() {
            let mut q = start.clone();
            let report = py.detach(|| ik.solve(m, &target, &start, &mut q)).map_err(fail)?;
            found.push((q, report));
        }
        lock().push(ik);
        let one = |(q, report): (Vec<f64>, armdyn_motion::IkReport)| {
            let entry = PyDict::new(py);
            entry.set_item("q", PyArray1::from_vec(py, q))?;
            entry.set_item("success", report.solved)?;
            entry.set_item("position_error", report.position_error)?;
            entry.set_item("rotation_error", report.rotation_error)?;
            entry.set_item("iterations", report.iterations)?;
            entry.set_item("starts", report.starts)?;
            Ok(entry)
        };
        found.into_iter().map(one).collect()
    }
}
