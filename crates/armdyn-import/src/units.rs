//! Units by quantity, and values with a unit: `"400 mm"`.
//!
//! A factor is a quotient of two numbers that are exact in binary, so that a conversion is correctly rounded:
//! 35 mm is the number nearest to 0.035. The pound (0.453 592 37 kg), the inch (0.0254 m) and the standard acceleration of
//! gravity (9.806 65 m/s²) are exact by definition; the ounce is a sixteenth of a pound. Angles are converted by way of revolutions: 90 deg
//! is π/2 to the last bit.

use std::f64::consts::TAU;

/// Physical quantity of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    Number,
    Length,
    Angle,
    Mass,
    Inertia,
    Force,
    Torque,
    Speed,
    AngularSpeed,
    Acceleration,
    Density,
    LinearViscous,
    Viscous,
    Modulus,
    Area,
    SecondMoment,
    Flexural,
    Stiffness,
    TurningStiffness,
}

/// A unit: its name, and x units = x · `times` / `over` in SI.
pub(crate) struct Unit {
    pub name: &'static str,
    times: f64,
    over: f64,
}

/// 1 lb [kg] is this over 1e8.
const POUND: f64 = 45_359_237.0;
/// 1 lbf [N] is this over 1e13.
const POUND_FORCE: f64 = 44_482_216_152_605.0;
/// 1 in [m] is 127/5000, 1 ft is 381/1250.
const INCH: (f64, f64) = (127.0, 5000.0);
const FOOT: (f64, f64) = (381.0, 1250.0);

const fn unit(name: &'static str, times: f64, over: f64) -> Unit {
    Unit { name, times, over }
}

impl Unit {
    /// In SI.
    pub fn convert(&self, x: f64) -> f64 {
        if self.times == TAU { x / self.over * TAU } else { x * self.times / self.over }
    }
}

impl Quantity {
    /// All quantities with units.
    pub const ALL: [Quantity; 18] = [
        Quantity::Length,
        Quantity::Angle,
        Quantity::Mass,
        Quantity::Inertia,
        Quantity::Force,
        Quantity::Torque,
        Quantity::Speed,
        Quantity::AngularSpeed,
        Quantity::Acceleration,
        Quantity::Density,
        Quantity::LinearViscous,
        Quantity::Viscous,
        Quantity::Modulus,
        Quantity::Area,
        Quantity::SecondMoment,
        Quantity::Flexural,
        Quantity::Stiffness,
        Quantity::TurningStiffness,
    ];

    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Number => "a plain number",
            Quantity::Length => "length",
            Quantity::Angle => "angle",
            Quantity::Mass => "mass",
            Quantity::Inertia => "inertia",
            Quantity::Force => "force",
            Quantity::Torque => "torque",
            Quantity::Speed => "speed",
            Quantity::AngularSpeed => "angular speed",
            Quantity::Acceleration => "acceleration",
            Quantity::Density => "density",
            Quantity::LinearViscous => "viscous friction of a prismatic joint",
            Quantity::Viscous => "viscous friction",
            Quantity::Modulus => "modulus",
            Quantity::Area => "area",
            Quantity::SecondMoment => "second moment of area",
            Quantity::Flexural => "bending or torsional stiffness",
            Quantity::Stiffness => "stiffness",
            Quantity::TurningStiffness => "stiffness of a revolute joint",
        }
    }

    /// Its units, the SI unit first.
    pub fn units(self) -> &'static [Unit] {
        match self {
            Quantity::Number => &[],
            Quantity::Length => {
                const {
                    &[
                        unit("m", 1.0, 1.0),
                        unit("mm", 1.0, 1e3),
                        unit("cm", 1.0, 1e2),
                        unit("km", 1e3, 1.0),
                        unit("in", INCH.0, INCH.1),
                        unit("ft", FOOT.0, FOOT.1),
                        unit("um", 1.0, 1e6),
                    ]
                }
            }
            Quantity::Angle => const { &[unit("rad", 1.0, 1.0), unit("deg", TAU, 360.0), unit("turn", TAU, 1.0)] },
            Quantity::Mass => {
                const {
                    &[
                        unit("kg", 1.0, 1.0),
                        unit("g", 1.0, 1e3),
                        unit("t", 1e3, 1.0),
                        unit("lb", POUND, 1e8),
                        unit("oz", POUND, 16e8),
                        unit("oz-s2/in", POUND_FORCE, 16e13 / INCH.1 * INCH.0),
                    ]
                }
            }
            Quantity::Inertia => {
                const {
                    &[
                        unit("kg-m2", 1.0, 1.0),
                        unit("g-mm2", 1.0, 1e9),
                        unit("g-cm2", 1.0, 1e7),
                        unit("kg-mm2", 1.0, 1e6),
                        unit("kg-cm2", 1.0, 1e4),
                        unit("oz-in-s2", POUND_FORCE * INCH.0, 16e13 * INCH.1),
                        unit("lb-in2", POUND * INCH.0 * INCH.0, 1e8 * INCH.1 * INCH.1),
                        unit("lb-ft2", POUND * FOOT.0 * FOOT.0, 1e8 * FOOT.1 * FOOT.1),
                        unit("oz-in2", POUND * INCH.0 * INCH.0, 16e8 * INCH.1 * INCH.1),
                    ]
                }
            }
            Quantity::Force => {
                const {
                    &[
                        unit("N", 1.0, 1.0),
                        unit("kN", 1e3, 1.0),
                        unit("lbf", POUND_FORCE, 1e13),
                        unit("oz", POUND_FORCE, 16e13),
                        unit("ozf", POUND_FORCE, 16e13),
                        unit("kgf", 980_665.0, 1e5),
                    ]
                }
            }
            Quantity::Torque => {
                const {
                    &[
                        unit("N-m", 1.0, 1.0),
                        unit("mN-m", 1.0, 1e3),
                        unit("N-mm", 1.0, 1e3),
                        unit("oz-in", POUND_FORCE * INCH.0, 16e13 * INCH.1),
                        unit("lb-in", POUND_FORCE * INCH.0, 1e13 * INCH.1),
                        unit("lb-ft", POUND_FORCE / 5.0 * FOOT.0, 2e12 * FOOT.1),
                        unit("kgf-cm", 980_665.0, 1e7),
                    ]
                }
            }
            Quantity::Speed => const { &[unit("m/s", 1.0, 1.0), unit("mm/s", 1.0, 1e3)] },
            Quantity::AngularSpeed => {
                const { &[unit("rad/s", 1.0, 1.0), unit("deg/s", TAU, 360.0), unit("rpm", TAU, 60.0)] }
            }
            Quantity::Acceleration => {
                const {
                    &[
                        unit("m/s2", 1.0, 1.0),
                        unit("mm/s2", 1.0, 1e3),
                        unit("ft/s2", FOOT.0, FOOT.1),
                        unit("in/s2", INCH.0, INCH.1),
                        unit("g0", 980_665.0, 1e5),
                    ]
                }
            }
            Quantity::Density => {
                const { &[unit("kg/m3", 1.0, 1.0), unit("g/cm3", 1e3, 1.0), unit("lb/in3", POUND * 1250.0, 2_048_383.0)] }
            }
            Quantity::LinearViscous => const { &[unit("N-s/m", 1.0, 1.0)] },
            Quantity::Viscous => {
                const { &[unit("N-m-s/rad", 1.0, 1.0), unit("oz-in-s/rad", POUND_FORCE * INCH.0, 16e13 * INCH.1)] }
            }
            Quantity::Modulus => {
                const {
                    &[
                        unit("Pa", 1.0, 1.0),
                        unit("MPa", 1e6, 1.0),
                        unit("GPa", 1e9, 1.0),
                        unit("psi", POUND_FORCE, 4e5 * INCH.0 * INCH.0),
                    ]
                }
            }
            Quantity::Area => {
                const {
                    &[
                        unit("m2", 1.0, 1.0),
                        unit("mm2", 1.0, 1e6),
                        unit("cm2", 1.0, 1e4),
                        unit("in2", INCH.0 * INCH.0, INCH.1 * INCH.1),
                    ]
                }
            }
            Quantity::SecondMoment => {
                const {
                    &[
                        unit("m4", 1.0, 1.0),
                        unit("mm4", 1.0, 1e12),
                        unit("cm4", 1.0, 1e8),
                        unit("in4", INCH.0 * INCH.0 * INCH.0 * INCH.0, INCH.1 * INCH.1 * INCH.1 * INCH.1),
                    ]
                }
            }
            Quantity::Flexural => const { &[unit("N-m2", 1.0, 1.0)] },
            Quantity::Stiffness => const { &[unit("N/m", 1.0, 1.0), unit("N/mm", 1e3, 1.0), unit("kN/m", 1e3, 1.0)] },
            Quantity::TurningStiffness => const { &[unit("N-m/rad", 1.0, 1.0), unit("kN-m/rad", 1e3, 1.0)] },
        }
    }

    /// Looks up a unit by name.
    pub fn unit(self, name: &str) -> Option<&'static Unit> {
        let name = plain(name);
        self.units().iter().find(|u| u.name == name)
    }

    /// A list of its units: `m, mm, cm`.
    pub fn list(self) -> String {
        self.units().iter().map(|u| u.name).collect::<Vec<_>>().join(", ")
    }
}

/// `kg m2`, `kg*m^2`, `kg·m²` → `kg-m2`; `Nm` → `N-m`.
fn plain(name: &str) -> String {
    let mut text = String::new();
    for c in name.trim().chars() {
        match c {
            ' ' | '*' | '·' | '⋅' => text.push('-'),
            '^' => {}
            '²' => text.push('2'),
            '³' => text.push('3'),
            'µ' | 'μ' => text.push('u'),
            c => text.push(c),
        }
    }
    match text.as_str() {
        "Nm" => "N-m".to_string(),
        "mNm" => "mN-m".to_string(),
        "Nmm" => "N-mm".to_string(),
        _ => text,
    }
}

/// Why a string is not a valid value.
#[derive(Debug, PartialEq)]
pub(crate) enum Fault {
    /// It does not start with a number.
    NoNumber,
    /// The unit is missing.
    NoUnit,
    /// Unknown unit for the quantity, and another quantity that has this unit.
    Unit(String, Option<Quantity>),
    /// A number is not finite, or overflows in the conversion.
    NotFinite,
}

/// Parses numbers followed by one unit, in SI units.
pub(crate) fn parse(text: &str, quantity: Quantity) -> Result<Vec<f64>, Fault> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers: Vec<f64> = words.iter().map_while(|w| w.parse().ok()).collect();
    if numbers.is_empty() {
        return Err(Fault::NoNumber);
    }
    if numbers.iter().any(|x| !x.is_finite()) {
        return Err(Fault::NotFinite);
    }
    let name = words.get(numbers.len()..).unwrap_or_default().join(" ");
    if name.is_empty() {
        return Err(Fault::NoUnit);
    }
    let Some(unit) = quantity.unit(&name) else {
        let other = Quantity::ALL.into_iter().find(|q| q.unit(&name).is_some());
        return Err(Fault::Unit(name, other));
    };
    let converted: Vec<f64> = numbers.iter().map(|&x| unit.convert(x)).collect();
    if converted.iter().all(|x| x.is_finite()) { Ok(converted) } else { Err(Fault::NotFinite) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    /// Against decimal arithmetic with the definitions of pound, inch and standard gravity.
    #[test]
    fn one_of_each_unit() {
        use Quantity::*;
        let table: &[(Quantity, &str, f64)] = &[
            (Length, "m", 1.0),
            (Length, "mm", 1e-3),
            (Length, "cm", 1e-2),
            (Length, "km", 1e3),
            (Length, "in", 2.54e-2),
            (Length, "ft", 3.048e-1),
            (Length, "um", 1e-6),
            (Angle, "rad", 1.0),
            (Angle, "deg", 1.745_329_251_994_33e-2),
            (Angle, "turn", 2.0 * std::f64::consts::PI),
            (Mass, "kg", 1.0),
            (Mass, "g", 1e-3),
            (Mass, "t", 1e3),
            (Mass, "lb", 4.535_923_7e-1),
            (Mass, "oz", 2.834_952_312_5e-2),
            (Mass, "oz-s2/in", 10.945_427_202_904_77),
            (Inertia, "kg-m2", 1.0),
            (Inertia, "g-mm2", 1e-9),
            (Inertia, "g-cm2", 1e-7),
            (Inertia, "kg-mm2", 1e-6),
            (Inertia, "kg-cm2", 1e-4),
            (Inertia, "oz-in-s2", 7.061_551_814_226_04e-3),
            (Inertia, "lb-in2", 2.926_396_534_292e-4),
            (Inertia, "lb-ft2", 4.214_011_009_380_48e-2),
            (Inertia, "oz-in2", 1.828_997_833_932_5e-5),
            (Force, "N", 1.0),
            (Force, "kN", 1e3),
            (Force, "lbf", 4.448_221_615_260_5),
            (Force, "oz", 2.780_138_509_537_81e-1),
            (Force, "ozf", 2.780_138_509_537_81e-1),
            (Force, "kgf", 9.806_65),
            (Torque, "N-m", 1.0),
            (Torque, "mN-m", 1e-3),
            (Torque, "N-mm", 1e-3),
            (Torque, "oz-in", 7.061_551_814_226_04e-3),
            (Torque, "lb-in", 1.129_848_290_276_17e-1),
            (Torque, "lb-ft", 1.355_817_948_331_4),
            (Torque, "kgf-cm", 9.806_65e-2),
            (Speed, "m/s", 1.0),
            (Speed, "mm/s", 1e-3),
            (AngularSpeed, "rad/s", 1.0),
            (AngularSpeed, "deg/s", 1.745_329_251_994_33e-2),
            (AngularSpeed, "rpm", 1.047_197_551_196_6e-1),
            (Acceleration, "m/s2", 1.0),
            (Acceleration, "mm/s2", 1e-3),
            (Acceleration, "ft/s2", 3.048e-1),
            (Acceleration, "in/s2", 2.54e-2),
            (Acceleration, "g0", 9.806_65),
            (Density, "kg/m3", 1.0),
            (Density, "g/cm3", 1e3),
            (Density, "lb/in3", 2.767_990_471_020_3e4),
            (LinearViscous, "N-s/m", 1.0),
            (Viscous, "N-m-s/rad", 1.0),
            (Viscous, "oz-in-s/rad", 7.061_551_814_226_04e-3),
            (Modulus, "Pa", 1.0),
            (Modulus, "MPa", 1e6),
            (Modulus, "GPa", 1e9),
            (Modulus, "psi", 6.894_757_293_168_36e3),
            (Area, "m2", 1.0),
            (Area, "mm2", 1e-6),
            (Area, "cm2", 1e-4),
            (Area, "in2", 6.4516e-4),
            (SecondMoment, "m4", 1.0),
            (SecondMoment, "mm4", 1e-12),
            (SecondMoment, "cm4", 1e-8),
            (SecondMoment, "in4", 4.162_314_256e-7),
            (Flexural, "N-m2", 1.0),
            (Stiffness, "N/m", 1.0),
            (Stiffness, "N/mm", 1e3),
            (Stiffness, "kN/m", 1e3),
            (TurningStiffness, "N-m/rad", 1.0),
            (TurningStiffness, "kN-m/rad", 1e3),
        ];
        for &(quantity, name, factor) in table {
            let found = parse(&format!("1 {name}"), quantity).unwrap()[0];
            assert!((found / factor - 1.0).abs() < 1e-13, "{name}: {found:e} against {factor:e}");
        }
        let listed: usize = Quantity::ALL.iter().map(|q| q.units().len()).sum();
        assert_eq!(listed, table.len(), "a unit that the table does not test");
    }

    #[test]
    fn decimal_conversions_round_once() {
        for k in 1..2000 {
            let expected: f64 = format!("{k}e-3").parse().unwrap();
            assert_eq!(parse(&format!("{k} mm"), Quantity::Length), Ok(vec![expected]));
        }
        assert_eq!(parse("6.375 in", Quantity::Length), Ok(vec![0.161925]));
        for (deg, rad) in [(90.0, PI / 2.0), (-90.0, -PI / 2.0), (180.0, PI), (45.0, PI / 4.0), (270.0, 1.5 * PI)] {
            assert_eq!(parse(&format!("{deg} deg"), Quantity::Angle), Ok(vec![rad]));
        }
    }

    #[test]
    fn spellings_of_one_unit() {
        for name in ["kg-m2", "kg m2", "kg*m^2", "kg·m²"] {
            assert_eq!(parse(&format!("2 {name}"), Quantity::Inertia), Ok(vec![2.0]), "{name}");
        }
        for name in ["N-m", "N m", "Nm", "N*m"] {
            assert_eq!(parse(&format!("2 {name}"), Quantity::Torque), Ok(vec![2.0]), "{name}");
        }
        assert_eq!(parse("400 0 -5e1 mm", Quantity::Length), Ok(vec![0.4, 0.0, -0.05]));
    }

    #[test]
    fn what_is_not_a_value() {
        assert_eq!(parse("long", Quantity::Length), Err(Fault::NoNumber));
        assert_eq!(parse("", Quantity::Length), Err(Fault::NoNumber));
        assert_eq!(parse("4", Quantity::Length), Err(Fault::NoUnit));
        assert_eq!(parse("4 kg", Quantity::Length), Err(Fault::Unit("kg".into(), Some(Quantity::Mass))));
        assert_eq!(parse("4 ells", Quantity::Length), Err(Fault::Unit("ells".into(), None)));
        assert_eq!(parse("nan m", Quantity::Length), Err(Fault::NotFinite));
        assert_eq!(parse("1e308 km", Quantity::Length), Err(Fault::NotFinite));
    }
}
