//! The page of a run: its arm now, the curve so far, the arms that are done.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::Line;

use super::page::{Look, bar, both_ends, caveats, flow, lay_out, shortened};
use super::plot::{self, Plotted};
use super::state::{ArmState, LiveState, MEASURES, Point};
use super::view::{View, measure_name};
use crate::cli::table::number::{Quantity, number, with_unit};
use crate::cli::units::duration;

/// Draws the page. `keys` says what the keys of the command do.
pub(crate) fn draw(state: &LiveState, view: &View, keys: &str, look: Look, area: Rect, buffer: &mut Buffer) {
    let width = area.width;
    let mut above = vec![both_ends(&title(state), look.head(), &duration(state.seconds), width)];
    let now = state.arms.last();
    if let Some(arm) = now.filter(|arm| arm.ended.is_none()) {
        above.push(progress(arm, width));
    }
    above.extend(ends(state, look, width));
    above.extend(now.and_then(|arm| arm.curve.last().map(|last| facts(arm, last, width))).unwrap_or_default());
    let mut below = caveats(&state.caveats, look, width);
    let keys = format!("{keys}  ←→ rounds, bits, time  ↑↓ measure  l log");
    below.push(Line::styled(shortened(&keys, usize::from(width)), look.dim()));
    lay_out(above, below, area, buffer, |area, buffer| plot::draw(&curves(state, look), view, area, buffer));
}

fn title(state: &LiveState) -> String {
    let arm = state.arms.last().filter(|arm| arm.name != state.name);
    let arm = arm.map_or_else(String::new, |arm| format!(": {}", arm.name));
    let number = match state.arms_planned {
        0 | 1 => String::new(),
        planned => format!(" (arm {} of {planned})", state.arms.len()),
    };
    let doing = if state.doing.is_empty() { String::new() } else { format!(", {}", state.doing) };
    format!("{}{arm}{number}{doing}", state.name)
}

/// How far the arm is.
fn progress(arm: &ArmState, width: u16) -> Line<'static> {
    let Some(done) = arm.fraction else {
        return Line::raw("how long it takes cannot be said: `stop` gives no end that can be counted");
    };
    let rest = arm.rest().map_or_else(String::new, |rest| format!("  ETA {}", duration(rest)));
    let text = format!(" {:3.0} %{rest}", 100.0 * done);
    let cells = width.saturating_sub(text.chars().count() as u16).clamp(1, 40);
    Line::raw(bar(done, cells) + &text)
}

/// Arms that have ended; the last of them where the screen is narrow in both directions.
fn ends(state: &LiveState, look: Look, width: u16) -> Vec<Line<'static>> {
    let ended = state.arms.iter().filter_map(|arm| Some((arm, arm.ended.as_ref()?)));
    let (failed, done): (Vec<_>, Vec<_>) = ended.partition(|(_, ended)| ended.failed);
    let mut lines = Vec::new();
    if let (1.., Some((arm, ended))) = (done.len(), done.last()) {
        let text = format!("{} done, last {}: {} in {}", done.len(), arm.name, ended.why, duration(arm.seconds));
        lines.push(Line::styled(shortened(&text, usize::from(width)), look.dim()));
    }
    if let Some((arm, ended)) = failed.last() {
        let text = format!("{} failed, last {}: {}", failed.len(), arm.name, ended.why);
        lines.push(Line::styled(shortened(&text, usize::from(width)), look.bad()));
    }
    lines
}

/// The last row.
fn facts(arm: &ArmState, last: &Point, width: u16) -> Vec<Line<'static>> {
    let pace = arm.rounds_per_second.map_or_else(String::new, |pace| format!("{} rounds/s", number(pace)));
    let mut facts = vec![
        format!("round {}", last.round),
        pace,
        format!("simulated {}", with_unit(Quantity::Seconds, last.time_ns as f64 * 1e-9)),
        with_unit(Quantity::Bits, last.bits as f64),
    ];
    if let Some(measured) = arm.curve.last_measured() {
        let values = MEASURES.iter().zip(measured.values);
        facts.extend(
            values.filter_map(|(measure, value)| Some(format!("{} {}", measure_name(*measure), number(value?)))),
        );
    }
    flow(&facts, width)
}

/// The arm now, and those before it.
fn curves(state: &LiveState, look: Look) -> Vec<Plotted<'_>> {
    let last = state.arms.len().saturating_sub(1);
    // What is drawn last lies above.
    let style = |number: usize| if number == last { look.main_curve() } else { look.other_curve(number) };
    let plotted = |(number, arm)| {
        let arm: &ArmState = arm;
        Plotted { name: arm.name.clone(), curve: &arm.curve, style: style(number) }
    };
    state.arms.iter().enumerate().map(plotted).collect()
}

/// One line for a pipe.
pub(crate) fn line(state: &LiveState) -> String {
    let Some(arm) = state.arms.last() else { return format!("{}: {}", state.name, state.doing) };
    if let Some(ended) = &arm.ended {
        return format!("{}: {} in {}", arm.name, ended.why, duration(arm.seconds));
    }
    let measured = arm.curve.last_measured();
    let values = measured.into_iter().flat_map(|point| MEASURES.iter().zip(point.values));
    let values = values.filter_map(|(measure, value)| Some(format!(", {} {}", measure_name(*measure), number(value?))));
    let round = arm.curve.last().map_or_else(|| "preparing".to_owned(), |last| format!("round {}", last.round));
    let done = arm.fraction.map_or_else(String::new, |done| format!("{:.0} %, ", 100.0 * done));
    let rest = arm.rest().map_or_else(String::new, |rest| format!(", ETA {}", duration(rest)));
    format!("{}: {done}{round}{}; {}{rest}", arm.name, values.take(2).collect::<String>(), duration(arm.seconds))
}
