//! Units by quantity, and values with a unit: `"400 mm"`.
//!
//! A factor is a quotient of two numbers that are exact in binary, so that a conversion is correctly rounded:
//! 35 mm is the number nearest to 0.035. The pound (0.453 592 37 kg), the inch (0.0254 m) and the standard acceleration of
//! gravity (9.806 65 m/s²) are exact by definition; the ounce is a sixteenth of a pound. Angles are converted by way of revolutions: 90 deg
//! is π/2 to the last bit.

use std::f64::consts::TAU;

/// A unit: its name, and x units = x · `times` / `over` in SI.
pub(crate) struct Unit {
    pub name: &'static str,
    times: f64,
    over: f64,
}

impl Unit {
    /// In SI.
    pub fn convert(&self, x: f64) -> f64 {
        if self.times == TAU { x / self.over * TAU } else { x * self.times / self.over }
    }
}

/// 1 lb \[kg\] is this over 1e8.
const LB: f64 = 45_359_237.0;
/// 1 lbf \[N\] is this over 1e13.
const LBF: f64 = 44_482_216_152_605.0;
/// The standard acceleration of gravity \[m/s²\] is this over 1e5.
const G0: f64 = 980_665.0;
/// 1 in \[m\] is 127/5000, 1 ft is 381/1250.
const IN: [f64; 2] = [127.0, 5000.0];
const FT: [f64; 2] = [381.0, 1250.0];

macro_rules! quantities {
    ($($quantity:ident $name:literal: $($unit:literal $times:expr, $over:expr;)*)*) => {
        /// Physical quantity of a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Quantity { $($quantity),* }

        impl Quantity {
            pub const ALL: &[Quantity] = &[$(Quantity::$quantity),*];

            /// Name in messages.
            pub fn name(self) -> &'static str {
                match self { $(Quantity::$quantity => $name),* }
            }

            /// Its units, the SI unit first.
            pub fn units(self) -> &'static [Unit] {
                match self {
                    $(Quantity::$quantity => const { &[$(Unit { name: $unit, times: $times, over: $over }),*] }),*
                }
            }
        }
    };
}

quantities! {
    Number "a plain number":
    Length "length": "m" 1.0, 1.0; "mm" 1.0, 1e3; "cm" 1.0, 1e2; "km" 1e3, 1.0; "in" IN[0], IN[1]; "ft" FT[0], FT[1]; "um" 1.0, 1e6;
    Angle "angle": "rad" 1.0, 1.0; "deg" TAU, 360.0; "turn" TAU, 1.0;
    Mass "mass": "kg" 1.0, 1.0; "g" 1.0, 1e3; "t" 1e3, 1.0; "lb" LB, 1e8; "oz" LB, 16e8;
        "oz-s2/in" LBF, 16e13 / IN[1] * IN[0];
    Inertia "inertia": "kg-m2" 1.0, 1.0; "g-mm2" 1.0, 1e9; "g-cm2" 1.0, 1e7; "kg-mm2" 1.0, 1e6; "kg-cm2" 1.0, 1e4;
        "oz-in-s2" LBF * IN[0], 16e13 * IN[1]; "lb-in2" LB * IN[0] * IN[0], 1e8 * IN[1] * IN[1];
        "lb-ft2" LB * FT[0] * FT[0], 1e8 * FT[1] * FT[1]; "oz-in2" LB * IN[0] * IN[0], 16e8 * IN[1] * IN[1];
    Force "force": "N" 1.0, 1.0; "kN" 1e3, 1.0; "lbf" LBF, 1e13; "oz" LBF, 16e13; "ozf" LBF, 16e13; "kgf" G0, 1e5;
    Torque "torque": "N-m" 1.0, 1.0; "mN-m" 1.0, 1e3; "N-mm" 1.0, 1e3; "oz-in" LBF * IN[0], 16e13 * IN[1];
        "lb-in" LBF * IN[0], 1e13 * IN[1]; "lb-ft" LBF / 5.0 * FT[0], 2e12 * FT[1]; "kgf-cm" G0, 1e7;
    Speed "speed": "m/s" 1.0, 1.0; "mm/s" 1.0, 1e3;
    AngularSpeed "angular speed": "rad/s" 1.0, 1.0; "deg/s" TAU, 360.0; "rpm" TAU, 60.0;
    Acceleration "acceleration": "m/s2" 1.0, 1.0; "mm/s2" 1.0, 1e3; "ft/s2" FT[0], FT[1]; "in/s2" IN[0], IN[1]; "g0" G0, 1e5;
    Density "density": "kg/m3" 1.0, 1.0; "g/cm3" 1e3, 1.0; "lb/in3" LB * 1250.0, 2_048_383.0;
    LinearViscous "viscous friction of a prismatic joint": "N-s/m" 1.0, 1.0;
    Viscous "viscous friction": "N-m-s/rad" 1.0, 1.0; "oz-in-s/rad" LBF * IN[0], 16e13 * IN[1];
    Modulus "modulus": "Pa" 1.0, 1.0; "MPa" 1e6, 1.0; "GPa" 1e9, 1.0; "psi" LBF, 4e5 * IN[0] * IN[0];
    Area "area": "m2" 1.0, 1.0; "mm2" 1.0, 1e6; "cm2" 1.0, 1e4; "in2" IN[0] * IN[0], IN[1] * IN[1];
    SecondMoment "second moment of area": "m4" 1.0, 1.0; "mm4" 1.0, 1e12; "cm4" 1.0, 1e8;
        "in4" IN[0] * IN[0] * IN[0] * IN[0], IN[1] * IN[1] * IN[1] * IN[1];
    Flexural "bending or torsional stiffness": "N-m2" 1.0, 1.0;
    TorqueConstant "torque constant": "N-m/A" 1.0, 1.0; "mN-m/A" 1.0, 1e3;
    Resistance "resistance": "ohm" 1.0, 1.0; "mohm" 1.0, 1e3;
    Stiffness "stiffness": "N/m" 1.0, 1.0; "N/mm" 1e3, 1.0; "kN/m" 1e3, 1.0;
    AngularStiffness "stiffness of a revolute joint": "N-m/rad" 1.0, 1.0; "kN-m/rad" 1e3, 1.0;
}

impl Quantity {
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
        let other = Quantity::ALL.iter().copied().find(|q| q.unit(&name).is_some());
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
            (TorqueConstant, "N-m/A", 1.0),
            (TorqueConstant, "mN-m/A", 1e-3),
            (Resistance, "ohm", 1.0),
            (Resistance, "mohm", 1e-3),
            (Stiffness, "N/m", 1.0),
            (Stiffness, "N/mm", 1e3),
            (Stiffness, "kN/m", 1e3),
            (AngularStiffness, "N-m/rad", 1.0),
            (AngularStiffness, "kN-m/rad", 1e3),
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
