//! Colours, few of them: what is printed through [`super::output`] loses them where nobody would see them (pipes,
//! `NO_COLOR`, `TERM=dumb`), unless `CLICOLOR_FORCE` asks for them.

use anstyle::{AnsiColor, Style};

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
