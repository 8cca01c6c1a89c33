//! Sine and cosine as polynomials, for code without a library: in C, in Rust and in WebAssembly.
//!
//!   n = ⌊x·2/π⌉,  r = ((x − n·P₁) − n·P₂) − n·P₃                       (1)
//!   sin r = r + r³·S(r²),  cos r = 1 − r²/2 + r⁴·C(r²),  |r| ≤ π/4      (2)
//!
//! and the quadrant n mod 4. P₁ + P₂ + P₃ = π/2, the first two so short that n times each is exact within the range. Coefficients
//! of (2) as in the core: fdlibm's for `f64`, FreeBSD's `k_sinf.c` and `k_cosf.c` for `f32`. Error below 2.5e-16 (1.3e-7) of
//! the larger of the two within the range; NaN beyond.

use super::Scalar;
use super::c::{c_number, c_real};
use super::listing::digits;

/// The constants of (1) and (2) for one number type.
pub(super) struct Sine {
    pub range: f64,
    /// Adding it rounds to an integer and puts that integer into the low bits.
    pub round: f64,
    pub parts: [f64; 3],
    /// From the highest power down.
    pub sin: &'static [f64],
    pub cos: &'static [f64],
}

pub(super) const DOUBLE: Sine = Sine {
    range: 1048576.0,
    round: 6755399441055744.0,
    parts: [1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21],
    sin: &[
        1.58969099521155e-10,
        -2.5050760253406863e-8,
        2.7557313707070068e-6,
        -0.0001984126982985795,
        0.00833333333332249,
        -0.16666666666666632,
    ],
    cos: &[
        -1.1359647557788195e-11,
        2.087572321298175e-9,
        -2.7557314351390663e-7,
        2.480158728947673e-5,
        -0.001388888888887411,
        0.0416666666666666,
    ],
};

pub(super) const SINGLE: Sine = Sine {
    range: 8192.0,
    round: 12582912.0,
    parts: [1.5703125, 0.0004837512969970703, 7.54979e-8],
    sin: &[2.718311493989822e-6, -0.00019839334836096632, 0.008333329385889463, -0.16666666641626524],
    cos: &[2.439044879627741e-5, -0.001388676377460993, 0.04166662332373906],
};

impl Sine {
    pub fn of(scalar: Scalar) -> &'static Sine {
        if scalar == Scalar::F32 { &SINGLE } else { &DOUBLE }
    }

    /// A polynomial in `z` by Horner, in C or Rust.
    fn horner(coefficients: &[f64], number: &dyn Fn(f64) -> String) -> String {
        let (first, rest) = coefficients.split_first().expect("a polynomial has coefficients");
        rest.iter().fold(number(*first), |text, c| {
            let sign = if *c < 0.0 { '-' } else { '+' };
            let inner = if text.contains(' ') { format!("({text})") } else { text };
            format!("{inner} * z {sign} {}", number(c.abs()))
        })
    }

    /// The function `name(x, *s, *c)` in C. On a GPU, n comes from the bits of a sum, which avoids a slow conversion.
    pub fn in_c(&self, opening: &str, name: &str, scalar: Scalar) -> String {
        let number = |x: f64| c_number(x, scalar);
        let [p1, p2, p3] = self.parts.map(number);
        let [zero, half, one] = [0.0, 0.5, 1.0].map(number);
        let [range, k, round] = [self.range, core::f64::consts::FRAC_2_PI, self.round].map(number);
        let (sin, cos) = (Sine::horner(self.sin, &number), Sine::horner(self.cos, &number));
        let real = c_real(scalar);
        let (bits, none) = if scalar == Scalar::F32 {
            ("__float_as_int(t)", "__int_as_float(0x7fc00000)")
        } else {
            ("__double2loint(t)", "__longlong_as_double(0x7ff8000000000000)")
        };
        let host = format!(
            "    int n = within ? (int)(x * {k} + (x < {zero} ? -{half} : {half})) : 0;\n    \
             {real} m = ({real})n, none = ({real})NAN;\n"
        );
        let device =
            format!("    {real} t = x * {k} + {round}, m = t - {round}, none = {none};\n    int n = {bits};\n");
        let whole = if opening.contains("BODY") {
            format!("#ifdef __CUDA_ARCH__\n{device}#else\n{host}#endif\n")
        } else {
            host
        };
        format!(
            "/* Sine and cosine of x, within {range} rad; NaN beyond. */\n\
             {opening} void {name}({real} x, {real} *s, {real} *c)\n{{\n    \
                 int within = x > -{range} && x < {range};\n\
             {whole}    \
                 {real} r = within ? ((x - m * {p1}) - m * {p2}) - m * {p3} : none;\n    \
                 {real} z = r * r;\n    \
                 {real} sr = r + r * z * ({sin});\n    \
                 {real} cr = {one} - ({half} * z - z * z * ({cos}));\n    \
                 {real} a = n & 1 ? cr : sr, b = n & 1 ? sr : cr;\n    \
                 *s = n & 2 ? -a : a;\n    \
                 *c = (n + 1) & 2 ? -b : b;\n}}\n\n",
        )
    }

    /// The function `name(x) -> (sin, cos)` in Rust.
    pub fn in_rust(&self, name: &str, scalar: Scalar) -> String {
        let number = |x: f64| digits(x, scalar);
        let [p1, p2, p3] = self.parts.map(number);
        format!(
            "/// Sine and cosine of x, within {range} rad; NaN beyond.\n#[inline]\n\
             fn {name}(x: {scalar}) -> ({scalar}, {scalar}) {{\n    \
                 if !(x > -{range} && x < {range}) {{\n        return ({scalar}::NAN, {scalar}::NAN);\n    }}\n    \
                 let n = (x * {k} + if x < 0.0 {{ -0.5 }} else {{ 0.5 }}) as i32;\n    \
                 let m = n as {scalar};\n    \
                 let r = ((x - m * {p1}) - m * {p2}) - m * {p3};\n    \
                 let z = r * r;\n    \
                 let s = r + r * z * ({sin});\n    \
                 let c = 1.0 - (0.5 * z - z * z * ({cos}));\n    \
                 let (s, c) = if n & 1 == 0 {{ (s, c) }} else {{ (c, s) }};\n    \
                 (if n & 2 == 0 {{ s }} else {{ -s }}, if (n + 1) & 2 == 0 {{ c }} else {{ -c }})\n}}\n\n",
            range = number(self.range),
            k = number(core::f64::consts::FRAC_2_PI),
            sin = Sine::horner(self.sin, &number),
            cos = Sine::horner(self.cos, &number),
        )
    }
}
