//! Strings of YAML.

use std::fmt::Write;

/// A string in double quotes that YAML and Python read alike: ASCII alone, because YAML takes some characters beyond it
/// for line breaks.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        let written = match c {
            '"' | '\\' => write!(quoted, "\\{c}"),
            ' '..='~' => write!(quoted, "{c}"),
            c => write!(quoted, "\\U{:08x}", u32::from(c)),
        };
        written.expect("memory takes every character");
    }
    quoted + "\""
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn strings_are_ascii() {
        assert_eq!(quoted("a \"b\"\\\n\u{7f} ω\u{2028}"), r#""a \"b\"\\\U0000000a\U0000007f \U000003c9\U00002028""#);
    }
}
