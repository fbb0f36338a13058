//! The layout that all pages have: facts above, a curve in the middle, caveats and keys below.

use anstream::{AutoStream, ColorChoice};
use fedbits_spec::so_many;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use ratatui_core::widgets::Widget;
use unicode_width::UnicodeWidthStr;

/// How things look: in colours, or where nobody wants these by strength alone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    /// In colours?
    pub(crate) colors: bool,
}

impl Look {
    /// As whoever sits before the terminal wants it (`NO_COLOR`).
    pub(crate) fn of_terminal() -> Self {
        Self { colors: AutoStream::choice(&std::io::stderr()) != ColorChoice::Never }
    }

    /// A heading.
    pub(crate) fn head(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What is there for those who look for it.
    pub(crate) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    /// What not to trust blindly.
    pub(crate) fn warn(self) -> Style {
        self.colored(Color::Yellow)
    }

    /// What went wrong.
    pub(crate) fn bad(self) -> Style {
        self.colored(Color::Red).add_modifier(Modifier::BOLD)
    }

    /// The curve that matters.
    pub(crate) fn main_curve(self) -> Style {
        self.colored(Color::Cyan)
    }

    /// Another curve, by its number.
    pub(crate) fn other_curve(self, number: usize) -> Style {
        const OTHERS: [Color; 4] = [Color::Magenta, Color::Green, Color::Blue, Color::Yellow];
        self.colored(OTHERS[number % OTHERS.len()]).add_modifier(Modifier::DIM)
    }

    fn colored(self, color: Color) -> Style {
        if self.colors { Style::new().fg(color) } else { Style::new() }
    }
}

/// Rows that a curve takes at the least, its title among them.
const CURVE: u16 = 6;

/// Lines above and below a curve. Where they do not fit, the curve goes first, then the lower ones of those above.
pub(crate) fn lay_out(
    above: Vec<Line<'_>>,
    below: Vec<Line<'_>>,
    area: Rect,
    buffer: &mut Buffer,
    curve: impl FnOnce(Rect, &mut Buffer),
) {
    let below_rows = (below.len() as u16).min(area.height);
    let above_rows = (above.len() as u16).min(area.height - below_rows);
    let middle = Rect { y: area.y + above_rows, height: area.height - above_rows - below_rows, ..area };
    for (row, line) in (area.y..).zip(above.into_iter().take(usize::from(above_rows))) {
        line.render(Rect { y: row, height: 1, ..area }, buffer);
    }
    for (row, line) in (middle.bottom()..).zip(below.into_iter().take(usize::from(below_rows))) {
        line.render(Rect { y: row, height: 1, ..area }, buffer);
    }
    if middle.height >= CURVE {
        curve(middle, buffer);
    }
}

/// Facts beside each other, with two blanks between, in as many lines as the width requires.
pub(crate) fn flow(facts: &[String], width: u16) -> Vec<Line<'static>> {
    let mut lines: Vec<String> = Vec::new();
    for fact in facts.iter().filter(|fact| !fact.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 2 + fact.width() <= usize::from(width) => {
                line.push_str("  ");
                line.push_str(fact);
            }
            _ => lines.push(fact.clone()),
        }
    }
    lines.into_iter().map(Line::raw).collect()
}

/// A text at the left and one at the right; the left one gives way.
pub(crate) fn both_ends(left: &str, style: Style, right: &str, width: u16) -> Line<'static> {
    let left = shortened(left, usize::from(width).saturating_sub(right.width() + 2));
    let gap = usize::from(width).saturating_sub(left.width() + right.width());
    Line::from(vec![Span::styled(left, style), Span::raw(" ".repeat(gap) + right)])
}

/// A bar of how much is done.
pub(crate) fn bar(done: f64, cells: u16) -> String {
    let full = (done.clamp(0.0, 1.0) * f64::from(cells)) as usize;
    "█".repeat(full) + &"░".repeat(usize::from(cells) - full)
}

/// A text with `…` at its end where it does not fit.
pub(crate) fn shortened(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    for character in text.chars() {
        let mut buffer = [0; 4];
        if short.width() + character.encode_utf8(&mut buffer).width() + 1 > width {
            break;
        }
        short.push(character);
    }
    if width > 0 {
        short.push('…');
    }
    short
}

/// Rows that caveats take at most.
const CAVEATS: usize = 3;

/// The caveats, wrapped into a few rows; where they need more, the last says how many there are: all are printed at
/// the end of the command.
pub(crate) fn caveats(caveats: &[String], look: Look, width: u16) -> Vec<Line<'static>> {
    let whole = caveats.iter().flat_map(|caveat| {
        let lines = crate::cli::wrap::wrapped(caveat, usize::from(width).saturating_sub(2).max(1));
        lines
            .into_iter()
            .enumerate()
            .map(|(row, line)| if row == 0 { format!("! {line}") } else { format!("  {line}") })
    });
    let mut lines: Vec<String> = whole.collect();
    if lines.len() > CAVEATS {
        lines.truncate(CAVEATS - 1);
        let number = so_many(caveats.len(), "caveat");
        lines.push(shortened(&format!("  … ({number} in all)"), usize::from(width)));
    }
    lines.into_iter().map(|line| Line::styled(line, look.warn())).collect()
}
