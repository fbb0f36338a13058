//! The comparison for people: tables, and what they are of.

use fedbits_reports::compare::{
    ArmResult, Block, Comparison, ConfidenceInterval, Front, Goal, LeftOut, Paired, Quantity, Samples, Standing, block,
    leading, one_at_a_time, reached_of,
};
use fedbits_reports::decision::beside_one;
use fedbits_spec::so_many;

use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::style::WARN;
use crate::cli::table::number::{number as four_digits, significant, with_unit};
use crate::cli::table::{Cell, Quantity as Unit, Table};
use crate::cli::wrap;

/// A table, what it is of, and what stands below it.
pub(super) struct Section {
    title: String,
    table: Table,
    below: Vec<String>,
}

impl Section {
    pub(super) fn new(title: String, table: Table) -> Self {
        Self { title, table, below: Vec::new() }
    }
}

/// These tables and those beside them, for a terminal, as Markdown or as LaTeX, and what must be known of them.
pub(super) fn text(
    (samples, comparison): (&Samples, &Comparison),
    sections: Vec<Section>,
    format: TableFormat,
) -> Result<String, Failure> {
    let (is_latex, remarks) = (format == TableFormat::Latex, comparison.remarks());
    let mut text = if is_latex { format.note(&samples.source) } else { about(samples) };
    let remarks: String = match is_latex {
        true => remarks.iter().map(|line| format.note(line)).collect(),
        false => remarks.iter().map(|line| wrap::prose(&format!("{WARN}!{WARN:#} "), "  ", line)).collect(),
    };
    text += if is_latex { &remarks } else { "" };
    for Section { title, table, below } in sections.into_iter().chain(beside(samples, comparison)) {
        text += &format!("\n{}", format.titled(&title, &table)?);
        below.iter().for_each(|line| text += &format.note(line));
    }
    Ok(if is_latex || remarks.is_empty() { text } else { format!("{text}\n{remarks}") })
}

/// A table per target, and of the ends of the runs.
pub(super) fn sections(samples: &Samples, comparison: &Comparison) -> Vec<Section> {
    let mut sections = to_targets(samples, comparison);
    let table = rows(samples, &at_end(comparison), samples.tolerance.is_some());
    sections.push(Section::new("at the end of the runs".to_owned(), table));
    sections
}

/// What a comparison says beside the medians of its arms: fronts, axes alone, and the ranking.
fn beside<'a>(samples: &'a Samples, comparison: &'a Comparison) -> impl Iterator<Item = Section> + 'a {
    let fronts = comparison.fronts.iter().filter_map(|found| front(samples, found));
    fronts.chain(sensitivities(samples, comparison)).chain(ranking(samples, comparison))
}

fn about(samples: &Samples) -> String {
    let most = if samples.arms.iter().all(|arm| arm.planned == samples.planned) { "" } else { "at most " };
    let first = format!(
        "{}: {}, {most}{} planned; baseline: {}",
        samples.name,
        so_many(samples.arms.len(), "arm"),
        so_many(samples.planned, "replicate"),
        samples.arms[samples.baseline].name,
    );
    let medians =
        if samples.has_cut_runs() { "are Kaplan–Meier" } else { "count runs that missed it above all others" };
    let means = format!(
        "Ratios to the baseline are geometric means over replicates that reached the target in both arms (n of them), \
         with 95 % intervals by Student's t (resampled ones: --format csv); medians {medians}."
    );
    [&first, &means, &samples.source].map(|line| wrap::prose("", "", line)).concat()
}

fn to_targets(samples: &Samples, comparison: &Comparison) -> Vec<Section> {
    let of_target = |target: usize| {
        let block = |what| {
            comparison.blocks.iter().find(|block| block.measure.target == Some(target) && block.measure.what == what)
        };
        [Quantity::BitsTotal, Quantity::Time, Quantity::Rounds].into_iter().filter_map(block).collect::<Vec<&Block>>()
    };
    let section = |target: usize| {
        Section::new(format!("to {}", samples.targets[target].name()), rows(samples, &of_target(target), true))
    };
    (0..samples.targets.len()).map(section).collect()
}

fn at_end(comparison: &Comparison) -> Vec<&Block> {
    comparison.blocks.iter().filter(|block| block.measure.target.is_none()).collect()
}

/// What a measure's values are counted in.
pub(super) fn unit(what: Quantity) -> Unit {
    match what {
        Quantity::BitsTotal | Quantity::BitsUp => Unit::Bits,
        Quantity::Time => Unit::Seconds,
        Quantity::Rounds | Quantity::Error => Unit::Plain,
    }
}

/// The name of a measure above a column.
pub(super) fn head(what: Quantity) -> &'static str {
    match what {
        Quantity::BitsTotal => "all bits",
        Quantity::BitsUp => "bits up",
        Quantity::Time => "time",
        Quantity::Rounds => "rounds",
        Quantity::Error => "error",
    }
}

pub(super) fn value_column(table: Table, what: Quantity) -> Table {
    table.column(what.name(), head(what), unit(what))
}

/// The columns of the interval of the mean before them, and of how many pairs it is.
pub(super) fn interval_columns(table: Table, name: &str) -> Table {
    table
        .joined(&format!("{name}_low"), "95 % from", Unit::Plain)
        .joined(&format!("{name}_high"), "to", Unit::Plain)
        .joined(&format!("{name}_pairs"), "n", Unit::Plain)
}

/// A mean, the ends of its interval, and the number of pairs.
pub(super) fn interval_cells(interval: Option<ConfidenceInterval>, pairs: Option<usize>) -> [Cell; 4] {
    let numbers = interval.map_or([None; 3], |ConfidenceInterval { mean, low, high }| [Some(mean), low, high]);
    let [mean, low, high] = numbers.map(three);
    [mean, low, high, pairs.map_or(Cell::Missing, |pairs| Cell::Count(pairs as u64))]
}

fn paired_cells(paired: Option<&Paired>) -> [Cell; 4] {
    interval_cells(paired.and_then(|paired| paired.ratio), paired.map(|paired| paired.pairs))
}

/// Three digits for people.
pub(super) fn three(value: Option<f64>) -> Cell {
    value.map_or(Cell::Missing, |value| Cell::Shown(number(value), value))
}

/// One row per arm: median, ratio and its interval for each of the measures.
fn rows(samples: &Samples, blocks: &[&Block], with_reached: bool) -> Table {
    let mut table = Table::default().text("arm");
    if with_reached {
        table = table.column("reached", "reached", Unit::Plain).joined("runs", "of", Unit::Plain);
    }
    // The column stands where it says something.
    let degenerate = blocks.iter().any(|block| block.arms.iter().any(|arm| arm.degenerate > 0));
    if degenerate {
        table = table.column("degenerate", "degenerate", Unit::Plain);
    }
    for block in blocks {
        let what = block.measure.what;
        table = value_column(table, what).joined(&format!("{}_ratio", what.name()), "ratio", Unit::Plain);
        table = interval_columns(table, what.name());
    }
    for (number, arm) in samples.arms.iter().enumerate() {
        let mut row = vec![arm.name.as_str().into()];
        let first = blocks.first().map(|block| &block.arms[number]);
        let count = |of: fn(&ArmResult) -> usize| first.map_or(Cell::Missing, |result| Cell::Count(of(result) as u64));
        if with_reached {
            row.extend([count(|result| result.reached), count(|result| result.runs)]);
        }
        row.extend(degenerate.then(|| count(|result| result.degenerate)));
        for block in blocks {
            let result = &block.arms[number];
            row.push(result.median.into());
            row.extend(match &result.paired {
                None if number == samples.baseline => [Cell::Count(1), Cell::Missing, Cell::Missing, Cell::Missing],
                paired => paired_cells(paired.as_ref()),
            });
        }
        table.row(row);
    }
    table
}

fn value_text(what: Quantity, value: f64) -> String {
    match what {
        Quantity::Rounds => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        Quantity::Error => four_digits(value),
        _ => with_unit(unit(what), value),
    }
}

/// Three digits of a ratio, or as many more as show on which side of 1 it lies.
pub(super) fn number(value: f64) -> String {
    beside_one(value, |digits| significant(value, digits))
}

fn front(samples: &Samples, front: &Front) -> Option<Section> {
    let (where_to, counted) = match front.target(samples) {
        Some(target) => (format!("to {}", target.name()), "reached"),
        None => ("at the end".to_owned(), "on the front"),
    };
    let mut table = front.costs.iter().fold(Table::default().text("arm"), |table, what| value_column(table, *what));
    table = table.column("times", counted, Unit::Plain).joined("replicates", "of", Unit::Plain);
    // The column stands where it says something.
    let on_front = |standing: &&Standing| standing.compared.as_ref().is_ok_and(|compared| compared.on_front);
    let has_degenerate = front.arms.iter().filter(on_front).any(|standing| standing.degenerate > 0);
    if has_degenerate {
        table = table.column("degenerate", "degenerate", Unit::Plain);
    }
    for (arm, standing) in samples.arms.iter().zip(&front.arms) {
        let Standing { reached, degenerate, of, compared } = standing;
        let Some(compared) = compared.as_ref().ok().filter(|compared| compared.on_front) else { continue };
        let mut row = vec![arm.name.as_str().into()];
        row.extend(compared.costs.iter().map(|cost| Cell::Number(cost.median)));
        let (times, of) = if matches!(front.goal, Goal::End) { (compared.times, front.over) } else { (*reached, *of) };
        row.extend([Cell::Count(times as u64), Cell::Count(of as u64)]);
        row.extend(has_degenerate.then_some(Cell::Count(*degenerate as u64)));
        table.row(row);
    }
    let costs: Vec<&str> = front.costs.iter().map(|cost| head(*cost)).collect();
    let title = format!("Pareto front of the medians {where_to} ({})", costs.join(", "));
    let mut section = (!table.is_empty()).then(|| Section::new(title, table))?;
    for (why, arms) in front.left_out().filter(|(why, _)| *why != LeftOut::OtherProblem) {
        // Of what has not been run, or solves another problem, the comparison itself says so.
        let arms = arms.into_iter().map(|arm| &samples.arms[arm]).filter(|arm| !arm.runs.is_empty());
        let arms: Vec<&str> = arms.map(|arm| arm.name.as_str()).collect();
        section.below.extend((!arms.is_empty()).then(|| format!("left out, {}: {}", why.words(), arms.join("; "))));
    }
    section.below.extend(front.common().map(|common| format!("medians are over {common}")));
    Some(section)
}

/// What sensitivities and ranks are shown for.
fn leading_block<'a>(samples: &Samples, comparison: &'a Comparison, cost: Quantity) -> Option<&'a Block> {
    let measure = leading(samples, cost);
    comparison.blocks.iter().find(|block| block.measure == measure)
}

/// The arm that leads by the measure that arms are ranked by, and its median; none before arms share three replicates.
pub(crate) fn leader(samples: &Samples) -> Option<String> {
    let block = block(samples, leading(samples, Quantity::BitsTotal));
    let first = block.ranked().into_iter().filter(|(_, rank)| rank.place == Some(1)).map(|(arm, _)| arm);
    let first: Vec<usize> = first.collect();
    let ArmResult { median, reached, runs, degenerate, .. } = &block.arms[*first.first()?];
    let names: Vec<&str> = first.iter().map(|&arm| samples.arms[arm].name.as_str()).collect();
    let verb = if names.len() > 1 { "lead" } else { "leads" };
    let more = names.len().saturating_sub(TIED);
    let more = if more > 0 { format!(" and {}", so_many(more, "more arm")) } else { String::new() };
    let names = names[..names.len().min(TIED)].join(", ") + &more;
    let value = median.map_or_else(|| "–".to_owned(), |median| value_text(block.measure.what, median));
    let counted = reached_of(*reached, *runs, *degenerate);
    let common = match block.arms.iter().any(|arm| arm.runs > 0 && arm.runs != block.ranked_over) {
        true => format!(" (ranked over {} of all arms)", so_many(block.ranked_over, "replicate")),
        false => String::new(),
    };
    Some(format!("{names} {verb}, {}: median {value}, {counted}{common}", measure_name(samples, &block)))
}

fn measure_name(samples: &Samples, block: &Block) -> String {
    let what = head(block.measure.what);
    block
        .measure
        .target
        .map_or_else(|| format!("{what} at the end"), |target| format!("{what} to {}", samples.targets[target].name()))
}

fn sensitivities(samples: &Samples, comparison: &Comparison) -> Option<Section> {
    let single = one_at_a_time(samples);
    let (bits, time) =
        (leading_block(samples, comparison, Quantity::BitsTotal)?, leading_block(samples, comparison, Quantity::Time)?);
    if single.is_empty() || samples.axes.len() < 2 {
        return None;
    }
    let blocks: Vec<&Block> = if bits == time { vec![bits] } else { vec![bits, time] };
    let mut table = Table::default().text("axis").key("level");
    for block in &blocks {
        let (name, head) = (block.measure.what.name(), head(block.measure.what));
        table = interval_columns(table.column(&format!("{name}_ratio"), &format!("{head} ratio"), Unit::Plain), name);
    }
    for (axis, arm) in single {
        let mut row = vec![samples.axes[axis].as_str().into(), samples.arms[arm].level_names[axis].as_str().into()];
        for block in &blocks {
            row.extend(paired_cells(block.arms[arm].paired.as_ref()));
        }
        table.row(row);
    }
    let names: Vec<String> = blocks.iter().map(|block| measure_name(samples, block)).collect();
    let title = format!("from the baseline, one axis at a time: {}", names.join(", "));
    Some(Section::new(title, table))
}

fn ranking(samples: &Samples, comparison: &Comparison) -> Option<Section> {
    let block = leading_block(samples, comparison, Quantity::BitsTotal)?;
    let ranked = block.ranked();
    if ranked.is_empty() {
        return None;
    }
    let paths = samples.searched.iter();
    let last = |path: &str| path.rsplit('.').next().unwrap_or(path).to_owned();
    let table = paths.fold(Table::default().text("arm"), |table, path| table.column(path, &last(path), Unit::Text));
    let table = table.column("place", "place", Unit::Plain);
    let table = table.joined("place_low", "95 % from", Unit::Plain).joined("place_high", "to", Unit::Plain);
    let mut table = value_column(table.column("first", "first in", Unit::Share), block.measure.what);
    for (number, rank) in ranked.iter().take(RANKED) {
        let (arm, result) = (&samples.arms[*number], &block.arms[*number]);
        let mut row = vec![arm.name.as_str().into()];
        let value = |value: &Option<String>| value.as_ref().map_or(Cell::Missing, |text| text.as_str().into());
        row.extend(arm.point.iter().map(value));
        let places = [rank.place, Some(rank.low), Some(rank.high)];
        row.extend(places.map(|place| place.map_or(Cell::Missing, |place| Cell::Count(place as u64))));
        row.extend([Cell::Shown(format!("{:.0}", 100.0 * rank.first), rank.first), result.median.into()]);
        table.row(row);
    }
    let title = format!("ranking by {} (replicates resampled; 95 % of resamples)", measure_name(samples, block));
    let mut section = Section::new(title, table);
    let more = ranked.len().saturating_sub(RANKED);
    if block.arms.iter().any(|arm| arm.runs > 0 && arm.runs != block.ranked_over) {
        section
            .below
            .push(format!("places are over the {} that all arms have", so_many(block.ranked_over, "replicate")));
    }
    section.below.extend((more > 0).then(|| format!("… and {} (--format csv has all)", so_many(more, "more arm"))));
    Some(section)
}

/// Arms that lead together and are named.
const TIED: usize = 5;
const RANKED: usize = 20;

#[cfg(test)]
mod tests {
    use super::{TableFormat, sections, text};
    use fedbits_record::results::{PlanTarget, TargetCost};
    use fedbits_reports::compare::{Sample, SampleArm, Samples, compare};

    fn sample(bits_total: u64, is_measured: bool) -> Sample {
        let reach = TargetCost { reached: true, round: 1, time_ns: 1, bits_up: 1, bits_total, unseen: 0 };
        let measured = vec![Some(is_measured)];
        Sample { reaches: vec![Some(reach)], measured, bits_total, error: Some(1.0), ..Sample::default() }
    }

    fn samples(arms: &[(&str, &[Sample])]) -> Samples {
        let arm = |(name, runs): &(&str, &[Sample])| SampleArm {
            name: (*name).to_owned(),
            levels: vec![0],
            level_names: vec![(*name).to_owned()],
            runs: (0..).map(|number| (0, number)).zip(runs.iter().cloned()).collect(),
            planned: 4,
            ..SampleArm::default()
        };
        let targets = vec![PlanTarget::at_most("objective", 1.0)];
        Samples { arms: arms.iter().map(arm).collect(), targets, planned: 4, ..Samples::default() }
    }

    /// An arm that has not been run is not named as one that was not measured, and one that was not measured has no
    /// replicates by which those of the others would be fewer.
    #[test]
    fn arms_without_runs_and_without_measurements() {
        let runs = |(bits, is_measured)| [(); 4].map(|()| sample(bits, is_measured));
        let page = |samples: &Samples| {
            let comparison = compare(samples);
            text((samples, &comparison), sections(samples, &comparison), TableFormat::Human).unwrap()
        };
        let [near, far, blind] = [(10, true), (20, true), (5, false)].map(runs);
        let all = samples(&[("one", &near), ("other", &far), ("blind", &blind), ("awaited", &[])]);
        let told = page(&all);
        assert!(told.contains("left out, not measured: blind\n"), "{told}");
        assert!(!told.contains("places are over"), "{told}");
        let some = samples(&[("one", &near), ("other", &far[..3])]);
        let told = page(&some);
        assert!(told.contains("places are over the 3 replicates that all arms have"), "{told}");
    }
}
