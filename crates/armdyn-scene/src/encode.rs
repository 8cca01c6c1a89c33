//! Arrays of numbers as Base64 text (RFC 4648): little-endian, read by the page as typed arrays.

use serde::Serializer;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Serialises single-precision numbers.
pub fn floats<S: Serializer>(values: &[f32], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&base64(values.iter().flat_map(|x| x.to_le_bytes())))
}

/// Serialises indices.
pub fn indices<S: Serializer>(values: &[u32], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&base64(values.iter().flat_map(|x| x.to_le_bytes())))
}

fn base64(bytes: impl Iterator<Item = u8>) -> String {
    let bytes: Vec<u8> = bytes.collect();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |k: usize| u32::from(chunk.get(k).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for k in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(char::from(if k <= chunk.len() { letter } else { b'=' }));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 4648, section 10.
    #[test]
    fn base64_is_that_of_the_standard() {
        let vectors = [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")];
        for (text, expected) in vectors {
            assert_eq!(base64(text.bytes()), expected);
        }
    }
}
