//! Text in XML and HTML.

use alloc::format;
use alloc::string::String;

/// Text escaped for elements and attributes of XML and HTML; characters that XML does not allow are replaced.
///
/// ```
/// assert_eq!(armdyn_core::escape_xml("a<b> & \"c\"\n\0"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;\u{fffd}");
/// ```
#[must_use]
pub fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Unescaped, readers of attributes normalise these to spaces.
            '\t' | '\n' | '\r' => out.push_str(&format!("&#{};", u32::from(c))),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
