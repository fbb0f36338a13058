//! Texts of files as they may be shown.

/// A text whose control characters are written out, other than line breaks and tabulators: a terminal would obey them.
/// So are those that reverse the order of what follows, by which a text can pass for another.
///
/// ```
/// assert_eq!(fedbits_spec::visible("a\u{1b}[2Jb\u{200f}c\n"), "a\\u{1b}[2Jb\\u{200f}c\n");
/// ```
#[must_use]
pub fn visible(text: &str) -> String {
    if !text.contains(is_hidden) {
        return text.to_owned();
    }
    text.chars().map(|c| if is_hidden(c) { c.escape_unicode().to_string() } else { c.to_string() }).collect()
}

fn is_hidden(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\t')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
