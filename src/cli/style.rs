//! Colours, few of them: what is printed through [`super::output`] loses them where nobody would see them (pipes,
//! `NO_COLOR`, `TERM=dumb`), unless `CLICOLOR_FORCE` asks for them.

use anstyle::{AnsiColor, Style};
use fedbits_spec::visible;

/// The head of a table or of a section.
pub(crate) const HEAD: Style = Style::new().bold();
/// What is there for those who look for it.
pub(crate) const DIM: Style = Style::new().dimmed();
/// A name that can be typed.
pub(crate) const NAME: Style = AnsiColor::Cyan.on_default();
/// What not to trust blindly.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// What is as it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is not.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();

/// A text for a terminal: what is from files gives it no commands. Of all control sequences styles stay.
pub(crate) fn tame(text: &str) -> String {
    let is_style = |rest: &str| {
        let end = rest.strip_prefix('[').map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
        end.is_some_and(|end| end.starts_with('m'))
    };
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map(visible).unwrap_or_default();
    parts.fold(first, |text, part| text + if is_style(part) { "\u{1b}" } else { "\\u{1b}" } + &visible(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_alone_reach_a_terminal() {
        let styled = format!("{BAD}no{BAD:#}\n\tyes");
        assert_eq!(tame(&styled), styled);
        assert_eq!(tame("a\u{1b}]0;title\u{7}b\u{1b}[2Jc\r"), r"a\u{1b}]0;title\u{7}b\u{1b}[2Jc\u{d}");
    }
}
