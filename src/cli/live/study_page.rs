//! The page of a study: its arms, which of them leads, and the curves of the chosen one and of those that run.

use fedbits_reports::compare::reached_of;
use fedbits_spec::so_many;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::Line;

use super::page::{Look, bar, both_ends, caveats, flow, lay_out, shortened};
use super::plot::{self, Plotted};
use super::state::{JobsState, LiveState, MEASURES, RunningJob};
use super::tally::{ARMS_WITH_CURVES, Standing, Tally};
use super::view::{Across, View, measure_name};
use crate::cli::table::number::{given, number};
use crate::cli::units::duration;

/// What is known of a study.
pub(crate) struct Sight<'a> {
    /// Its results so far.
    pub(crate) tally: &'a Tally,
    /// The processes that run parts of it.
    pub(crate) processes: &'a [LiveState],
    /// What else must be known.
    pub(crate) notes: &'a [String],
}

impl<'a> Sight<'a> {
    fn jobs(&self) -> impl Iterator<Item = &'a JobsState> {
        self.processes.iter().filter_map(|process| process.jobs.as_ref())
    }

    fn running(&self) -> impl Iterator<Item = &'a RunningJob> {
        // A process may be at work on an arm of a plan that was not read yet.
        self.jobs().flat_map(|jobs| &jobs.running).filter(|running| running.arm < self.tally.arms.len())
    }

    /// Host seconds until the last process is done.
    fn rest(&self) -> Option<f64> {
        self.jobs().filter_map(|jobs| jobs.rest).reduce(f64::max)
    }

    /// "112 of 240 runs done, 2 failed, 4 running".
    fn counts(&self) -> String {
        let ((done, failed, not_run), running) = (self.tally.counts(), self.running().count());
        let planned = self.tally.planned();
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        let not_run = if not_run > 0 { format!(", {not_run} not begun") } else { String::new() };
        let degenerate = match self.tally.degenerate() {
            0 => String::new(),
            some => format!(", {some} degenerate"),
        };
        format!("{done} of {} done{degenerate}{failed}{not_run}, {running} running", so_many(planned, "run"))
    }

    /// The measure that arms are compared by where there is no target.
    fn measure(&self, view: &View) -> usize {
        view.measure(self.tally.has_measured())
    }

    /// What the numbers of the arms are: "bits to ‖h‖² ≤ 1e-8".
    fn criterion(&self, view: &View) -> String {
        match &self.tally.target {
            Some(target) => {
                let measure = MEASURES.into_iter().find(|measure| measure.column() == target.column);
                let column = measure.map_or(target.column.as_str(), |measure| measure_name(measure));
                format!("{} to {column} {} {}", view.across.name(), target.bound.sign(), given(target.bound.value()))
            }
            None => format!("{} at the end", measure_name(MEASURES[self.measure(view)])),
        }
    }

    /// "12.10 Mbit (11.00 – 13.00)", and how many runs got there.
    fn spread(&self, standing: &Standing, across: Across) -> String {
        let Some(spread) = standing.spread else {
            return if standing.results > 0 { format!("–, {}", counted(standing)) } else { "–".to_owned() };
        };
        let (texts, unit) = match self.tally.target {
            Some(_) => across.texts(spread),
            None => (spread.map(number), String::new()),
        };
        let [least, median, largest] = texts;
        let range = if least == largest { String::new() } else { format!(" ({least} – {largest})") };
        format!("{median}{unit}{range}, {}", counted(standing))
    }
}

/// k/n of an arm, with its degenerate runs.
fn counted(standing: &Standing) -> String {
    let Standing { reached, results, degenerate, .. } = *standing;
    reached_of(reached as usize, results as usize, degenerate as usize)
}

/// Draws the page. `keys` says what the keys of the command do.
pub(crate) fn draw(sight: &Sight<'_>, view: &View, keys: &str, look: Look, area: Rect, buffer: &mut Buffer) {
    let (tally, width) = (sight.tally, area.width);
    let seconds = sight.processes.iter().map(|process| process.seconds).reduce(f64::max);
    let title =
        format!("{}: {} × {}", tally.name, so_many(tally.arms.len(), "arm"), so_many(tally.replicates, "replicate"));
    let mut above = vec![both_ends(&title, look.head(), &seconds.map_or_else(String::new, duration), width)];
    above.extend(progress(sight, width));
    above.push(leader(sight, view, width));
    let chosen = view.arm.min(tally.arms.len().saturating_sub(1));
    let notes: Vec<String> = sight.notes.iter().chain(&tally.caveats).cloned().chain(without_curves(tally)).collect();
    let mut below = caveats(&notes, look, width);
    let keys = format!("{keys}  ↑↓ arm  ←→ rounds, bits, time  y measure  l log");
    below.push(Line::styled(shortened(&keys, usize::from(width)), look.dim()));
    // The curve has two thirds of what is left.
    let free = usize::from(area.height).saturating_sub(above.len() + below.len() + 1);
    let rows = (free / 3).min(tally.arms.len()).max(1);
    above.extend(arms(sight, view, (chosen, rows), look, width));
    lay_out(above, below, area, buffer, |area, buffer| {
        plot::draw(&curves(sight, view, chosen, look), view, area, buffer);
    });
}

fn progress(sight: &Sight<'_>, width: u16) -> Vec<Line<'static>> {
    let (done, ..) = sight.tally.counts();
    let planned = sight.tally.planned();
    let rest =
        sight.rest().filter(|_| done < planned).map_or_else(String::new, |rest| format!("ETA {}", duration(rest)));
    let machines = match sight.processes {
        [] | [_] => String::new(),
        several => format!("{} processes", several.len()),
    };
    let cells = (width / 4).clamp(1, 20);
    flow(&[bar(done as f64 / planned.max(1) as f64, cells), sight.counts(), rest, machines], width)
}

fn leader(sight: &Sight<'_>, view: &View, width: u16) -> Line<'static> {
    let text = sight.tally.leader(view.across, sight.measure(view)).map(|leader| {
        let name = &sight.tally.arms[leader.arm].name;
        let basis = match leader.common {
            0 => "unequal replicates".to_owned(),
            common => format!("{} of all arms", so_many(common, "replicate")),
        };
        format!("leads: {name}, {} ({basis})", sight.spread(&leader.standing, view.across))
    });
    Line::raw(shortened(&text.unwrap_or_else(|| "no run has a value yet".to_owned()), usize::from(width)))
}

/// A head and some of the arms around the chosen one.
fn arms(sight: &Sight<'_>, view: &View, (chosen, rows): (usize, usize), look: Look, width: u16) -> Vec<Line<'static>> {
    let tally = sight.tally;
    let first = chosen.saturating_sub(rows / 2).min(tally.arms.len().saturating_sub(rows));
    let of = if rows < tally.arms.len() { format!(" {}–{}", first + 1, first + rows) } else { String::new() };
    let shown = first..(first + rows).min(tally.arms.len());
    let names = tally.arms.iter().map(|arm| arm.name.chars().count() + 2).max().unwrap_or(0);
    let names = names.clamp(12, usize::from(width / 3).max(12));
    let (_, failed, not_run) = tally.counts();
    let row = |[name, done, now, own_failed, own_not_run]: [&str; 5], text: &str| {
        let failed = if failed > 0 { format!(" {own_failed:>6}") } else { String::new() };
        let not_run = if not_run > 0 { format!(" {own_not_run:>9}") } else { String::new() };
        let name = shortened(name, names);
        shortened(&format!("{name:<names$} {done:>7} {now:>3}{failed}{not_run}  {text}"), usize::from(width))
    };
    let head = row([&format!("  arm{of}"), "done", "now", "failed", "not begun"], &sight.criterion(view));
    let mut lines = vec![Line::styled(head, look.head())];
    for arm in shown {
        let standing = tally.standing(arm, view.across, sight.measure(view));
        let running = sight.running().filter(|running| running.arm == arm).count();
        let name = format!("{}{}", if arm == chosen { "> " } else { "  " }, tally.arms[arm].name);
        let done = format!("{}/{}", standing.ended, tally.arms[arm].planned.max(standing.ended));
        let counts = [running as u64, standing.failed, standing.not_run];
        let [now, failed, not_run] = counts.map(|count| if count > 0 { count.to_string() } else { String::new() });
        let style = if standing.failed + standing.not_run > 0 { look.warn() } else { Style::new() };
        let text = sight.spread(&standing, view.across);
        lines.push(Line::styled(row([&name, &done, &now, &failed, &not_run], &text), style));
    }
    lines
}

/// Curves of running runs that are drawn.
const RUNNING: usize = 4;

/// The last finished run of the chosen arm, that of the leading one, and runs under way.
fn curves<'a>(sight: &Sight<'a>, view: &View, chosen: usize, look: Look) -> Vec<Plotted<'a>> {
    let tally = sight.tally;
    let leader = tally.leader(view.across, sight.measure(view)).map(|leader| leader.arm).filter(|arm| *arm != chosen);
    let finished = |arm: usize, style| {
        let curve = tally.arms[arm].curve.as_ref()?;
        Some(Plotted { name: tally.arms[arm].name.clone(), curve, style })
    };
    let running = sight.running().filter(|running| running.state.curve.last_measured().is_some()).take(RUNNING);
    let running = running.enumerate().map(|(number, running)| Plotted {
        name: format!("{} (replicate {} now)", tally.arms[running.arm].name, running.replicate),
        curve: &running.state.curve,
        style: look.other_curve(number + 1),
    });
    let leader = leader.and_then(|arm| finished(arm, look.other_curve(0)));
    // What is drawn last lies above.
    running.chain(leader).chain(finished(chosen, look.main_curve())).collect()
}

/// Why there are no curves of finished runs; none where there are.
fn without_curves(tally: &Tally) -> Option<String> {
    let many = tally.arms.len() > ARMS_WITH_CURVES;
    many.then(|| format!("finished runs have no curve here: more than {ARMS_WITH_CURVES} arms"))
}

/// One line for a pipe.
pub(crate) fn line(sight: &Sight<'_>, view: &View) -> String {
    let rest = sight.rest().map_or_else(String::new, |rest| format!("; ETA {}", duration(rest)));
    let leader = sight.tally.leader(view.across, sight.measure(view)).map(|leader| {
        let name = &sight.tally.arms[leader.arm].name;
        format!("; {name} leads, {}: {}", sight.criterion(view), sight.spread(&leader.standing, view.across))
    });
    format!("{}{rest}{}", sight.counts(), leader.unwrap_or_default())
}
