//! The numbers of the page for its script, as JSON. Lines that share their rounds share the lists to the right.

use super::floats::floats;
use super::marks;
use super::opening::{Chart, Opening};
use super::traces;
use crate::axes::{Scale, range, scale};
use crate::curves::Curve;
use crate::data::Arm;
use crate::figures::references::References;
use crate::figures::{bars, ledger};
use crate::latex::latex;
use crate::layout::{HatchLine, ink};
use crate::origin::ascii;
use crate::quantity::{GAP, PARAMETER, Quantity};
use crate::replicates::{CurvePoint, spent};
use crate::report::{Drawing, Report};
use crate::shades::hex;
use crate::style::LineStyle;
use fedbits_figures::{Band, Limits, Scale as DeclaredScale, XAxis};
use fedbits_record::RoundRow;
use rayon::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The page holds at most about this many numbers, four bytes each; beyond that lines are thinned.
const MAX_NUMBERS: usize = 800_000;
/// A column of every record.
type Count = fn(&RoundRow) -> u64;
/// Those that are worth a line where they are not all zero.
const COUNTS: [(&str, Count); 4] = [
    ("arrived", |row| row.arrived),
    ("late", |row| row.late),
    ("lost", |row| row.lost),
    ("bits_wasted", |row| row.bits_wasted),
];
/// Of a θ with more components than this only those that a figure declares are there.
const MAX_PARAMETERS: usize = 12;
/// A column whose positive values span more than this is shown on a logarithmic axis at first.
const LOGARITHMIC: f64 = 1e3;

/// The lines of an arm that have the same rounds.
struct Lines {
    arm: usize,
    /// Number of the quantity, and the line.
    curves: Vec<(usize, Curve)>,
    /// Numbers of the points that stay.
    kept: Vec<usize>,
}

/// The numbers, safe inside a script element.
pub(crate) fn json(source: &Report<'_>, opening: &Opening, drawings: &[Drawing]) -> String {
    let arms = &opening.page_arms[..];
    let shown = shown_axes(arms);
    let all = quantities(arms, opening);
    let references = source.references();
    let arm_lines = |arm: usize| lines(arm, &arms[arm], &all, references);
    let mut lines: Vec<Lines> = (0..arms.len()).into_par_iter().flat_map_iter(arm_lines).collect();
    let thinned = thin(&mut lines, shown.len()).map(Thinned::words);
    let measured = |number: usize| curves(&lines, number).next().is_some();
    let quantities: Vec<Value> = (0..all.len())
        .map(|number| match measured(number) {
            true => {
                let mut own = self::quantity(&all[number], curves(&lines, number), drawings);
                marks::add(&mut own, source, opening, (&all[number], &shown));
                own
            }
            false => Value::Null,
        })
        .collect();
    let axis = |x: XAxis| shown.iter().position(|own| *own == x);
    let chart = |chart: &Chart| {
        let quantity = all.iter().position(|own| *own == chart.quantity);
        let log_y = (chart.y_scale != DeclaredScale::Auto).then_some(chart.y_scale == DeclaredScale::Log);
        let y = (chart.y_limits != Limits::default()).then_some([chart.y_limits.from, chart.y_limits.to]);
        let log_x = chart.x_scale == Scale::Log;
        axis(chart.x).map(|x| json!({"quantity": quantity, "x": x, "logX": log_x, "logY": log_y, "y": y}))
    };
    let several = |number: usize| number >= source.arms().len();
    let own = |(number, own): (usize, &Arm)| arm(own, opening.labels.get(&number), several(number));
    let content = json!({
        "arms": arms.iter().enumerate().map(own).collect::<Vec<_>>(),
        "band": band(opening.band),
        "axes": axes(source),
        "x": shown.iter().map(|&axis| x_axis(axis, &lines)).collect::<Vec<_>>(),
        "quantities": quantities,
        "lines": lines.iter().map(|own| own.json(&shown)).collect::<Vec<_>>(),
        "thinned": thinned,
        "opening": {
            "charts": opening.charts.iter().filter_map(chart).collect::<Vec<_>>(),
            "arms": opening.arms,
            "range": opening.range.map(|(x, from, to)| json!({"x": axis(x), "from": from, "to": to})),
        },
        "ledger": ledger(arms),
        "traces": traces::json(source.arms()),
    });
    ascii(&content.to_string())
}

/// The horizontal axes that all runs have, and those of the others that some run has.
fn shown_axes(arms: &[Arm]) -> Vec<XAxis> {
    let rows = || arms.iter().flat_map(Arm::records).flat_map(|record| &record.rounds);
    let has = |axis: &XAxis| axis.needs().is_none() || rows().any(|row| spent(*axis, row) > 0.0);
    XAxis::ALL.into_iter().filter(has).collect()
}

/// A horizontal axis, and whether it is logarithmic at first: by the rule of the figures.
fn x_axis(axis: XAxis, lines: &[Lines]) -> Value {
    let (words, kind) = match axis {
        XAxis::Rounds => ("rounds", "count"),
        XAxis::Epochs => ("epochs", "count"),
        XAxis::BitsUp => ("bits sent, uplink", "bits"),
        XAxis::BitsTotal => ("bits sent, total", "bits"),
        XAxis::Time => ("simulated time", "time"),
        XAxis::Energy => ("energy", "energy"),
        XAxis::Epsilon => ("privacy loss ε", "count"),
    };
    let ends = lines.iter().filter_map(|own| own.curves[0].1.points.last());
    let log = scale(ends.map(|point| point.at(axis))) == Scale::Log;
    json!({"name": axis.column(), "words": words, "tex": latex(words), "kind": kind, "log": log})
}

/// The axes of the study that vary among the arms shown.
fn axes(source: &Report<'_>) -> Vec<Value> {
    let Some(study) = &source.collected.planned else { return Vec::new() };
    study.plan.axes.iter().map(|axis| json!({"name": axis.name, "levels": axis.levels})).collect()
}

/// What bands show: whether they are there at first, the switch's words, and a sentence.
fn band(band: Band) -> Value {
    let (switch, words) = match band {
        Band::Quartiles | Band::Nothing => (
            "quartiles",
            "Lines are medians over an arm’s runs, thin where some of them have ended; bands reach from the lower to \
             the upper quartile.",
        ),
        Band::Mean95 => (
            "95 % intervals",
            "Lines are means over an arm’s runs, thin where some of them have ended; bands are the 95 % intervals of \
             the means, by Student’s t.",
        ),
        Band::Range => (
            "least and most",
            "Lines are medians over an arm’s runs, thin where some of them have ended; bands reach from the least to \
             the most.",
        ),
    };
    json!({"shown": band != Band::Nothing, "switch": switch, "words": words})
}

/// An arm, or `several` as one, under the name that the declared figure gives it.
fn arm(arm: &Arm, declared: Option<&String>, several: bool) -> Value {
    let style = LineStyle::of(arm.style);
    let label = declared.unwrap_or(&arm.label);
    json!({
        "label": label,
        "tex": latex(label),
        "several": several,
        "levels": arm.levels,
        "runs": arm.runs.len(),
        "color": hex(style.color),
        "dash": style.dash,
    })
}

/// What some run may have measured, in the order of the figures.
pub(crate) fn quantities(arms: &[Arm], opening: &Opening) -> Vec<String> {
    let records = || arms.iter().flat_map(Arm::records);
    let known = Quantity::ALL.into_iter().map(|(quantity, _)| quantity.0).chain((arms.len() > 1).then_some(GAP));
    let columns = records().flat_map(|record| &record.manifest.extra_columns).map(String::as_str);
    let mut all: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if all.iter().all(|own| own != name) {
            all.push(name.to_owned());
        }
    };
    known.chain(columns).chain(COUNTS.into_iter().map(|(name, _)| name)).for_each(&mut add);
    let parameters: BTreeSet<&String> =
        records().filter_map(|record| record.theta.as_ref()).flat_map(|theta| &theta.names).collect();
    if parameters.len() <= MAX_PARAMETERS {
        parameters.iter().for_each(|name| add(&format!("{PARAMETER}{name}")));
    }
    opening.charts.iter().for_each(|chart| add(&chart.quantity));
    all
}

/// The name of the files of a quantity.
pub(crate) fn file_name(quantity: &str) -> &str {
    Quantity::ALL.into_iter().find(|(own, _)| own.0 == quantity).map_or(quantity, |(_, file)| file)
}

/// The line of an arm, with its running median where it is noise: of a column that every run has only where it is not
/// all zero.
fn curve(arm: &Arm, quantity: &str, references: &References) -> Option<Curve> {
    let Some((_, count)) = COUNTS.into_iter().find(|(name, _)| *name == quantity) else {
        return Quantity(quantity).curve(arm, references, &[]);
    };
    let mut rows = arm.records().flat_map(|record| &record.rounds);
    let counts = rows
        .any(|row| count(row) > 0)
        .then(|| arm.curve(|record| record.rounds.iter().map(|row| Some(count(row) as f64)).collect()))?;
    counts.map(Curve::with_trend)
}

/// The lines of an arm, those with the same rounds together.
fn lines(number: usize, arm: &Arm, all: &[String], references: &References) -> Vec<Lines> {
    let mut lines: Vec<Lines> = Vec::new();
    let curves = all.iter().enumerate().filter_map(|(index, own)| Some((index, curve(arm, own, references)?)));
    for (quantity, curve) in curves {
        let same = |one: &CurvePoint, other: &CurvePoint| one.x == other.x && one.running == other.running;
        let same_rounds = |own: &Curve| {
            own.points.len() == curve.points.len() && own.points.iter().zip(&curve.points).all(|(a, b)| same(a, b))
        };
        match lines.iter_mut().find(|own| same_rounds(&own.curves[0].1)) {
            Some(own) => own.curves.push((quantity, curve)),
            None => lines.push(Lines { arm: number, kept: Vec::new(), curves: vec![(quantity, curve)] }),
        }
    }
    lines
}

/// The lines of a quantity.
fn curves(lines: &[Lines], quantity: usize) -> impl Iterator<Item = &Curve> {
    lines.iter().flat_map(|own| &own.curves).filter(move |(own, _)| *own == quantity).map(|(_, curve)| curve)
}

fn quantity<'a>(name: &str, curves: impl Iterator<Item = &'a Curve>, drawings: &[Drawing]) -> Value {
    let values: Vec<f64> = curves.flat_map(|curve| curve.points.iter().map(|point| point.median)).collect();
    let (low, high) = range(values.iter().copied().filter(|value| *value != 0.0));
    let wide = low > 0.0 && high > LOGARITHMIC * low;
    let known = Quantity::ALL.into_iter().any(|(own, _)| own.0 == name) || name.starts_with(PARAMETER);
    let log = Quantity(name).vertical().scale == Scale::Log || (wide && !known);
    let figures = drawings.iter().filter(|drawing| drawing.live && drawing.data.0 == file_name(name));
    let figures: Vec<&str> = figures.map(|drawing| drawing.name.as_str()).collect();
    let tex = Quantity(name).vertical().label.latex();
    json!({"name": name, "words": Quantity(name).short(), "tex": tex, "log": log, "figures": figures})
}

/// What stays of lines for which the page has no room.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Thinned {
    /// Of each of so many stretches the ends and the extremes.
    Stretches(usize),
    /// The ends of every line.
    Ends,
}

impl Thinned {
    fn words(self) -> String {
        let kept = match self {
            Self::Stretches(count) => format!(
                "of each of {count} stretches of a line’s rounds the first and the last point stay, with the lowest \
                 and the highest of every quantity"
            ),
            Self::Ends => "there are so many lines that of each the first and the last point alone stay".to_owned(),
        };
        format!("The charts are thinned: {kept}. Files hold all rounds.")
    }
}

/// Chooses the points that stay: all, or, where the page would hold too many numbers, of each of some stretches of a
/// line's rounds the first, the last, and the lowest and the highest of every quantity; where even those of one stretch
/// are too many, the first and the last of every line. What was done, when something was left out.
fn thin(lines: &mut [Lines], axes: usize) -> Option<Thinned> {
    let longest = lines.iter().map(Lines::rounds).max().unwrap_or(0);
    lines.iter_mut().for_each(|own| own.kept = (0..own.rounds()).collect());
    let numbers = |lines: &[Lines]| lines.iter().map(|own| own.kept.len() * own.numbers(axes)).sum::<usize>();
    let mut stretches = longest;
    let mut thinned = None;
    while numbers(lines) > MAX_NUMBERS && stretches > 1 {
        stretches = stretches * 4 / 5;
        // Two points of a stretch stay at least.
        let least: usize = lines.iter().map(|own| own.rounds().min(2 * stretches) * own.numbers(axes)).sum();
        if least <= MAX_NUMBERS {
            lines.iter_mut().for_each(|own| own.thin(stretches));
            thinned = Some(Thinned::Stretches(stretches));
        }
    }
    if numbers(lines) > MAX_NUMBERS {
        lines.iter_mut().for_each(|own| own.kept = BTreeSet::from([0, own.rounds() - 1]).into_iter().collect());
        thinned = Some(Thinned::Ends);
    }
    thinned
}

impl Lines {
    fn rounds(&self) -> usize {
        self.curves[0].1.points.len()
    }

    /// How many numbers a point takes.
    fn numbers(&self, axes: usize) -> usize {
        let band = |curve: &Curve| if curve.replicates > 1 { 2 } else { 0 };
        let values = |curve: &Curve| 1 + band(curve) + usize::from(!curve.trend.is_empty());
        axes + self.curves.iter().map(|(_, curve)| values(curve)).sum::<usize>()
    }

    fn thin(&mut self, stretches: usize) {
        let length = self.rounds().div_ceil(stretches);
        let stretch = |start: usize| start..(start + length).min(self.rounds());
        let kept = (0..self.rounds()).step_by(length.max(1)).flat_map(|start| {
            let ends = [start, stretch(start).end - 1];
            let extremes = self.curves.iter().flat_map(move |(_, curve)| {
                let by_value = |a: &usize, b: &usize| curve.points[*a].median.total_cmp(&curve.points[*b].median);
                [stretch(start).min_by(by_value), stretch(start).max_by(by_value)].into_iter().flatten()
            });
            ends.into_iter().chain(extremes)
        });
        self.kept = kept.collect::<BTreeSet<usize>>().into_iter().collect();
    }

    fn json(&self, axes: &[XAxis]) -> Value {
        let list = |points: &[CurvePoint], value: &dyn Fn(&CurvePoint) -> f64| {
            floats(&self.kept.iter().map(|&index| value(&points[index])).collect::<Vec<_>>())
        };
        let own = &self.curves[0].1;
        let x: Vec<Value> = axes.iter().map(|&axis| list(&own.points, &|point| point.at(axis))).collect();
        let curve = |(quantity, curve): &(usize, Curve)| {
            let values = |value: fn(&CurvePoint) -> f64| list(&curve.points, &value);
            let mut line = json!({"quantity": quantity, "median": values(|point| point.median)});
            if curve.replicates > 1 {
                line["low"] = values(|point| point.low);
                line["high"] = values(|point| point.high);
            }
            if !curve.trend.is_empty() {
                line["trend"] = floats(&self.kept.iter().map(|&index| curve.trend[index]).collect::<Vec<_>>());
            }
            line
        };
        let curves: Vec<Value> = self.curves.iter().map(curve).collect();
        let mut json = json!({"arm": self.arm, "rounds": self.rounds(), "x": x, "curves": curves});
        if own.first_ended() < own.points.len() {
            json["running"] = list(&own.points, &|point| point.running as f64);
        }
        json
    }
}

fn ledger(arms: &[Arm]) -> Value {
    let Some(stack) = ledger::stack(arms) else { return Value::Null };
    let kind = |part: &bars::BarPart| {
        let filling = &part.filling;
        let word = |line: &HatchLine| match line {
            HatchLine::Rising => "rising",
            HatchLine::Falling => "falling",
            HatchLine::Across => "across",
            HatchLine::Upright => "upright",
        };
        let lines: Vec<&str> = filling.hatch.lines.iter().map(word).collect();
        json!({
            "words": part.words,
            "color": hex(filling.color),
            "cover": filling.cover,
            "hatch": {"lines": lines, "dense": filling.hatch.dense, "ink": hex(ink(filling))},
        })
    };
    json!({
        "kinds": stack.parts.iter().map(kind).collect::<Vec<_>>(),
        "bars": stack.bars.iter().map(|(_, bits)| bits).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Lines, MAX_NUMBERS, Thinned, thin};
    use crate::axes::range;
    use crate::curves::Curve;
    use crate::replicates::CurvePoint;
    use fedbits_figures::AXES;
    use proptest::prelude::*;

    fn lines(arm: usize, all: &[Vec<f64>]) -> Lines {
        let point = |(round, &median): (usize, &f64)| CurvePoint {
            x: [round as f64; AXES],
            median,
            low: median,
            high: median,
            running: 1,
        };
        let curve = |values: &Vec<f64>| Curve::new(String::new(), 0, 1, values.iter().enumerate().map(point).collect());
        Lines { arm, kept: Vec::new(), curves: all.iter().map(curve).enumerate().collect() }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// Of thinned lines the ends and the extremes of every quantity stay, in their order, and the page holds no
        /// more numbers than it may; short lines are not touched.
        #[test]
        fn thinned_lines_keep_their_extremes(seed in 0_u64..1_000, arms in 1_usize..4) {
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64
            };
            let axes = 5;
            let mut arm = |number| {
                lines(number, &[(0..120_000).map(|_| next()).collect(), (0..120_000).map(f64::from).collect()])
            };
            let mut all: Vec<Lines> = (0..arms).map(&mut arm).collect();
            all.push(lines(arms, &[vec![3.0, 1.0, 2.0]]));
            let stretches = thin(&mut all, axes);
            prop_assert!(stretches.is_some());
            let count: usize = all.iter().map(|own| own.kept.len() * own.numbers(axes)).sum();
            prop_assert!(count <= MAX_NUMBERS && count > MAX_NUMBERS / 2, "{count}");
            for own in &all {
                prop_assert!(own.kept.is_sorted());
                prop_assert_eq!((own.kept.first(), own.kept.last()), (Some(&0), Some(&(own.rounds() - 1))));
                for (_, curve) in &own.curves {
                    let kept = own.kept.iter().map(|&index| curve.points[index].median);
                    prop_assert_eq!(range(kept), range(curve.points.iter().map(|point| point.median)));
                }
            }
            prop_assert_eq!(all[arms].kept.len(), 3);
        }
    }

    /// Of so many lines that there is no room for an extreme of each, or not even for two points, the ends stay.
    #[test]
    fn of_very_many_lines_the_ends_stay() {
        let values: Vec<f64> = (0..10).map(|round| f64::from(round * 3 % 10)).collect();
        for (rounds, axes, expected) in [(10, 17, Some(Thinned::Ends)), (10, 45, Some(Thinned::Ends)), (2, 17, None)] {
            let mut all: Vec<Lines> = (0..20_000).map(|arm| lines(arm, &[values[..rounds].to_vec()])).collect();
            all.push(lines(20_000, &[vec![1.0]]));
            assert_eq!(thin(&mut all, axes), expected);
            assert!(all[..20_000].iter().all(|own| own.kept == [0, rounds - 1]));
            assert_eq!(all[20_000].kept, [0]);
        }
    }

    /// Nothing is thinned where all fits.
    #[test]
    fn what_fits_stays_whole() {
        let mut all = vec![lines(0, &[(0..1_000).map(f64::from).collect()])];
        assert_eq!(thin(&mut all, 5), None);
        assert_eq!(all[0].kept.len(), 1_000);
    }
}
