//! Random arms: the same data as a robot file and as finite elements.

use super::beam_fe::{Bar, Frames, V3, load, matrices};
use armdyn_core::{Force, Model, Motion, Vec3};
use armdyn_import::{Format, Options, load_text};
use armdyn_structure::{LoadCase, Structure};
use nalgebra::{Matrix3, Rotation3, SVector};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::f64::consts::PI;
use std::path::Path;

/// A mass on a link: mass, position, moments about its centre.
struct Weight {
    mass: f64,
    at: V3,
    moments: V3,
    /// Station along the beam.
    station: f64,
}

struct Link {
    axis: V3,
    end: V3,
    outer: f64,
    inner: f64,
    stiffness: Option<f64>,
    weights: Vec<Weight>,
}

pub struct Arm {
    links: Vec<Link>,
    pub case: LoadCase,
    young: f64,
    shear: f64,
    density: f64,
}

fn v3(v: Vec3<f64>) -> V3 {
    V3::new(v.x, v.y, v.z)
}

impl Arm {
    pub fn random(seed: u64) -> Self {
        let mut r = StdRng::seed_from_u64(seed);
        let mut number = |low: f64, high: f64| r.random_range(low..high);
        let mut vector = |size: f64| V3::from_fn(|_, _| number(-size, size));
        let count = 2 + (seed % 3) as usize;
        let mut links = vec![];
        for k in 0..count {
            let (axis, end) = (vector(1.0).normalize(), vector(1.0).normalize());
            let offset = vector(0.1);
            let moments = vector(1.0).abs() * 1e-3 + V3::repeat(1e-3);
            let sizes = vector(1.0).abs();
            let end = end * (0.3 + 0.7 * sizes.x);
            let outer = 0.02 + 0.06 * sizes.y;
            let inner = outer * (0.3 + 0.6 * sizes.z);
            let length = end.norm();
            let e = end / length;
            // One away from the middle of the beam, one beyond its end.
            let side = offset - e * e.dot(&offset);
            let fraction = 0.2 + 0.6 * moments.x / 2e-3;
            let fraction = fraction.clamp(0.2, 0.8);
            let middle = Weight {
                mass: 0.5 + sizes.x,
                at: end * fraction + side,
                moments: moments + V3::repeat(moments.sum()),
                station: fraction * length,
            };
            let beyond =
                Weight { mass: 0.3 + sizes.y, at: end + e * 0.05 - side, moments: V3::zeros(), station: length };
            let stiffness = (k != 1).then_some(2e3 + 2e4 * sizes.z);
            links.push(Link { axis, end, outer, inner, stiffness, weights: vec![middle, beyond] });
        }
        let n = links.len();
        let mut some = |size: f64| (0..n).map(|_| vector(size).x).collect::<Vec<f64>>();
        let mut case = LoadCase::moving(&some(3.0), &some(2.0), &some(5.0));
        let mut vec3 = |size: f64| Vec3::lift(vector(size).into());
        case.base_velocity = Motion::new(vec3(0.5), vec3(0.5));
        case.base_acceleration = Motion::new(vec3(1.0), vec3(2.0));
        case.tool_wrench = Force::new(vec3(3.0), vec3(20.0));
        Arm { links, case, young: 70e9, shear: 27e9, density: 2700.0 }
    }

    /// The arm as a robot file.
    pub fn structure(&self) -> (Structure, Model<f64>) {
        let mut text = format!(
            "version = 1\nname = \"random\"\n[material.m]\nE = {:?}\nG = {:?}\ndensity = {:?}\nyield = 2e8\n",
            self.young, self.shear, self.density
        );
        for (k, l) in self.links.iter().enumerate() {
            text += &format!("[section.s{k}]\nkind = \"tube\"\nouter = {:?}\ninner = {:?}\n", l.outer, l.inner);
        }
        let list = |v: &V3| format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z);
        let mut origin = V3::zeros();
        for (k, l) in self.links.iter().enumerate() {
            let length = l.end.norm();
            // The tube as a part: a rod with the section's moments, in axes along it.
            let e = l.end / length;
            let bar = self.bar(l);
            let mass = bar.mu * length;
            let (around, across) = (bar.slice[0] * length, bar.slice[1] * length + mass * length * length / 12.0);
            let t = Matrix3::identity() * across + e * e.transpose() * (around - across);
            let mut bodies = format!(
                "{{ kind = \"solid\", name = \"tube\", mass = {mass:?}, inertia = {{ about = \"centre\", xx = {:?}, yy = {:?}, zz = {:?}, xy = {:?}, xz = {:?}, yz = {:?} }}, at = {{ xyz = {} }} }}",
                t[(0, 0)],
                t[(1, 1)],
                t[(2, 2)],
                t[(0, 1)],
                t[(0, 2)],
                t[(1, 2)],
                list(&(l.end / 2.0))
            );
            for (i, w) in l.weights.iter().enumerate() {
                bodies += &format!(
                    ", {{ kind = \"solid\", name = \"w{i}\", mass = {:?}, inertia = {{ about = \"centre\", xx = {:?}, yy = {:?}, zz = {:?} }}, at = {{ xyz = {} }} }}",
                    w.mass,
                    w.moments.x,
                    w.moments.y,
                    w.moments.z,
                    list(&w.at)
                );
            }
            let stiffness = l.stiffness.map(|k| format!(", stiffness = {k:?}")).unwrap_or_default();
            let end = if k + 1 == self.links.len() { format!(", end = {}", list(&l.end)) } else { String::new() };
            text += &format!(
                "[[link]]\nname = \"l{k}\"\njoint = {{ name = \"j{k}\", kind = \"revolute\", axis = {}, origin = {{ xyz = {} }}{stiffness} }}\nbeam = {{ section = \"s{k}\", material = \"m\", length = {length:?}{end} }}\nbodies = [{bodies}]\n",
                list(&l.axis),
                list(&origin)
            );
            origin = l.end;
        }
        let loaded = load_text(Path::new("random.toml"), text.clone(), Format::Toml, &Options::default());
        let description = loaded.description.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.findings));
        let model = description.model().expect("a model");
        (Structure::new(&model, None).expect("a structure"), model)
    }

    /// Properties of a tube, by the handbook: Cowper's κ with m = inner/outer.
    fn bar(&self, l: &Link) -> Bar {
        let (o, i) = (l.outer, l.inner);
        let area = PI / 4.0 * (o * o - i * i);
        let second = PI / 64.0 * (o.powi(4) - i.powi(4));
        let nu = self.young / (2.0 * self.shear) - 1.0;
        let m = i / o;
        let kappa = 6.0 * (1.0 + nu) * (1.0 + m * m).powi(2)
            / ((7.0 + 6.0 * nu) * (1.0 + m * m).powi(2) + (20.0 + 12.0 * nu) * m * m);
        Bar {
            ea: self.young * area,
            gj: self.shear * 2.0 * second,
            ei: [self.young * second; 2],
            kga: [kappa * self.shear * area; 2],
            mu: self.density * area,
            slice: [2.0, 1.0, 1.0].map(|x| x * self.density * second),
        }
    }

    /// The arm as finite elements, with a number per beam segment; the frames at the ends of the links.
    pub fn frames(&self, elements: usize, shear: bool) -> (Frames, Vec<usize>) {
        let l = &self.case;
        let (mut turn, mut at) = (Matrix3::identity(), V3::zeros());
        // The motion of the frame at `at`, by the chain rule of rotating frames; gravity is an acceleration of the base.
        let (mut w, mut alpha) = (v3(l.base_velocity.angular), v3(l.base_acceleration.angular));
        let mut a = v3(l.base_acceleration.linear) + V3::new(0.0, 0.0, 9.81);
        let mut frames = Frames::new(at);
        let (mut last, mut ends) = (0, vec![]);
        for (k, link) in self.links.iter().enumerate() {
            let axis = turn * link.axis;
            turn *= Rotation3::from_axis_angle(&nalgebra::Unit::new_normalize(link.axis), l.q[k]).matrix();
            alpha += w.cross(&(axis * l.qd[k])) + axis * l.qdd[k];
            w += axis * l.qd[k];
            let field = |r: V3| a + alpha.cross(&r) + w.cross(&w.cross(&r));
            last = frames.hinged(last, at, axis, link.stiffness);
            let length = link.end.norm();
            let e = turn * link.end / length;
            let other = if e.x.abs() < 0.7 { V3::x() } else { V3::y() };
            let y = e.cross(&other).normalize();
            let axes = Matrix3::from_columns(&[e, y, e.cross(&y)]);
            let bar = self.bar(link);
            let mut stops = vec![0.0];
            stops.extend(link.weights.iter().map(|w| w.station));
            stops.dedup();
            for pair in stops.windows(2) {
                let step = (pair[1] - pair[0]) / elements as f64;
                let [stiff, mass, _] = matrices(&bar, step, shear);
                for i in 0..elements {
                    let from = pair[0] + step * i as f64;
                    let next = frames.frame(at + e * (from + step));
                    let turned = |v: V3| axes.transpose() * v;
                    let (lw, la) = (turned(w), turned(alpha));
                    let slice = V3::from(bar.slice);
                    let about = -(slice.component_mul(&la) + lw.cross(&slice.component_mul(&lw)));
                    let along = |x: f64| (turned(field(e * (from + x * step))) * -bar.mu, about);
                    let work: SVector<f64, 12> = load(&bar, step, shear, along);
                    frames.element(last, next, axes, stiff, mass, work);
                    last = next;
                }
                for weight in link.weights.iter().filter(|x| x.station == pair[1]) {
                    let r = turn * weight.at;
                    let tensor = turn * Matrix3::from_diagonal(&weight.moments) * turn.transpose();
                    let moment = -(tensor * alpha + w.cross(&(tensor * w)));
                    frames.mass(last, weight.mass, at + r, tensor, field(r) * -weight.mass, moment);
                }
            }
            ends.push(last);
            (a, at) = (field(turn * link.end), at + turn * link.end);
        }
        frames.push(last, v3(l.tool_wrench.force), v3(l.tool_wrench.moment));
        (frames, ends)
    }
}
