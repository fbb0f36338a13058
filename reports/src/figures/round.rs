//! One round, drawn: what each client or agent does when, and below how many transfers are on the server's links. From
//! `trace.csv`; drawn by [`super::round_drawing`].

use std::collections::BTreeSet;

use super::gantt::{Bar, Chosen, Ending, Gantt, of_rows};
use super::round_drawing;
use crate::data::Arm;
use crate::error::ReportError;
use crate::kind::{About, FigureKind};
use crate::report::{Drawing, Report};
use crate::words::{distinct, file_name};
use fedbits_record::TraceRow;
use fedbits_spec::so_many;

/// The kind of figure.
pub(crate) struct Rounds;

impl FigureKind for Rounds {
    fn about(&self) -> About {
        About {
            name: "round",
            title: "a round: what each client does when, and the transfers on the server's links",
            needs: "`trace.csv`, which `record: (trace: […])` or `fedbits trace` leaves",
        }
    }

    fn draw(&self, report: &Report<'_>) -> Result<Vec<Drawing>, ReportError> {
        let mut gantts = gantts(report.arms());
        let left_out = gantts.len().saturating_sub(MOST_FIGURES);
        gantts.truncate(MOST_FIGURES);
        let draw = |(gantt, name): (&Gantt, String)| {
            let most = round_drawing::most_rows(gantt, &report.look);
            let chosen = gantt.chosen(most);
            report.drawing(
                (&name, &name),
                round_drawing::draw(gantt, &chosen, (&report.look, &report.metrics)),
                |comments| gantt.csv(comments),
                report.words(&caption(gantt), &words(gantt, &chosen, left_out)),
            )
        };
        gantts.iter().zip(names(&gantts)).map(draw).collect()
    }
}

/// Figures of a report; `--arm` chooses others.
const MOST_FIGURES: usize = 8;

/// A name for each figure: that of the kind where there is but one.
fn names(gantts: &[Gantt]) -> Vec<String> {
    distinct(gantts.iter().map(|gantt| {
        let arm = file_name(&gantt.arm);
        let several = gantts.iter().filter(|other| other.arm == gantt.arm).count() > 1;
        match (gantts.len(), several) {
            (1, _) => "round".to_owned(),
            (_, false) => format!("round-{arm}"),
            (_, true) => format!("round-{arm}-{}", gantt.rounds[0].0),
        }
    }))
}

fn gantts(arms: &[Arm]) -> Vec<Gantt> {
    let traced = |arm: &Arm| {
        let rows = arm.records().map(|record| TraceRow::of(&record.extra)).find(|rows| !rows.is_empty());
        rows.map(|rows| of_rows(arm.label(), rows)).unwrap_or_default()
    };
    arms.iter().flat_map(traced).collect()
}

/// "Round 3", or "Rounds 3 to 5".
fn title(gantt: &Gantt) -> String {
    match gantt.rounds[..] {
        [(only, _)] => format!("Round {only}"),
        _ => format!("Rounds {} to {}", gantt.rounds[0].0, gantt.rounds[gantt.rounds.len() - 1].0),
    }
}

fn caption(gantt: &Gantt) -> String {
    let closes = if gantt.rounds.len() == 1 { "the round closes" } else { "rounds close" };
    let below = match gantt.are_agents() {
        true => "messages that are on their way",
        false => "transfers on the server's links, downloads dashed",
    };
    let fates = gantt.bars().map(|bar| bar.fate).collect::<BTreeSet<_>>();
    let pale = if fates.iter().any(|fate| *fate != Ending::Used) { "; pale: what served nothing" } else { "" };
    let cross = if fates.contains(&Ending::Lost) { " (crosses: lost or cut off)" } else { "" };
    format!(
        "{} of {}: what each {} does when{pale}{cross}; dotted: {closes}. Below: {below}.",
        title(gantt),
        gantt.arm,
        gantt.who()
    )
}

fn words(gantt: &Gantt, chosen: &Chosen<'_>, left_out: usize) -> String {
    let (who, [open, close], end) = (gantt.who(), gantt.times(), gantt.end);
    let mut text = format!(
        "{} of {} (its first traced run), from `trace.csv`: what each {who} that takes part does when. A transfer \
         is drawn from its sending to its arrival, latency included; between its parts a {who} waits.",
        title(gantt),
        gantt.arm
    );
    if gantt.rounds.len() == 1 {
        text += &format!(" Those that are done last stand at the bottom: what a {who} does ends with its last part.");
    }
    if gantt.left_out > 0 {
        text += &format!(" It is the longest of {} traced rounds in a row.", gantt.left_out + 1);
    }
    if !chosen.others.is_empty() {
        let which = if gantt.rounds.len() == 1 { "the slowest" } else { "the first" };
        text += &format!(
            " Of {} {who}s {which} {} have rows; of the {} others the figure shows how many do what at a time.",
            gantt.nodes.len(),
            chosen.own.len(),
            chosen.others.len()
        );
    }
    let beyond = |beyond: &dyn Fn(&Bar) -> bool| gantt.bars().filter(|bar| beyond(bar)).count();
    let (before, after) = (beyond(&|bar| bar.times[0] < open), beyond(&|bar| bar.times[1] > end));
    if before + after > 0 {
        text += &format!(
            " Arrowheads: what began before the round opened ({before}), and what goes on beyond the right edge \
             ({after})."
        );
    }
    text += &format!(" Times count from the opening, at {} s of the run", open as f64 / 1e9);
    text += &format!("; the last close is at {} s.", close as f64 / 1e9);
    if left_out > 0 {
        text += &format!(
            " {} left out: `--arm` chooses arms.",
            so_many(left_out, "further figure of this kind is|further figures of this kind are")
        );
    }
    text
}
