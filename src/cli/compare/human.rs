//! The comparison as text for people.

use fedbits_reports::compare::{
    Block, Comparison, ConfidenceInterval, Front, Goal, LeftOut, Quantity, Samples, Standing, one_at_a_time,
};

/// All tables.
pub(crate) fn text(samples: &Samples, comparison: &Comparison) -> String {
    let mut text = format!(
        "{}: {} arms, {} replicates planned; baseline: {}\n\
         Ratios to the baseline are geometric means over replicates that reached the target in both arms (n of them), \
         with 95 % intervals by Student's t (resampled ones: --format csv); medians are Kaplan–Meier.\n\
         {}\n",
        samples.name,
        samples.arms.len(),
        samples.planned,
        samples.arms[samples.baseline].name,
        samples.source
    );
    for target in 0..samples.targets.len() {
        let of_target = |what| {
            comparison.blocks.iter().find(|block| block.measure.target == Some(target) && block.measure.what == what)
        };
        let blocks: Vec<&Block> =
            [Quantity::BitsTotal, Quantity::Time, Quantity::Rounds].into_iter().filter_map(of_target).collect();
        text.push_str(&format!("\nto {}\n", samples.targets[target].name()));
        text.push_str(&table(&rows(samples, &blocks, true)));
    }
    let at_end: Vec<&Block> = comparison.blocks.iter().filter(|block| block.measure.target.is_none()).collect();
    text.push_str("\nat the end of the runs\n");
    text.push_str(&table(&rows(samples, &at_end, false)));
    text.push_str(&fronts(samples, comparison));
    text.push_str(&sensitivities(samples, comparison));
    text.push_str(&ranking(samples, comparison));
    text.extend(
        comparison
            .notes
            .iter()
            .enumerate()
            .map(|(number, note)| format!("{}not compared: {note}\n", if number == 0 { "\n" } else { "" })),
    );
    text.push_str(&trust(samples));
    text
}

/// One line per arm: median, ratio and its interval for each of the measures.
fn rows(samples: &Samples, blocks: &[&Block], with_reached: bool) -> Vec<Vec<String>> {
    let mut heading = vec!["arm".to_owned()];
    heading.extend(with_reached.then(|| "reached".to_owned()));
    for block in blocks {
        heading.extend([block.measure.what.name().to_owned(), "ratio [95 %]".to_owned(), "n".to_owned()]);
    }
    let mut rows = vec![heading];
    for (number, arm) in samples.arms.iter().enumerate() {
        let mut row = vec![arm.name.clone()];
        if with_reached {
            row.extend(
                blocks.first().map(|block| format!("{}/{}", block.arms[number].reached, block.arms[number].runs)),
            );
        }
        for block in blocks {
            let result = &block.arms[number];
            row.push(result.median.map_or_else(|| "–".to_owned(), |value| value_text(block.measure.what, value)));
            match &result.paired {
                None => row.extend([if number == samples.baseline { "1" } else { "–" }.to_owned(), String::new()]),
                Some(paired) => {
                    row.extend([paired.ratio.map_or_else(|| "–".to_owned(), interval), paired.pairs.to_string()])
                }
            }
        }
        rows.push(row);
    }
    rows
}

/// A value with its unit.
pub(crate) fn value_text(what: Quantity, value: f64) -> String {
    match what {
        Quantity::BitsTotal | Quantity::BitsUp => crate::cli::units::bits(value.round() as u64),
        Quantity::Time => format!("{value:.4} s"),
        Quantity::Rounds => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        Quantity::Error => format!("{value:.3e}"),
    }
}

/// `0.812 [0.790, 0.834]`.
pub(crate) fn interval(interval: ConfidenceInterval) -> String {
    match (interval.low, interval.high) {
        (Some(low), Some(high)) => format!("{} [{}, {}]", number(interval.mean), number(low), number(high)),
        _ => number(interval.mean),
    }
}

/// Three digits.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        size if size == 0.0 || (1e-3..1e4).contains(&size) => {
            let decimals = (2 - libm::floor(libm::log10(size.max(1e-3))) as i32).clamp(0, 6) as usize;
            format!("{value:.decimals$}")
        }
        _ => format!("{value:.2e}"),
    }
}

/// The arms on each front, and those that are left out of it.
fn fronts(samples: &Samples, comparison: &Comparison) -> String {
    comparison.fronts.iter().map(|own| front(samples, own)).collect()
}

fn front(samples: &Samples, front: &Front) -> String {
    let (where_to, counted) = match front.target(samples) {
        Some(target) => (format!("to {}", target.name()), "reached"),
        None => ("at the end".to_owned(), "on the front of"),
    };
    let mut rows = vec![vec!["arm".to_owned()]];
    rows[0].extend(front.costs.iter().map(|cost| cost.name().to_owned()).chain([counted.to_owned()]));
    let mut left_out = [(LeftOut::NoMedian, Vec::new()), (LeftOut::SendsNothing, Vec::new())];
    for (arm, standing) in samples.arms.iter().zip(&front.arms) {
        let Standing { reached, of, compared } = standing;
        if let Err(why) = compared {
            left_out.iter_mut().filter(|(own, _)| own == why).for_each(|(_, arms)| arms.push(arm.name.as_str()));
        }
        let Some(compared) = compared.as_ref().ok().filter(|compared| compared.on_front) else { continue };
        let mut row = vec![arm.name.clone()];
        row.extend(front.costs.iter().zip(&compared.costs).map(|(what, cost)| value_text(*what, cost.median)));
        row.push(match front.goal {
            Goal::End => format!("{}/{of} replicates", compared.times),
            _ => format!("{reached}/{of} replicates"),
        });
        rows.push(row);
    }
    let mut text = String::new();
    if rows.len() > 1 {
        let costs: Vec<&str> = front.costs.iter().map(|cost| cost.name()).collect();
        text = format!("\nPareto front of the medians {where_to} ({})\n{}", costs.join(", "), table(&rows));
    }
    for (why, arms) in left_out.iter().filter(|(_, arms)| !arms.is_empty() && rows.len() > 1) {
        let why = if *why == LeftOut::NoMedian { "not more than half reach the target" } else { "sends nothing" };
        text.push_str(&format!("left out, {why}: {}\n", arms.join("; ")));
    }
    text
}

/// The measure that sensitivities and ranks are shown for: bits to the last target, else the error at the end.
fn leading(comparison: &Comparison, what: Quantity) -> Option<&Block> {
    let of = |block: &&Block| block.measure.what == what;
    comparison.blocks.iter().filter(|block| block.measure.target.is_some()).rfind(of).or_else(|| {
        comparison.blocks.iter().find(|block| block.measure.target.is_none() && block.measure.what == Quantity::Error)
    })
}

fn measure_name(samples: &Samples, block: &Block) -> String {
    let what = block.measure.what.name();
    block
        .measure
        .target
        .map_or_else(|| format!("{what} at the end"), |target| format!("{what} to {}", samples.targets[target].name()))
}

fn sensitivities(samples: &Samples, comparison: &Comparison) -> String {
    let (single, Some(bits), Some(time)) =
        (one_at_a_time(samples), leading(comparison, Quantity::BitsTotal), leading(comparison, Quantity::Time))
    else {
        return String::new();
    };
    if single.is_empty() || samples.axes.len() < 2 {
        return String::new();
    }
    let mut rows = vec![vec!["axis".to_owned(), "level".to_owned()]];
    let blocks: Vec<&Block> = if bits == time { vec![bits] } else { vec![bits, time] };
    rows[0].extend(blocks.iter().map(|block| format!("{}: ratio", measure_name(samples, block))));
    for (axis, arm) in single {
        let mut row = vec![samples.axes[axis].clone(), samples.arms[arm].level_names[axis].clone()];
        let ratio = |block: &&Block| block.arms[arm].paired.and_then(|paired| paired.ratio);
        row.extend(blocks.iter().map(|block| ratio(block).map_or_else(|| "–".to_owned(), interval)));
        rows.push(row);
    }
    format!("\nfrom the baseline, one axis at a time\n{}", table(&rows))
}

fn ranking(samples: &Samples, comparison: &Comparison) -> String {
    let Some(block) = leading(comparison, Quantity::BitsTotal) else { return String::new() };
    let ranked = block.arms.iter().zip(&samples.arms).filter_map(|(result, arm)| Some((result.rank?, result, arm)));
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, ..)| rank.place);
    if ranked.is_empty() {
        return String::new();
    }
    let mut rows = vec![["place", "95 % of resamples", "first in", "arm", "median"].map(str::to_owned).to_vec()];
    for (rank, result, arm) in ranked.into_iter().take(20) {
        rows.push(vec![
            rank.place.to_string(),
            format!("{}–{}", rank.low, rank.high),
            format!("{:.0} %", 100.0 * rank.first),
            arm.name.clone(),
            result.median.map_or_else(|| "not reached".to_owned(), |value| value_text(block.measure.what, value)),
        ]);
    }
    format!("\nranking by {} (replicates resampled)\n{}", measure_name(samples, block), table(&rows))
}

/// What not to trust.
fn trust(samples: &Samples) -> String {
    let mut lines: Vec<String> = samples.caveats.iter().map(|caveat| format!("caveat: {caveat}")).collect();
    let missing = samples.arms.iter().filter(|arm| arm.runs.len() < samples.planned).count();
    if missing > 0 {
        lines.insert(0, format!("caveat: runs of {missing} arms are missing; run the study again"));
    }
    let failed: usize = samples.arms.iter().map(|arm| arm.failed).sum();
    if failed > 0 {
        lines.insert(0, format!("caveat: {failed} simulations failed and count as far as they went"));
    }
    if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join("\n")) }
}

/// Cells in columns; the first to the left, the others to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cell = |(column, (cell, &width)): (usize, (&String, &usize))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        };
        let cells: Vec<String> = row.iter().zip(&widths).enumerate().map(cell).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}
