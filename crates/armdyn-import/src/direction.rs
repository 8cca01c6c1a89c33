//! Normalization of vectors.

/// The unit vector and the length of a vector; none if it is null. Scaled first, to avoid overflow and underflow of squares.
pub(crate) fn normalized<const N: usize>(v: [f64; N]) -> Option<([f64; N], f64)> {
    let largest = v.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let scaled = v.map(|x| x / largest);
    let length = scaled.iter().map(|x| x * x).sum::<f64>().sqrt();
    (largest > 0.0).then(|| (scaled.map(|x| x / length), largest * length))
}
