//! Lists of conditions: `theta2=90°, r3=1.1`.

/// `name=value, name=value`; commas within brackets do not separate.
pub fn conditions(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut depth = 0;
    let parts = text.split(|c: char| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        c == ',' && depth == 0
    });
    let each = parts.map(str::trim).filter(|c| !c.is_empty());
    each.map(|c| match c.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
        Some((name, value)) if !name.is_empty() && !value.is_empty() => Ok((name.to_string(), value.to_string())),
        _ => Err(format!("`{c}` should read NAME=VALUE")),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_split_at_outer_commas() {
        let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
        let found = conditions(" a=1, b'' = max([1, 2], x)*90°,c={D11 | a=2},").unwrap();
        assert_eq!(found, [pair("a", "1"), pair("b''", "max([1, 2], x)*90°"), pair("c", "{D11 | a=2}")]);
        for wrong in ["a", "a=1, b", "=1", "a="] {
            assert!(conditions(wrong).unwrap_err().contains("NAME=VALUE"), "{wrong}");
        }
    }
}
