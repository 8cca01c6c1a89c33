//! Names of robots and joints from untrusted files: identifiers, and text that cannot end a comment.

/// Reserved words of the languages, and reserved file names of some systems or toolchains.
const TAKEN: &str = " abstract as async auto await bool break case catch char class const continue crate default def del delete \
    do double dyn elif else end enum eval except export extern false final finally float fn for from function global goto if \
    impl import in inline int interface is lambda let lib long loop macro main match mod module move mut namespace new none \
    nonlocal not null operator or override package pass priv private protected pub public raise ref register return self \
    short signed sizeof static std struct super switch template test this throw trait true try type typedef typename typeof \
    union unsafe unsigned unsized use using var virtual void volatile where while with yield aux con nul prn core numpy \
    math armdyn ";

/// Longer names are cut: MATLAB distinguishes 63 characters.
const LONGEST: usize = 40;

/// A name as a valid identifier in every language: lower-case letters, digits and single underscores, starting with a letter.
pub(super) fn identifier(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
    }
    out.truncate(LONGEST);
    let out = out.trim_end_matches('_');
    match out.chars().next() {
        None => "robot".to_string(),
        Some(c) if c.is_ascii_digit() => format!("robot_{out}"),
        _ if TAKEN.contains(&format!(" {out} ")) => format!("{out}_robot"),
        _ => out.to_string(),
    }
}

/// A name as part of a comment line in every language: no line break, comment delimiter, escape, trigraph or bidirectional
/// control character.
pub(super) fn text(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if matches!((out.chars().last(), c), (Some('*'), '/') | (Some('/'), '*' | '/') | (Some('?'), '?')) {
            out.push(' ');
        }
        if c != '\\' && (c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric()) {
            out.push(c);
        } else {
            out.push_str(&format!("U+{:04X}", u32::from(c)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_an_identifier() {
        for (name, expected) in [
            ("panda", "panda"),
            ("Franka Emika: Panda", "franka_emika_panda"),
            ("2R", "robot_2r"),
            ("机器人", "robot"),
            ("", "robot"),
            ("while", "while_robot"),
            ("a\"; system(\"x\"); /*", "a_system_x"),
            ("../../etc/passwd", "etc_passwd"),
            ("__x__", "x"),
        ] {
            assert_eq!(identifier(name), expected);
        }
        assert_eq!(identifier(&"long ".repeat(100)).len(), 39);
    }

    #[test]
    fn no_name_ends_a_comment() {
        for (name, expected) in [
            ("arm/left", "arm/left"),
            ("*/ int x; /*", "* / int x; / *"),
            ("**//**", "** / / **"),
            ("a\nb\r\u{2028}c", "aU+000AbU+000DU+2028c"),
            ("??/", "? ?/"),
            ("\\", "U+005C"),
            ("\u{202e}abc", "U+202Eabc"),
            ("Gelenk 1, größer", "Gelenk 1, größer"),
        ] {
            assert_eq!(text(name), expected);
        }
    }
}
